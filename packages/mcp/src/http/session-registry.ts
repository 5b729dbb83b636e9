// The live legacy sessions of an HTTP endpoint: bounded in number, ended when nobody uses them. Clients vanish without
// DELETE, so when the limit is reached the one idle longest is ended; never one that has a call under way or listens.
// Where all do, a new session is refused.
import type { HttpSession } from "./http-session.ts";

/** A session is not idle this long between `initialize` and its first use, unless its client has gone. */
const UNUSED_MS = 30_000;

type SessionLimits = { maxSessions: number; idleMs: number };

/** Given back when it is disposed of; the session that has taken it counts from then on. */
export type Reservation = Disposable & { take(session: HttpSession): void };

export class SessionRegistry {
  private readonly sessions = new Map<string, HttpSession>();
  private readonly limits: SessionLimits;
  private readonly sweeper: Timer;
  /** Places of sessions that are being opened. */
  private opening = 0;

  constructor(limits: SessionLimits) {
    this.limits = limits;
    this.sweeper = setInterval(() => this.endIdle(), Math.min(limits.idleMs, UNUSED_MS));
    this.sweeper.unref?.();
  }

  get size(): number {
    return this.sessions.size;
  }

  /** A reservation for a session, before anything is started for it. Undefined when all are taken by sessions in use. */
  reserve(): Reservation | undefined {
    if (this.sessions.size + this.opening >= this.limits.maxSessions && !this.endLongestIdle()) return undefined;
    this.opening++;
    return {
      take: (session) => void this.sessions.set(session.legacy.id, session),
      [Symbol.dispose]: () => void this.opening--,
    };
  }

  get(id: string): HttpSession | undefined {
    const session = this.sessions.get(id);
    if (!session) return undefined;
    session.lastUsed = Date.now();
    session.isUsed = true;
    return session;
  }

  /** Settles when nothing is left of what it had. */
  end(session: HttpSession): Promise<void> | void {
    this.sessions.delete(session.legacy.id);
    return session.end();
  }

  close(): void {
    clearInterval(this.sweeper);
    for (const session of this.sessions.values()) this.end(session); // a Map may lose entries while it is walked
  }

  private endIdle(): void {
    const now = Date.now();
    const { idleMs } = this.limits;
    for (const session of this.sessions.values()) {
      if (!session.idle) session.lastUsed = now; // counts from the end of its work, not from its last request
      if (now - session.lastUsed > (session.isUsed ? idleMs : Math.min(idleMs, UNUSED_MS))) this.end(session);
      else session.forgetOldStreams();
    }
  }

  /** False when all are in use. */
  endLongestIdle(): boolean {
    let longest: HttpSession | undefined;
    for (const session of this.sessions.values()) {
      if ((!longest || session.lastUsed < longest.lastUsed) && session.idle) longest = session;
    }
    if (longest) this.end(longest);
    return longest !== undefined;
  }
}
