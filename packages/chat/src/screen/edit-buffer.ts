// The text of an input line and its cursor, moved by whole characters as a person sees them. Knows no terminal.

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const MAX_CHARS = 4 * 1024 * 1024;

export class EditBuffer {
  text = "";
  /** In UTF-16 units, always between characters. */
  cursor = 0;
  #killed = "";

  set(text: string): void {
    this.text = text.slice(0, MAX_CHARS);
    this.cursor = this.text.length;
  }

  insert(text: string): void {
    if (this.text.length + text.length > MAX_CHARS) return;
    this.text = this.text.slice(0, this.cursor) + text + this.text.slice(this.cursor);
    this.cursor += text.length;
  }

  left(): void {
    this.cursor -= this.#before();
  }

  right(): void {
    this.cursor += this.#after();
  }

  backspace(): void {
    const length = this.#before();
    this.#remove(this.cursor - length, this.cursor);
  }

  delete(): void {
    this.#remove(this.cursor, this.cursor + this.#after());
  }

  home(): void {
    this.cursor = this.text.lastIndexOf("\n", this.cursor - 1) + 1;
  }

  end(): void {
    const next = this.text.indexOf("\n", this.cursor);
    this.cursor = next < 0 ? this.text.length : next;
  }

  wordLeft(): void {
    this.cursor = this.#wordStart();
  }

  wordRight(): void {
    this.cursor = this.#wordEnd();
  }

  deleteWord(): void {
    this.#kill(this.#wordStart(), this.cursor);
  }

  deleteWordRight(): void {
    this.#kill(this.cursor, this.#wordEnd());
  }

  deleteToStart(): void {
    const from = this.text.lastIndexOf("\n", this.cursor - 1) + 1;
    this.#kill(from, this.cursor);
  }

  deleteToEnd(): void {
    const next = this.text.indexOf("\n", this.cursor);
    this.#kill(this.cursor, next < 0 ? this.text.length : next);
  }

  yank(): void {
    this.insert(this.#killed);
  }

  /** One line up within the text; false when this is the first. */
  up(): boolean {
    const start = this.text.lastIndexOf("\n", this.cursor - 1) + 1;
    if (start === 0) return false;
    const column = this.cursor - start;
    const above = this.text.lastIndexOf("\n", start - 2) + 1;
    this.cursor = Math.min(above + column, start - 1);
    return true;
  }

  down(): boolean {
    const next = this.text.indexOf("\n", this.cursor);
    if (next < 0) return false;
    const column = this.cursor - (this.text.lastIndexOf("\n", this.cursor - 1) + 1);
    const end = this.text.indexOf("\n", next + 1);
    this.cursor = Math.min(next + 1 + column, end < 0 ? this.text.length : end);
    return true;
  }

  #before(): number {
    let last = 0;
    // A character is never longer than a few dozen units: look at the near past only.
    const from = Math.max(0, this.cursor - 64);
    for (const { segment } of segmenter.segment(this.text.slice(from, this.cursor))) last = segment.length;
    return last;
  }

  #after(): number {
    const [first] = segmenter.segment(this.text.slice(this.cursor, this.cursor + 64));
    return first?.segment.length ?? 0;
  }

  #wordStart(): number {
    const before = this.text.slice(0, this.cursor);
    return before.replace(/\S+\s*$|\s+$/u, "").length;
  }

  #wordEnd(): number {
    const after = this.text.slice(this.cursor);
    return this.cursor + (/^\s*\S+|^\s+/u.exec(after)?.[0].length ?? 0);
  }

  #kill(from: number, to: number): void {
    if (from === to) return;
    this.#killed = this.text.slice(from, to);
    this.#remove(from, to);
  }

  #remove(from: number, to: number): void {
    this.text = this.text.slice(0, from) + this.text.slice(to);
    this.cursor = from;
  }
}
