// A few shells per session, started ahead while the session is in use: most of what a command costs, and nearly all of what a
// sandbox costs, is then paid before it is asked for. For the rows "bash true" and "the sandbox adds to bash true" of the
// benchmarks: without it a sandboxed command takes three times as long, 10 ms that a person feels.
import { prestartShell, dismiss } from "./launch.ts";
import { after } from "./timers.ts";
import type { Command } from "./command-checks.ts";
import type { Equipment, PrestartedShell, PrestartKey } from "./launch.ts";
import type { SessionTags } from "./process-tags.ts";
import type { Timer } from "./timers.ts";

// A pause between two commands of an agent at work; a session that rests longer needs no process waiting for it.
const IDLE_MS = 30_000;
// Less while an empty folder holds the place of an absent file in somebody's folder.
const IDLE_HOLDING_MS = 10_000;

type Waiting = {
  readonly key: PrestartKey;
  readonly state: string;
  readonly prestarted: PrestartedShell;
  readonly expiry: Timer;
};

export class PrestartedShells {
  readonly #equipment: Equipment;
  readonly #waiting = new Map<SessionTags, Waiting[]>();
  readonly #starting = new Map<SessionTags, Set<Promise<void>>>();
  readonly #over = new WeakSet<SessionTags>();
  /** Of shells that have been given no command yet, those being started included. */
  readonly tags = new Set<string>();
  #closed = false;

  constructor(equipment: Equipment) {
    this.#equipment = equipment;
  }

  /** The session's waiting shell, if it fits the command and what its sandbox shows is still what it should show. */
  take(command: Command): PrestartedShell | undefined {
    const key = keyOf(command);
    const state = this.#state();
    // The oldest first: a younger one may still be building its sandbox.
    for (const waiting of this.#of(command.tags)) {
      this.#remove(command.tags, waiting);
      if (isSame(waiting.key, key) && waiting.state === state && isAlive(waiting.prestarted)) {
        this.tags.delete(waiting.prestarted.tag);
        return waiting.prestarted;
      }
      dismiss(this.#equipment, waiting.prestarted);
    }
    return undefined;
  }

  /** Starts shells for the next commands like this one, until that many wait. */
  async plan(command: Command, scratch: string, most: number): Promise<void> {
    const { shell, confinement } = this.#equipment;
    const possible = command.what.kind === "shell" && shell.dialect === "bash" && confinement.allowsPrestart !== false;
    const { tags } = command;
    if (!possible) return;
    while (!this.#closed && !this.#over.has(tags) && this.#count(tags) < most) {
      try {
        await this.#noted(tags, this.#start(command, scratch));
      } catch {
        // No room for a process that only waits: the next command starts from nothing, and says so if it cannot.
        return;
      }
    }
  }

  /** The session is over: it gets no further shells, and those that wait for it end. */
  async end(tags: SessionTags): Promise<void> {
    this.#over.add(tags);
    const children = this.#of(tags).map(({ prestarted }) => prestarted.child);
    this.#discard(tags);
    await Promise.allSettled([...this.#beginning(tags), ...children.map((child) => child.exited)]);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...new Set([...this.#waiting.keys(), ...this.#starting.keys()])].map((tags) => this.end(tags)));
  }

  async #start(command: Command, scratch: string): Promise<void> {
    const { tags } = command;
    const state = this.#state();
    const key = keyOf(command);
    const tag = tags.next();
    this.tags.add(tag);
    const prestarted = await prestartShell(this.#equipment, key, tag, scratch).catch((error: unknown) => {
      this.tags.delete(tag);
      throw error;
    });
    void prestarted.child.exited.then(() => this.tags.delete(tag));
    if (this.#closed || this.#over.has(tags)) {
      dismiss(this.#equipment, prestarted);
      await prestarted.child.exited;
      return;
    }
    const idleMs = this.#equipment.confinement.holdsPlaces === true ? IDLE_HOLDING_MS : IDLE_MS;
    const waiting = { key, state, prestarted, expiry: after(idleMs, () => this.#discard(tags)) };
    this.#waiting.set(tags, [...this.#of(tags), waiting]);
    void prestarted.child.exited.then(() => {
      if (!this.#of(tags).includes(waiting)) return;
      this.#remove(tags, waiting);
      dismiss(this.#equipment, prestarted);
    });
  }

  // Known from its first moment: what is still being started when the session ends is waited for.
  async #noted(tags: SessionTags, start: Promise<void>): Promise<void> {
    const all = this.#beginning(tags).add(start);
    this.#starting.set(tags, all);
    try {
      await start;
    } finally {
      all.delete(start);
      if (all.size === 0) this.#starting.delete(tags);
    }
  }

  #beginning(tags: SessionTags): Set<Promise<void>> {
    return this.#starting.get(tags) ?? new Set();
  }

  #of(tags: SessionTags): readonly Waiting[] {
    return this.#waiting.get(tags) ?? [];
  }

  #count(tags: SessionTags): number {
    return this.#of(tags).length + this.#beginning(tags).size;
  }

  #discard(tags: SessionTags): void {
    for (const waiting of this.#of(tags)) {
      this.#remove(tags, waiting);
      dismiss(this.#equipment, waiting.prestarted);
    }
  }

  #remove(tags: SessionTags, waiting: Waiting): void {
    waiting.expiry.cancel();
    const left = this.#of(tags).filter((other) => other !== waiting);
    if (left.length > 0) this.#waiting.set(tags, left);
    else this.#waiting.delete(tags);
  }

  #state(): string {
    return this.#equipment.confinement.state?.() ?? "";
  }
}

function keyOf(command: Command): PrestartKey {
  return { env: command.env, merge: command.merge === true, nonce: command.nonce, limits: command.limits ?? {} };
}

function isSame(a: PrestartKey, b: PrestartKey): boolean {
  return a.merge === b.merge && a.nonce === b.nonce && areEqual(a.env, b.env) && areEqual(a.limits, b.limits);
}

function areEqual<T extends object>(a: T, b: T): boolean {
  if (a === b) return true;
  const names = Object.keys(a) as (keyof T)[];
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

function isAlive({ child }: PrestartedShell): boolean {
  return child.exitCode === null && child.signalCode === null;
}
