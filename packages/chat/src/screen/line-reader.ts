// Reads one line (or several) from the keyboard at the bottom of the screen: editing, history, search, paste. Draws
// below everything else and never above its own first row.
import { makeScreenSafe } from "@bosun/platform/safe-text";
import { EditBuffer } from "./edit-buffer.ts";
import type { Key, KeyName } from "./key-parser.ts";
import { layOut } from "./text-layout.ts";
import type { Terminal } from "./terminal.ts";

export type LineEnd =
  | { kind: "line"; text: string; isPaste: boolean; hasPaste?: boolean }
  /** Ctrl-C; `text` is what stood there. */
  | { kind: "interrupt"; text: string }
  | { kind: "end-of-input" };

export type LineOptions = {
  prompt: string;
  continuation?: string;
  initial?: string;
  history?: readonly string[];
  /** Ctrl-C with text clears the line and goes on, as at the main prompt. */
  clearsOnInterrupt?: boolean;
  complete?: (text: string) => string[];
  /** Is this text a whole input, or does it go on on the next line? */
  isWhole?: (text: string) => boolean;
  onSuspend?: () => void;
  /** One of these keys is the whole answer, and Enter is an empty one; other keys do nothing. */
  keys?: string;
  /** Nothing of what is typed is drawn, not even how much it is. */
  isSecret?: boolean;
};

export class LineReader {
  readonly #terminal: Terminal;
  readonly #options: LineOptions;
  readonly #buffer = new EditBuffer();
  readonly #done = Promise.withResolvers<LineEnd>();
  #historyAt: number;
  #draft = "";
  #search: { text: string; at: number } | undefined;
  #drawnRows = 0;
  #cursorRow = 0;
  #pasted = false;
  #hasPaste = false;
  #isOver = false;

