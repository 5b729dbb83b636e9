// What a walk leaves behind, collected before it gathers: the collector does not see how much hangs on buffers that nobody
// needs any more, and where the input is large it lets as much garbage gather.

const MIB = 1024 * 1024;
const LOOK_BYTES = MIB;
const COLLECT_BYTES = 4 * MIB;

// What the process had at least since something was last collected. One for all: each on its own would let as much gather on top
// of what the others do.
let floor = Number.POSITIVE_INFINITY;

export class Garbage {
  private bytes = 0;
  private uncollected = 0;

  /** About so much has been left behind. Memory that was freed is used again: then the process does not grow. */
  more(bytes: number): void {
    this.bytes += bytes;
    this.uncollected += bytes;
    if (this.bytes < LOOK_BYTES) return;
    this.bytes = 0;
    // Asked only where there is garbage: it takes longer than a small file.
    const size = process.memoryUsage.rss();
    floor = Math.min(floor, size);
    if (size - floor >= COLLECT_BYTES) this.collect();
  }

  /** The same, for the end. */
  left(bytes: number): void {
    this.uncollected += bytes;
  }

  /** Nothing of it is held any more. While a loop goes on, the last block is, and may be larger than all before it. */
  end(): void {
    if (this.uncollected >= COLLECT_BYTES) this.collect();
  }

  private collect(): void {
    if (typeof Bun === "object") Bun.gc(true);
    floor = process.memoryUsage.rss();
    this.uncollected = 0;
  }
}
