// Who gets the keys: the input line, a question, or nobody while output runs. What was typed before a question appeared
// never answers it.
import type { Keyboard } from "./program-io.ts";
import { KeyParser } from "./key-parser.ts";
import type { Key } from "./key-parser.ts";
import { LineReader } from "./line-reader.ts";
import type { LineEnd, LineOptions } from "./line-reader.ts";
import type { Terminal } from "./terminal.ts";

/** A question ignores what arrives sooner than a person can have read it. */
const DEAF_MS = 150;
/** Who is still typing when a question appears is not answering it: it hears nothing before a pause as long as this. */
const PAUSE_MS = 250;
const MAX_TYPED_AHEAD = 2000;
const PASTE_ON = "\u001b[?2004h";
const PASTE_OFF = "\u001b[?2004l";

type ReadOptions = LineOptions & { isQuestion?: boolean };

export class Input {
  readonly #terminal: Terminal;
  readonly #keyboard: Keyboard;
  #reader: LineReader | undefined;
  #isQuestion = false;
  #deafUntil = 0;
  #turn: Promise<void> = Promise.resolve();
  #ahead = "";
  #isOpen = false;
  /** Ctrl-C while nobody reads a line. */
  onInterrupt: (() => void) | undefined;
  onSuspend: (() => void) | undefined;
  /** The terminal was closed. */
  onGone: (() => void) | undefined;

  constructor(terminal: Terminal, keyboard: Keyboard) {
    this.#terminal = terminal;
    this.#keyboard = keyboard;
  }

  open(): void {
    if (this.#isOpen) return;
    const parser = new KeyParser((key) => this.#key(key));
    this.#keyboard.open(
      (bytes) => parser.push(bytes),
      () => this.onGone?.(),
    );
    this.#terminal.raw(PASTE_ON);
    this.#isOpen = true;
  }

  /** Gives the terminal back, as it was. */
  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#terminal.raw(PASTE_OFF);
    await this.#keyboard.close();
  }

  /** The main prompt: begins with what was typed while output ran. */
  async line(options: LineOptions): Promise<LineEnd> {
    const initial = (options.initial ?? "") + this.#ahead;
    this.#ahead = "";
    return this.#read({ ...options, initial });
  }

  /** One key is the answer: one of these, or Enter. */
  async key(prompt: string, keys: string): Promise<LineEnd> {
    this.#ahead = "";
    return this.#read({ prompt, keys, isQuestion: true });
  }

  async question(prompt: string, initial = ""): Promise<LineEnd> {
    this.#ahead = "";
    return this.#read({ prompt, initial, isQuestion: true });
  }

  /** What is typed is not shown. */
  async secret(prompt: string): Promise<LineEnd> {
    this.#ahead = "";
    return this.#read({ prompt, isSecret: true, isQuestion: true });
  }

  /** Ends the line that is being read, as if the terminal had closed. */
  abandon(): void {
    this.#reader?.finish({ kind: "end-of-input" });
  }

  /** The same, if it is a question and not the input line. */
  abandonQuestion(): void {
    if (this.#isQuestion) this.abandon();
  }

  redraw(): void {
    this.#reader?.redraw();
  }

  get isReading(): boolean {
    return this.#reader !== undefined;
  }

  // One reader at a time: a server's question waits until the person is done with another.
  async #read(options: ReadOptions): Promise<LineEnd> {
    const before = this.#turn;
    const mine = Promise.withResolvers<void>();
    this.#turn = mine.promise;
    await before;
    try {
      return await this.#readNow(options);
    } finally {
      mine.resolve();
    }
  }

  async #readNow(options: ReadOptions): Promise<LineEnd> {
    this.#isQuestion = options.isQuestion === true;
    this.#deafUntil = options.isQuestion === true ? performance.now() + DEAF_MS : 0;
    const onSuspend = this.onSuspend;
    this.#reader = new LineReader(this.#terminal, { ...options, ...(onSuspend ? { onSuspend } : {}) });
    const end = await this.#reader.result;
    this.#reader = undefined;
    this.#isQuestion = false;
    return end;
  }

  #key(key: Key): void {
    const isInterrupt = key.kind === "key" && key.name === "interrupt";
    if (this.#reader !== undefined && !this.#reader.isOver) {
      const now = performance.now();
      if (!isInterrupt && now < this.#deafUntil) {
        this.#deafUntil = Math.max(this.#deafUntil, now + PAUSE_MS);
        return;
      }
      return this.#reader.key(key);
    }
    if (isInterrupt) return this.onInterrupt?.();
    if (key.kind === "key" && key.name === "suspend") return this.onSuspend?.();
    // Kept for the next input line, where it can be seen and changed before it does anything.
    if (key.kind === "text" && this.#ahead.length < MAX_TYPED_AHEAD) this.#ahead += key.text;
    if (key.kind === "key" && key.name === "backspace") this.#ahead = this.#ahead.slice(0, -1);
  }
}