  constructor(terminal: Terminal, options: LineOptions) {
    this.#terminal = terminal;
    this.#options = options;
    this.#historyAt = options.history?.length ?? 0;
    if (options.initial !== undefined) this.#buffer.set(options.initial);
    terminal.startInput({ hide: () => this.#hide(), show: () => this.#show() });
    this.#show();
  }

  get result(): Promise<LineEnd> {
    return this.#done.promise;
  }

  /** What is typed now belongs to somebody else. */
  get isOver(): boolean {
    return this.#isOver;
  }

  key(key: Key): void {
    const { keys } = this.#options;
    if (keys !== undefined && !this.#singleKey(key, keys)) return;
    if (this.#search !== undefined && this.#searchKey(key)) return this.#redraw();
    if (key.kind === "text") this.#buffer.insert(key.text);
    else if (key.kind === "paste") {
      // Whatever is in it, it is text: nothing in a paste presses Enter.
      if (this.#buffer.text === "") this.#pasted = true;
      this.#hasPaste = true;
      this.#buffer.insert(key.text.replace(/\n$/, ""));
    } else if (this.#named(key.name)) return;
    this.#redraw();
  }

  /** Takes the line away, as when another program gets the terminal. */
  redraw(): void {
    this.#redraw();
  }

  finish(end: LineEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#hide();
    this.#buffer.cursor = this.#buffer.text.length;
    this.#show();
    this.#terminal.raw("\r\n");
    this.#terminal.endInput();
    this.#done.resolve(end);
  }

  /** False: the key was dealt with here. */
  #singleKey(key: Key, keys: string): boolean {
    if (key.kind === "key") return ["enter", "interrupt", "end-of-input"].includes(key.name);
    if (key.kind === "text" && key.text.length === 1 && keys.includes(key.text)) {
      this.#buffer.set(key.text);
      this.finish({ kind: "line", text: key.text, isPaste: false });
    }
    return false;
  }

  /** True when the line is over. */
  #named(name: KeyName): boolean {
    const buffer = this.#buffer;
    switch (name) {
      case "enter":
        return this.#enter();
      case "newline":
        buffer.insert("\n");
        return false;
      case "interrupt":
        return this.#interrupt();
      case "end-of-input":
        if (buffer.text !== "") {
          buffer.delete();
          return false;
        }
        this.finish({ kind: "end-of-input" });
        return true;
      case "up":
        if (!buffer.up()) this.#older();
        return false;
      case "down":
        if (!buffer.down()) this.#newer();
        return false;
      case "search":
        this.#search = { text: "", at: this.#options.history?.length ?? 0 };
        return false;
      case "tab":
        this.#complete();
        return false;
      case "redraw":
        this.#terminal.clear();
        return false;
      case "suspend":
        this.#options.onSuspend?.();
        return false;
      default:
        EDITS[name]?.(buffer);
        return false;
    }
  }

  #enter(): boolean {
    const { text } = this.#buffer;
    if (this.#options.isWhole?.(text) === false) {
      this.#buffer.cursor = text.length;
      this.#buffer.insert("\n");
      return false;
    }
    this.finish({ kind: "line", text, isPaste: this.#pasted, ...(this.#hasPaste ? { hasPaste: true } : {}) });
    return true;
  }

  #interrupt(): boolean {
    const { text } = this.#buffer;
    if (this.#options.clearsOnInterrupt === true && text !== "") {
      this.#buffer.set("");
      this.#pasted = false;
      this.#hasPaste = false;
      return false;
    }
    this.finish({ kind: "interrupt", text });
    return true;
  }

  #older(): void {
    const history = this.#options.history ?? [];
    if (this.#historyAt === 0) return;
    if (this.#historyAt === history.length) this.#draft = this.#buffer.text;
    this.#historyAt -= 1;
    this.#buffer.set(history[this.#historyAt] ?? "");
  }

  #newer(): void {
    const history = this.#options.history ?? [];
    if (this.#historyAt >= history.length) return;
    this.#historyAt += 1;
    this.#buffer.set(this.#historyAt === history.length ? this.#draft : (history[this.#historyAt] ?? ""));
  }

  /** True when the key belonged to the search. */
  #searchKey(key: Key): boolean {
    const search = this.#search;
    if (search === undefined) return false;
    const history = this.#options.history ?? [];
    const look = (from: number): void => {
      const at = history.findLastIndex((line, place) => place < from && line.includes(search.text));
      if (at >= 0) {
        search.at = at;
        this.#buffer.set(history[at] ?? "");
      }
    };
    if (key.kind === "text") {
      search.text += key.text;
      look(history.length);
      return true;
    }
    if (key.kind === "key" && key.name === "search") {
      look(search.at);
      return true;
    }
    if (key.kind === "key" && key.name === "backspace") {
      search.text = search.text.slice(0, -1);
      look(history.length);
      return true;
    }
    this.#search = undefined;
    if (key.kind === "key" && (key.name === "interrupt" || key.name === "escape")) {
      this.#buffer.set("");
      return true;
    }
    return false; // any other key takes what was found and does its own thing
  }

  #complete(): void {
    const found = this.#options.complete?.(this.#buffer.text) ?? [];
    const [first] = found;
    if (first === undefined) return;
    let common = first;
    for (const one of found) while (!one.startsWith(common)) common = common.slice(0, -1);
    const isFolder = common.endsWith("/");
    if (common.length > this.#buffer.text.length)
      this.#buffer.set(found.length === 1 && !isFolder ? `${common} ` : common);
    else if (found.length > 1) this.#terminal.line(this.#terminal.style.dim(choices(found)));
  }

  #redraw(): void {
    this.#hide();
    this.#show();
  }

  #hide(): void {
    const up = this.#cursorRow > 0 ? `\u001b[${this.#cursorRow}A` : "";
    this.#terminal.raw(`${up}\r\u001b[J`);
    this.#drawnRows = 0;
    this.#cursorRow = 0;
  }

  #show(): void {
    const { prompt, continuation = "... " } = this.#options;
    const lead = this.#search === undefined ? prompt : `(search \`${this.#search.text}\`) `;
    const { text, cursor } = this.#options.isSecret === true ? NOTHING : shownPart(this.#buffer);
    const { rows, cursor: place } = layOut(text, cursor, this.#terminal.columns, lead, continuation);
    const below = rows.length - 1 - place.row;
    const up = below > 0 ? `\u001b[${below}A` : "";
    const right = place.column > 0 ? `\u001b[${place.column}C` : "";
    this.#terminal.raw(`${rows.join("\r\n")}${up}\r${right}`);
    this.#drawnRows = rows.length;
    this.#cursorRow = place.row;
  }

  get drawnRows(): number {
    return this.#drawnRows;
  }
}

const MOST_CHOICES = 40;

/** Of whole lines that could be meant, the part in which they differ. */
function choices(lines: readonly string[]): string {
  const shown = lines.slice(0, MOST_CHOICES).map((line) => safeName(/\S+$/.exec(line)?.[0] ?? line));
  const more = lines.length > MOST_CHOICES ? [`… ${lines.length - MOST_CHOICES} more`] : [];
  return [...shown, ...more].join("  ");
}

// Names of files may hold anything.
function safeName(name: string): string {
  return makeScreenSafe(name, { oneLine: true, maxChars: 80 }).text;
}

const NOTHING = { text: "", cursor: 0 };

/** Drawn whole with every key, a long paste would flood the screen: it is named instead. */
const LONGEST_DRAWN = 8000;

function shownPart({ text, cursor }: EditBuffer): { text: string; cursor: number } {
  if (text.length <= LONGEST_DRAWN) return { text, cursor };
  const lines = text.split("\n").length;
  const shown = `[${text.length.toLocaleString("en-US")} characters in ${lines.toLocaleString("en-US")} lines] …${text.slice(-60).replaceAll("\n", " ").toWellFormed()}`;
  return { text: shown, cursor: shown.length };
}

const EDITS: Partial<Record<KeyName, (buffer: EditBuffer) => void>> = {
  backspace: (buffer) => buffer.backspace(),
  delete: (buffer) => buffer.delete(),
  left: (buffer) => buffer.left(),
  right: (buffer) => buffer.right(),
  home: (buffer) => buffer.home(),
  end: (buffer) => buffer.end(),
  "word-left": (buffer) => buffer.wordLeft(),
  "word-right": (buffer) => buffer.wordRight(),
  "delete-word": (buffer) => buffer.deleteWord(),
  "delete-word-right": (buffer) => buffer.deleteWordRight(),
  "delete-to-start": (buffer) => buffer.deleteToStart(),
  "delete-to-end": (buffer) => buffer.deleteToEnd(),
  yank: (buffer) => buffer.yank(),
};
