// A person's decision about what is held back, noticed by a running proxy: the file of pins is looked at while somebody
// waits for one, and not otherwise.
import { statSync } from "node:fs";
import path from "node:path";

/** One stat each; soon enough for whoever has just typed `accept`. */
const LOOK_MS = 500;

/** What somebody waits for: that the set of this server is another one than that of this time. */
export type PendingDecision = { identity: string; since: string | undefined };

type Waiter = { awaited: PendingDecision; decided: () => void };

export class PinDecisions {
  private readonly locate: () => Promise<string>;
  private readonly waiters = new Set<Waiter>();
  private timer: ReturnType<typeof setInterval> | undefined;
  private lastSeen: string | undefined;
  private isLooking = false;

  constructor(locate: () => Promise<string>) {
    this.locate = locate;
  }

  /** `decided` is called once, unless what is returned is called before. */
  wait(awaited: PendingDecision, decided: () => void): () => void {
    const waiter = { awaited, decided };
    this.waiters.add(waiter);
    // It may have been decided between the check and now: the next look compares, whatever the file's time.
    this.lastSeen = undefined;
    this.timer ??= setInterval(() => void this.look(), LOOK_MS);
    // A proxy whose client has gone does not stay for a decision.
    this.timer.unref?.();
    return () => this.leave(waiter);
  }

  private leave(waiter: Waiter): void {
    this.waiters.delete(waiter);
    if (this.waiters.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      const folder = await this.locate();
      const seen = stampOf(path.join(folder, "pins.json"));
      if (seen === this.lastSeen) return;
      this.lastSeen = seen;
      const { openPins } = await import("@bosun/policy");
      const pins = openPins(folder);
      for (const waiter of this.waiters) {
        if (pins.since(waiter.awaited.identity) === waiter.awaited.since) continue;
        this.leave(waiter);
        waiter.decided();
      }
    } catch {
      // It cannot be read just now: that is said where a list is checked, and the next change is looked at again.
    } finally {
      this.isLooking = false;
    }
  }
}

/** The file is replaced, never written into. */
function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found ? `${found.ino} ${found.mtimeMs} ${found.size}` : "none";
}
