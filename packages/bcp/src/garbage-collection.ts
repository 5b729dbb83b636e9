// What a walk leaves behind, collected before too much of it gathers: the runtime's collector does not see how much hangs on
// buffers that nobody needs any more, and where the input is large it lets as much gather.

const MIB = 1024 * 1024;
const LOOK_BYTES = MIB;
const COLLECT_BYTES = 4 * MIB;

// The least memory that the process had since something was last collected. One for all walks: each on its own would let as much
// gather on top of what the others do.
let floor = Number.POSITIVE_INFINITY;

export class GarbageCollection {
  private unchecked = 0;
  private uncollected = 0;

  /** About so much has been left behind. Memory that was freed is used again: while the process does not grow, nothing is done. */
  add(bytes: number): void {
    this.unchecked += bytes;
    this.uncollected += bytes;
    if (this.unchecked < LOOK_BYTES) return;
    this.unchecked = 0;
    // Asked only where there is garbage: it takes longer than a small file.
    const size = process.memoryUsage.rss();
    floor = Math.min(floor, size);
    if (size - floor >= COLLECT_BYTES) this.collect();
  }

  /** The same, left for `end`: while a loop goes on its last block is still held, and may be larger than all before it. */
  addForEnd(bytes: number): void {
    this.uncollected += bytes;
  }

  /** Nothing of it is held any more. */
  end(): void {
    if (this.uncollected >= COLLECT_BYTES) this.collect();
  }

  private collect(): void {
    if (typeof Bun === "object") Bun.gc(true);
    floor = process.memoryUsage.rss();
    this.uncollected = 0;
  }
}
