// The last lines of something that may never stop talking.

const MAX_LINE_CHARS = 2000;

export class RecentLog {
  readonly #lines: string[] = [];
  readonly #most: number;
  #rest = "";

  constructor(most = 200) {
    this.#most = most;
  }

  get lines(): readonly string[] {
    return this.#rest === "" ? this.#lines : [...this.#lines, this.#rest];
  }

  /** Text as it comes: lines end where they end. */
  text(piece: string): void {
    const parts = (this.#rest + piece).split(/\r?\n/);
    this.#rest = (parts.pop() ?? "").slice(-MAX_LINE_CHARS);
    for (const line of parts) this.line(line);
  }

  line(line: string): void {
    this.#lines.push(line.slice(0, MAX_LINE_CHARS));
    if (this.#lines.length > this.#most) this.#lines.splice(0, this.#lines.length - this.#most);
  }

  get last(): string | undefined {
    return this.lines.findLast((line) => line.trim() !== "");
  }
}
