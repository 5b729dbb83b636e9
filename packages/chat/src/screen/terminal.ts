// The two output streams of a terminal program: the model's words on one, everything of ours on the other. Append-only;
// only the current line is ever rewritten, and an input line under it survives whatever is printed above.
import type { Io, Output } from "./program-io.ts";
import { ForgedLineGuard } from "./forged-line-guard.ts";
import { cutToWidth, widthOf, wrap } from "./text-layout.ts";
import { framesFor, hasLightBackground, isUtf8Locale, styleFor, wantsColor } from "./style.ts";
import type { Frames, Style } from "./style.ts";

/** What stands at the bottom while the person types. */
export type InputLine = { hide(): void; show(): void };

export class Terminal {
  readonly style: Style;
  readonly wordStyle: Style;
  readonly frames: Frames;
  readonly isUtf8: boolean;
  readonly #out: Output;
  readonly #err: Output;
  #isAtStart = true;
  #transient = false;
  #input: InputLine | undefined;
  readonly #edge: ForgedLineGuard;

  constructor(io: Io, options: { color?: boolean; ascii?: boolean } = {}) {
    this.#out = io.stdout;
    this.#err = io.stderr;
    const may = options.color !== false;
    const isLight = hasLightBackground(io.env);
    this.style = styleFor(may && wantsColor(io.env, io.stderr.isTerminal), isLight);
    this.wordStyle = styleFor(may && wantsColor(io.env, io.stdout.isTerminal), isLight);
    this.isUtf8 = isUtf8Locale(io.env) && options.ascii !== true;
    this.frames = framesFor(this.isUtf8);
    this.#edge = new ForgedLineGuard(this.frames);
  }

  get columns(): number {
    return Math.max(20, this.#err.columns());
  }

  get isTerminal(): boolean {
    return this.#err.isTerminal;
  }

  /** The model's words; safe already. */
  words(text: string): void {
    if (text === "") return;
    this.#clearTransient();
    this.#out.write(this.#out.isTerminal ? this.#edge.push(text, this.columns) : text);
    if (this.#out.isTerminal) this.#isAtStart = text.endsWith("\n");
  }

  /** Ends the line the model is in. */
  endWords(): void {
    if (!this.#isAtStart) this.#out.write("\n");
    this.#begins();
  }

  /**
   * Lines of ours; safe already. Printed above an input line, if there is one. A line that is too wide goes on behind an
   * indent: what is foreign in it must not be carried to the edge, where it would look like ours.
   */
  line(text: string): void {
    const lines = text.split("\n").flatMap((line) => (widthOf(line) <= this.columns ? [line] : this.#folded(line)));
    this.unfolded(lines.join("\n"));
  }

  /** The same as it is, for what must be copied whole, such as an address. */
  unfolded(text: string): void {
    this.#clearTransient();
    const input = this.#input;
    input?.hide();
    const start = this.#isAtStart ? "" : "\n";
    this.#err.write(`${start}${text}\n`);
    this.#begins();
    input?.show();
  }

  /** The current line, rewritten in place; nothing where there is no terminal. */
  transient(text: string): void {
    if (!this.isTerminal || this.#input !== undefined) return;
    if (!this.#isAtStart) return; // never over the model's words
    this.#err.write(`\r\u001b[K${this.style.dim(cutToWidth(text, this.columns - 1))}`);
    this.#transient = true;
  }

  clearTransient(): void {
    this.#clearTransient();
  }

  /** Where the person pressed Ctrl-C; what follows begins on a line of its own. */
  interruptMark(): void {
    this.#clearTransient();
    this.#err.write("^C\n");
    this.#begins();
  }

  /** Raw text of ours: prompts and the input line. */
  raw(text: string): void {
    this.#err.write(text);
  }

  /** An empty screen; what stood there stays in the scrollback where the terminal keeps one. */
  clear(): void {
    this.#err.write("\u001b[2J\u001b[H");
  }

  startInput(input: InputLine): void {
    this.#clearTransient();
    if (!this.#isAtStart) this.#err.write("\n");
    this.#begins();
    this.#input = input;
  }

  endInput(): void {
    this.#input = undefined;
    this.#begins();
  }

  /** What comes next stands at the beginning of a line. */
  #begins(): void {
    this.#isAtStart = true;
    this.#edge.lineEnded();
  }

  #folded(line: string): string[] {
    const { top, side, bottom } = this.frames;
    const isFramed = [top, side, bottom].some((mark) => Bun.stripANSI(line).startsWith(mark));
    const indent = isFramed ? this.style.dim(side) : "  ";
    const [first = "", ...rest] = wrap(line, this.columns - 1 - widthOf(indent));
    return [first, ...rest.map((row) => indent + row)];
  }

  #clearTransient(): void {
    if (!this.#transient) return;
    this.#err.write("\r\u001b[K");
    this.#transient = false;
  }
}
