// JSON text → tree, and the white space of its printer. Whether the tree prints to the same bytes is seen on the way:
// between every two tokens stands what this printer writes there, or not.
import type { JsonNode, JsonStyle } from "./json-syntax.ts";
import { isBlank, literalEnd, skipBlanks, stringEnd } from "./json-syntax.ts";

/** Deeper nesting is left alone: it would cost stack, and no tool answers so. */
const MAX_DEPTH = 120;
const NO_KEYS: readonly string[] = [];

/** `isExact`: printed in its style, the tree is this very text. */
export type Parsed = { node: JsonNode; style: JsonStyle; isExact: boolean };

/** The tree of a JSON object or array, or undefined when the text is anything else. */
export function parseJson(text: string): Parsed | undefined {
  const start = skipBlanks(text, 0);
  const first = text.charCodeAt(start);
  if (first !== 0x7b && first !== 0x5b) return undefined;
  const guessed = styleOf(text, start);
  const reader = new Reader(text, start, guessed);
  const node = reader.value(0);
  if (node === undefined) return undefined;
  const end = reader.at;
  if (skipBlanks(text, end) !== text.length) return undefined;
  const style = { ...guessed, lead: text.slice(0, start), trail: text.slice(end) };
  return { node, style, isExact: reader.isExact };
}

// Guessed from the first places where white space can stand.
function styleOf(text: string, start: number): Omit<JsonStyle, "lead" | "trail"> {
  const pad = text.slice(start + 1, skipBlanks(text, start + 1));
  const colonAt = findOutsideStrings(text, start, 0x3a);
  const commaAt = findOutsideStrings(text, start, 0x2c);
  const colon = colonAt < 0 ? ":" : blanksAround(text, colonAt);
  const comma = commaAt < 0 ? "," : blanksAround(text, commaAt);
  if (!pad.startsWith("\n")) return { pad, comma, colon };
  return { indent: pad.slice(1), pad: "", comma: comma.slice(0, comma.indexOf(",") + 1), colon };
}

function blanksAround(text: string, at: number): string {
  let from = at;
  while (from > 0 && isBlank(text.charCodeAt(from - 1))) from--;
  return text.slice(from, skipBlanks(text, at + 1));
}

function findOutsideStrings(text: string, start: number, unit: number): number {
  for (let at = start; at < text.length; at++) {
    const found = text.charCodeAt(at);
    if (found === unit) return at;
    if (found === 0x22) at = stringEnd(text, at) - 1;
    if (at < start) return -1;
  }
  return -1;
}

class Reader {
  at: number;
  /** Up to here, all white space is as the style has it. */
  isExact = true;
  readonly #text: string;
  readonly #style: Omit<JsonStyle, "lead" | "trail">;
  /** By depth: what stands before each value, where every value has its line. */
  readonly #lines: string[] = [];
  /** By depth: the keys of the object read last. The next one mostly has the same. */
  readonly #keys: (string[] | undefined)[] = [];

  constructor(text: string, at: number, style: Omit<JsonStyle, "lead" | "trail">) {
    this.#text = text;
    this.at = at;
    this.#style = style;
  }

  value(depth: number): JsonNode | undefined {
    const unit = this.#next();
    if (unit === 0x22) {
      const raw = this.#string();
      return raw === undefined ? undefined : { kind: "scalar", raw };
    }
    if (unit === 0x7b) return depth >= MAX_DEPTH ? undefined : this.#object(depth + 1);
    if (unit === 0x5b) return depth >= MAX_DEPTH ? undefined : this.#array(depth + 1);
    const end = literalEnd(this.#text, this.at);
    if (end < 0) return undefined;
    const raw = this.#text.slice(this.at, end);
    this.at = end;
    return { kind: "scalar", raw };
  }

  #string(): string | undefined {
    const end = stringEnd(this.#text, this.at);
    if (end < 0) return undefined;
    const raw = this.#text.slice(this.at, end);
    this.at = end;
    return raw;
  }

  // Behind any white space, which should all have been expected.
  #next(): number {
    const unit = this.#text.charCodeAt(this.at);
    if (unit > 0x20) return unit;
    const start = this.at;
    this.at = skipBlanks(this.#text, start);
    if (this.at > start) this.isExact = false;
    return this.#text.charCodeAt(this.at);
  }

  // What should stand here is skipped.
  #expect(gap: string): void {
    if (gap === "" || !this.#standsHere(gap)) {
      if (gap !== "") this.isExact = false;
      return;
    }
    this.at += gap.length;
  }

