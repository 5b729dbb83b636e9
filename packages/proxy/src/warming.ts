// When the proxy warms up: a little while its server starts, the rest when the client has the tools and a model reads them.
import { fullGC } from "bun:jsc";
import { WarmUp } from "@bosun/shrink";
import type { WarmUpOptions } from "@bosun/shrink";

export class Warming {
  private readonly warmUp: WarmUp;
  private readonly isBusy: () => boolean;
  private begun: Promise<void> | undefined;

  constructor(options: Required<WarmUpOptions>) {
    this.warmUp = new WarmUp(options);
    this.isBusy = options.isBusy;
  }

  /** A client has come, and waits for a server that is only being started. */
  arrived(): void {
    this.begun ??= this.warmUp.begin().then(() => this.collect());
  }

  /** The client has been told the tools. */
  async listed(): Promise<void> {
    await this.begun;
    await this.warmUp.finish();
    this.collect();
  }

  // What was left on the way would be cleared away in the midst of a call, and all at once: the engine looks at everything
  // early in its life, which took 7 ms of one.
  private collect(): void {
    if (!this.isBusy()) fullGC();
  }
}
