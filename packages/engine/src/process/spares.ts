// One shell per session, started ahead while the session is in use: most of what a command costs, and nearly all of what
// a sandbox costs, is then paid before it is asked for.
import { launchSpare, dismiss } from "./launch.ts";
import { after } from "./timers.ts";
import type { Command } from "./command.ts";
import type { Equipment, Spare, SpareKey } from "./launch.ts";
import type { SessionTags } from "./tags.ts";
import type { Timer } from "./timers.ts";

// A pause between two commands of an agent at work; a session that rests longer needs no process waiting for it.
const IDLE_MS = 30_000;

type Waiting = { readonly key: SpareKey; readonly state: string; readonly spare: Spare; readonly expiry: Timer };

export class Spares {
  readonly #equipment: Equipment;
  readonly #waiting = new Map<SessionTags, Waiting>();
  readonly #starting = new Set<SessionTags>();
  readonly #over = new WeakSet<SessionTags>();
  #closed = false;

  constructor(equipment: Equipment) {
    this.#equipment = equipment;
  }

  /** The session's waiting shell, if it fits the command and what its sandbox shows is still what it should show. */
  take(command: Command): Spare | undefined {
    const waiting = this.#waiting.get(command.tags);
    if (waiting === undefined || command.what.kind !== "shell") return undefined;
    this.#remove(command.tags, waiting);
    if (isSame(waiting.key, keyOf(command)) && waiting.state === this.#state() && isAlive(waiting.spare))
      return waiting.spare;
    dismiss(this.#equipment, waiting.spare);
    return undefined;
  }

  /** Starts a shell for the next command like this one. */
  async plan(command: Command, scratch: string): Promise<void> {
    const { shell, confinement } = this.#equipment;
    const possible = command.what.kind === "shell" && shell.dialect === "bash" && confinement.allowsSpares !== false;
    const { tags } = command;
    if (!possible || this.#closed || this.#over.has(tags) || this.#waiting.has(tags) || this.#starting.has(tags))
      return;
    this.#starting.add(tags);
    try {
      const state = this.#state();
      const key = keyOf(command);
      const spare = await launchSpare(this.#equipment, key, scratch);
      const waiting = { key, state, spare, expiry: after(IDLE_MS, () => this.discard(tags)) };
      if (this.#closed || this.#over.has(tags)) return dismiss(this.#equipment, spare);
      this.#waiting.set(tags, waiting);
      void spare.child.exited.then(() => {
        if (this.#waiting.get(tags) === waiting) this.discard(tags);
      });
    } catch {
      // No room for a process that only waits: the next command starts from nothing, and says so if it cannot.
    } finally {
      this.#starting.delete(tags);
    }
  }

  /** The session is over: it gets no further shells. */
  end(tags: SessionTags): void {
    this.#over.add(tags);
    this.discard(tags);
  }

  discard(tags: SessionTags): void {
    const waiting = this.#waiting.get(tags);
    if (waiting === undefined) return;
    this.#remove(tags, waiting);
    dismiss(this.#equipment, waiting.spare);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const children = [...this.#waiting.values()].map(({ spare }) => spare.child);
    for (const tags of this.#waiting.keys()) this.discard(tags);
    await Promise.all(children.map((child) => child.exited));
  }

  #remove(tags: SessionTags, waiting: Waiting): void {
    waiting.expiry.cancel();
    this.#waiting.delete(tags);
  }

  #state(): string {
    return this.#equipment.confinement.state?.() ?? "";
  }
}

function keyOf(command: Command): SpareKey {
  return { env: command.env, merge: command.merge === true, nonce: command.nonce };
}

function isSame(a: SpareKey, b: SpareKey): boolean {
  if (a.merge !== b.merge || a.nonce !== b.nonce) return false;
  if (a.env === b.env) return true;
  const names = Object.keys(a.env);
  return names.length === Object.keys(b.env).length && names.every((name) => a.env[name] === b.env[name]);
}

function isAlive({ child }: Spare): boolean {
  return child.exitCode === null && child.signalCode === null;
}
