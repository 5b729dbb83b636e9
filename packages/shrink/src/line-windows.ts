// Where lines that were sent stand: hash of a few lines in a row → the text they are in, and the first of them. Numbers in
// flat lists, because a text of thousands of lines asks for each of them while somebody waits.

const SMALLEST = 1 << 10;

/**
 * The first place of each window: where it came again, a reference may stand. Places in texts that are forgotten stay
 * until room is made, or until the window comes again.
 */
export class LineWindows {
  /** Of the place found last. */
  text = 0;
  line = 0;
  readonly #isKnown: (text: number) => boolean;
  #hashes = new Int32Array(SMALLEST);
  /** One more than the number of the text; 0 where nothing stands. */
  #texts = new Int32Array(SMALLEST);
  #lines = new Int32Array(SMALLEST);
  #used = 0;

  constructor(isKnown: (text: number) => boolean) {
    this.#isKnown = isKnown;
  }

  /** Is this window known? Its place then stands in `text` and `line`. */
  find(hash: number): boolean {
    const slot = this.#slotOf(hash);
    this.text = (this.#texts[slot] ?? 0) - 1;
    this.line = this.#lines[slot] ?? 0;
    return this.text >= 0;
  }

  /** All windows of a text, first to last. */
  add(windows: Int32Array, text: number): void {
    if ((this.#used + windows.length) * 2 > this.#hashes.length) this.#makeRoom(windows.length);
    for (let line = 0; line < windows.length; line++) this.#put(windows[line] ?? 0, text + 1, line);
  }

  #put(hash: number, text: number, line: number): void {
    const slot = this.#slotOf(hash);
    const known = this.#texts[slot] ?? 0;
    if (known === 0) this.#used++;
    else if (this.#isKnown(known - 1)) return;
    this.#hashes[slot] = hash;
    this.#texts[slot] = text;
    this.#lines[slot] = line;
  }

  // Of this hash, or the free one where it would stand.
  #slotOf(hash: number): number {
    const mask = this.#hashes.length - 1;
    let slot = Math.imul(hash ^ (hash >>> 15), 0x9e3779b1) & mask;
    while (this.#texts[slot] !== 0 && this.#hashes[slot] !== hash) slot = (slot + 1) & mask;
    return slot;
  }

  #makeRoom(windows: number): void {
    const [hashes, texts, lines] = [this.#hashes, this.#texts, this.#lines];
    let known = 0;
    for (const text of texts) if (text !== 0 && this.#isKnown(text - 1)) known++;
    let size = SMALLEST;
    while (size < (known + windows) * 4) size *= 2;
    this.#hashes = new Int32Array(size);
    this.#texts = new Int32Array(size);
    this.#lines = new Int32Array(size);
    this.#used = 0;
    for (let slot = 0; slot < texts.length; slot++) {
      const text = texts[slot] ?? 0;
      if (text !== 0 && this.#isKnown(text - 1)) this.#put(hashes[slot] ?? 0, text, lines[slot] ?? 0);
    }
  }
}
