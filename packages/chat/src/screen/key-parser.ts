// Bytes of a terminal in raw mode → keys. A paste is one event whatever it contains, so that nothing in it can act.

export type KeyName =
  | "enter"
  | "newline"
  | "backspace"
  | "delete"
  | "left"
  | "right"
  | "up"
  | "down"
  | "home"
  | "end"
  | "word-left"
  | "word-right"
  | "delete-word"
  | "delete-word-right"
  | "delete-to-start"
  | "delete-to-end"
  | "yank"
  | "tab"
  | "escape"
  | "search"
  | "interrupt"
  | "end-of-input"
  | "suspend"
  | "redraw";

export type Key = { kind: "text"; text: string } | { kind: "paste"; text: string } | { kind: "key"; name: KeyName };

const PASTE_START = "\u001b[200~";
const PASTE_END = "\u001b[201~";
/** A paste without end must not take all memory. */
const MAX_PASTE_CHARS = 4 * 1024 * 1024;
const ESCAPE_WAIT_MS = 40;

const CONTROLS: Readonly<Record<string, KeyName>> = {
  "\r": "enter",
  "\n": "newline",
  "\u007f": "backspace",
  "\b": "backspace",
  "\t": "tab",
  "\u0001": "home",
  "\u0002": "left",
  "\u0003": "interrupt",
  "\u0004": "end-of-input",
  "\u0005": "end",
  "\u0006": "right",
  "\u000b": "delete-to-end",
  "\u000c": "redraw",
  "\u000e": "down",
  "\u0010": "up",
  "\u0012": "search",
  "\u0015": "delete-to-start",
  "\u0017": "delete-word",
  "\u0019": "yank",
  "\u001a": "suspend",
};

const SEQUENCES: Readonly<Record<string, KeyName>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  H: "home",
  F: "end",
  "1~": "home",
  "7~": "home",
  "4~": "end",
  "8~": "end",
  "3~": "delete",
  "1;5C": "word-right",
  "1;5D": "word-left",
  "1;3C": "word-right",
  "1;3D": "word-left",
  "13;2u": "newline",
  "13;3u": "newline",
};

const ALT: Readonly<Record<string, KeyName>> = {
  "\r": "newline",
  "\n": "newline",
  b: "word-left",
  f: "word-right",
  d: "delete-word-right",
  "\u007f": "delete-word",
  "\b": "delete-word",
};

export class KeyParser {
  readonly #onKey: (key: Key) => void;
  readonly #decoder = new TextDecoder();
  #held = "";
  #paste: string | undefined;
  #timer: Timer | undefined;

  constructor(onKey: (key: Key) => void) {
    this.#onKey = onKey;
  }

  push(bytes: Uint8Array): void {
    clearTimeout(this.#timer);
    this.#held += this.#decoder.decode(bytes, { stream: true });
    this.#read();
    // A lone ESC may be a key or the start of a sequence: time tells.
    if (this.#held.startsWith("\u001b") && this.#paste === undefined) {
      this.#timer = setTimeout(() => {
        this.#held = this.#held.slice(1);
        this.#onKey({ kind: "key", name: "escape" });
        this.#read();
      }, ESCAPE_WAIT_MS);
    }
  }

  #read(): void {
    while (this.#held !== "") {
      if (this.#paste !== undefined) {
        if (!this.#readPaste()) return;
        continue;
      }
      if (this.#held.startsWith(PASTE_START)) {
        this.#held = this.#held.slice(PASTE_START.length);
        this.#paste = "";
        continue;
      }
      const used = this.#held.startsWith("\u001b") ? this.#escape() : this.#plain();
      if (used === 0) return;
      this.#held = this.#held.slice(used);
    }
  }

  #readPaste(): boolean {
    const end = this.#held.indexOf(PASTE_END);
    const keep = end < 0 ? Math.max(0, this.#held.length - PASTE_END.length) : end;
    this.#paste = `${this.#paste ?? ""}${this.#held.slice(0, keep)}`.slice(0, MAX_PASTE_CHARS);
    this.#held = this.#held.slice(keep);
    if (end < 0) return false;
    this.#held = this.#held.slice(PASTE_END.length);
    const text = this.#paste.replace(/\r\n?/g, "\n");
    this.#paste = undefined;
    this.#onKey({ kind: "paste", text });
    return true;
  }

  /** How much of the held text was a key; 0 when more must come. */
  #escape(): number {
    const held = this.#held;
    if (held.length === 1) return 0;
    const second = held.charAt(1);
    if (second !== "[" && second !== "O") {
      const name = ALT[second];
      if (name !== undefined) this.#onKey({ kind: "key", name });
      return 2; // an Alt key that means nothing here is nothing
    }
    // eslint-disable-next-line no-control-regex -- that is what a terminal sends
    const sequence = /^\u001b[[O]([0-9;?<>=]*[ -/]*[@-~])/.exec(held)?.[1];
    if (sequence === undefined) return held.length > 32 ? held.length : 0;
    const name = SEQUENCES[sequence];
    if (name !== undefined) this.#onKey({ kind: "key", name });
    return sequence.length + 2;
  }

  #plain(): number {
    // eslint-disable-next-line no-control-regex -- controls end a run of text
    const text = /^[^\u0000-\u001f\u007f]+/.exec(this.#held)?.[0];
    if (text !== undefined) {
      this.#onKey({ kind: "text", text });
      return text.length;
    }
    const name = CONTROLS[this.#held.charAt(0)];
    if (name !== undefined) this.#onKey({ kind: "key", name });
    return 1;
  }
}
