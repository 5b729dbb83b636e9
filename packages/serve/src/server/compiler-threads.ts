// The threads that compile our code while we run get a lower priority than whoever waits for an answer: with few cores they
// run beside a caller and us, and one of the three waits for milliseconds. For the row "small file read, p99" of the
// benchmarks, which is six times as long without it. Linux only; elsewhere, and where it is not allowed, nothing happens.
import { readdirSync, readFileSync } from "node:fs";
import { constants, setPriority } from "node:os";

const TASKS = "/proc/self/task";
const COMPILER = "JITWorker";
/** They end after ten idle seconds, and come again when there is something to compile. */
const LOOK_AGAIN_MS = 100;

export class CompilerThreads {
  #known = new Set<string>();
  #looked = false;
  #timer: Timer | undefined;

  /** To be told of each call: when nobody calls, nothing is compiled. */
  called(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.#look(), this.#looked ? LOOK_AGAIN_MS : 0);
    this.#timer.unref();
  }

  #look(): void {
    this.#timer = undefined;
    this.#looked = true;
    try {
      const running = new Set(readdirSync(TASKS));
      for (const id of running)
        if (!this.#known.has(id) && nameOf(id) === COMPILER) setPriority(Number(id), constants.priority.PRIORITY_LOW);
      this.#known = running;
    } catch {
      // not Linux, or a thread that has just ended
    }
  }
}

function nameOf(id: string): string {
  return readFileSync(`${TASKS}/${id}/comm`, "latin1").trimEnd();
}