  #standsHere(wanted: string): boolean {
    const text = this.#text;
    for (let i = 0, at = this.at; i < wanted.length; i++, at++) {
      if (text.charCodeAt(at) !== wanted.charCodeAt(i)) return false;
    }
    return true;
  }

  #lineAt(depth: number): string {
    return (this.#lines[depth] ??= `\n${(this.#style.indent ?? "").repeat(depth)}`);
  }

  // An empty list is printed without white space.
  #isEmpty(closing: number): boolean {
    this.at++;
    if (this.#text.charCodeAt(this.at) === closing) return true;
    const { at } = this;
    if (!isBlank(this.#text.charCodeAt(at)) || this.#text.charCodeAt(skipBlanks(this.#text, at)) !== closing)
      return false;
    this.at = skipBlanks(this.#text, at);
    this.isExact = false;
    return true;
  }

  // From after a value to the next one, or past the bracket that closes. undefined: neither follows.
  #isLast(closing: number, depth: number): boolean | undefined {
    const { indent, pad, comma } = this.#style;
    if (this.#standsHere(comma)) {
      this.at += comma.length;
      if (indent !== undefined) this.#expect(this.#lineAt(depth));
      return false;
    }
    this.#expect(indent === undefined ? pad : this.#lineAt(depth - 1));
    const unit = this.#next();
    this.at++;
    if (unit === closing) return true;
    this.isExact = false;
    return unit === 0x2c ? false : undefined;
  }

  #array(depth: number): JsonNode | undefined {
    const items: JsonNode[] = [];
    if (this.#isEmpty(0x5d)) {
      this.at++;
      return { kind: "array", items };
    }
    this.#expect(this.#style.indent === undefined ? this.#style.pad : this.#lineAt(depth));
    for (;;) {
      const item = this.value(depth);
      if (item === undefined) return undefined;
      items.push(item);
      const isLast = this.#isLast(0x5d, depth);
      if (isLast !== false) return isLast ? { kind: "array", items } : undefined;
    }
  }

  #object(depth: number): JsonNode | undefined {
    const values: JsonNode[] = [];
    if (this.#isEmpty(0x7d)) {
      this.at++;
      return { kind: "object", keys: [], values };
    }
    this.#expect(this.#style.indent === undefined ? this.#style.pad : this.#lineAt(depth));
    const usual = this.#keys[depth] ?? NO_KEYS;
    let own: string[] | undefined;
    for (;;) {
      if (this.#next() !== 0x22) return undefined;
      const known = own === undefined ? usual[values.length] : undefined;
      if (known !== undefined && this.#standsHere(known)) this.at += known.length;
      else {
        const key = this.#string();
        if (key === undefined) return undefined;
        own ??= usual.slice(0, values.length);
        own.push(key);
      }
      if (this.#standsHere(this.#style.colon)) this.at += this.#style.colon.length;
      else {
        this.isExact = false;
        if (this.#next() !== 0x3a) return undefined;
        this.at++;
      }
      const value = this.value(depth);
      if (value === undefined) return undefined;
      values.push(value);
      const isLast = this.#isLast(0x7d, depth);
      if (isLast === undefined) return undefined;
      if (!isLast) continue;
      const keys = own ?? (values.length === usual.length ? (usual as string[]) : usual.slice(0, values.length));
      this.#keys[depth] = keys;
      return { kind: "object", keys, values };
    }
  }
}
