// Scalars and keys of JSON as words between blanks: bare where that cannot be misread, else the JSON string itself.
import { stringEnd } from "../json-syntax.ts";
import { UnfoldError } from "./form.ts";

const BARE_VALUE = /^"[^\s"\\=[\]{}]+"$/;
const BARE_KEY = /^"[^\s"\\=[\]{}]+"$/;
const BARE_STEP = /^"[^\s"\\=.[\]{}]+"$/;
// What a person would take for a number, true, false or null.
const LITERAL = /^(?:[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|true|false|null)$/;

/** `raw`: as JSON spells it. `asString`: the heading says that all values of the column are strings. */
export function writeScalar(raw: string, asString = false): string {
  if (!raw.startsWith('"')) return raw;
  const own = raw.slice(1, -1);
  if (!BARE_VALUE.test(raw) || own === "-") return raw;
  return !asString && LITERAL.test(own) ? raw : own;
}

/** Would it stand bare in a column of strings, and only there? */
export function needsStringColumn(raw: string): boolean {
  return raw.startsWith('"') && LITERAL.test(raw.slice(1, -1));
}

/** `word`: without quotes. */
export function readScalar(word: string, asString: boolean): string {
  return asString || !LITERAL.test(word) ? `"${word}"` : word;
}

export function writeKey(raw: string): string {
  return BARE_KEY.test(raw) ? raw.slice(1, -1) : raw;
}

/** One of several keys with dots between. */
export function writeStep(raw: string): string {
  return BARE_STEP.test(raw) ? raw.slice(1, -1) : raw;
}

/** A cursor over words. */
export class WordReader {
  at = 0;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get isOver(): boolean {
    return this.at >= this.text.length;
  }

  get next(): string {
    return this.text[this.at] ?? "";
  }

  took(sign: string): boolean {
    if (!this.text.startsWith(sign, this.at)) return false;
    this.at += sign.length;
    return true;
  }

  expect(sign: string): void {
    if (!this.took(sign)) throw new UnfoldError(`no ${sign} at ${this.at} of ${this.text.slice(0, 80)}`);
  }

  /** A JSON string as it is spelled. */
  quoted(): string {
    const end = stringEnd(this.text, this.at);
    if (end < 0) throw new UnfoldError("a string has no end");
    const raw = this.text.slice(this.at, end);
    this.at = end;
    return raw;
  }

  /** A word up to one of these signs, which it must not be empty before. */
  word(stops: string): string {
    const start = this.at;
    while (!this.isOver && !stops.includes(this.next)) this.at++;
    if (this.at === start) throw new UnfoldError(`no word at ${start} of ${this.text.slice(0, 80)}`);
    return this.text.slice(start, this.at);
  }

  key(stops = ' =[]{}"'): string {
    return this.next === '"' ? this.quoted() : `"${this.word(stops)}"`;
  }
}
