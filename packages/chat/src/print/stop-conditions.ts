// Everything that can end a run from outside: time, a signal, a reader that has gone.
import type { Io } from "../screen/program-io.ts";

export type StopReason = "time" | "pipe" | "SIGINT" | "SIGTERM" | "SIGHUP";

export class Stop {
  /** The first reason; later ones change nothing. */
  reason: StopReason | undefined;
  readonly #controller = new AbortController();
  readonly #timer: Timer | undefined;
  readonly #forget: () => void;

  constructor(io: Io, timeoutS: number | undefined) {
    this.#timer = timeoutS === undefined ? undefined : setTimeout(() => this.#stop("time"), timeoutS * 1000);
    this.#forget = io.onSignal((signal) => {
      if (signal === "SIGINT" || signal === "SIGTERM" || signal === "SIGHUP") this.#stop(signal);
    });
    io.onClosedPipe(() => this.#stop("pipe"));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get whenStopped(): Promise<void> {
    return new Promise((resolve) => {
      if (this.signal.aborted) resolve();
      this.signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  over(): void {
    clearTimeout(this.#timer);
    this.#forget();
  }

  #stop(reason: StopReason): void {
    this.reason ??= reason;
    this.#controller.abort();
  }
}
