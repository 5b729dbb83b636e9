// Memory that a large file took, given back before the next one comes: the collector does not see how much hangs on the
// buffers that nobody needs any more, and would let a few hundred megabytes of them gather.

const MIB = 1024 * 1024;
const WORTH_IT_BYTES = 16 * MIB;

export class MemoryRelease {
  private before = process.memoryUsage.rss();

  /** Call it when nothing of the last run is held any more. Costs some microseconds where that was small. */
  beforeRun(): void {
    if (process.memoryUsage.rss() - this.before < WORTH_IT_BYTES) return;
    Bun.gc(true);
    this.before = process.memoryUsage.rss();
  }
}
