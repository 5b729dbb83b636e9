// The live legacy sessions of an HTTP endpoint: bounded in number, forgotten when nobody uses them.
import type { HttpSession } from "./http-session.ts";

export type SessionLimits = { maxSessions: number; idleMs: number };

export class SessionRegistry {
  private readonly sessions = new Map<string, HttpSession>();
  private readonly limits: SessionLimits;
  private readonly sweeper: Timer;

  constructor(limits: SessionLimits) {
    this.limits = limits;
    this.sweeper = setInterval(() => this.endIdle(), Math.min(limits.idleMs, 60_000));
    this.sweeper.unref?.();
  }

  get size(): number {
    return this.sessions.size;
  }

  /** False when all places are taken by sessions that are in use. */
  add(session: HttpSession): boolean {
    if (this.sessions.size >= this.limits.maxSessions && !this.endLongestIdle()) return false;
    this.sessions.set(session.legacy.id, session);
    return true;
  }

  get(id: string): HttpSession | undefined {
    const session = this.sessions.get(id);
    if (session) session.lastUsed = Date.now();
    return session;
  }

  end(session: HttpSession): void {
    this.sessions.delete(session.legacy.id);
    session.end();
  }

  close(): void {
    clearInterval(this.sweeper);
    for (const session of this.sessions.values()) this.end(session); // a Map may lose entries while it is walked
  }

  private endIdle(): void {
    const before = Date.now() - this.limits.idleMs;
    for (const session of this.sessions.values()) {
      if (!session.idle) session.lastUsed = Date.now(); // counts from the end of its work, not from its last request
      if (session.lastUsed < before) this.end(session);
      else session.forgetOldStreams();
    }
  }

  private endLongestIdle(): boolean {
    let longest: HttpSession | undefined;
    for (const session of this.sessions.values()) {
      if ((!longest || session.lastUsed < longest.lastUsed) && session.idle) longest = session;
    }
    if (longest) this.end(longest);
    return longest !== undefined;
  }
}
