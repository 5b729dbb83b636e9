// JSON text ↔ tree, exactly: numbers and strings stay as they were written, keys keep their order and may repeat, and
// the white space of any regular printer is described in a few words, so that printing gives the same bytes again.

export type JsonNode =
  | { kind: "scalar"; raw: string }
  | { kind: "array"; items: JsonNode[] }
  | { kind: "object"; keys: string[]; values: JsonNode[] };

/** White space of a printer. `indent` undefined: everything on one line. */
export type JsonStyle = {
  indent?: string;
  /** Inside brackets on one line, as in { "a": 1 }. */
  pad: string;
  comma: string;
  colon: string;
  lead: string;
  trail: string;
};

/** Deeper nesting is left alone: it would cost stack, and no tool answers so. */
const MAX_DEPTH = 120;

/** The tree of a JSON object or array, or undefined when the text is anything else. `blanks` stand outside strings. */
export function parseJson(text: string): { node: JsonNode; style: JsonStyle; blanks: number } | undefined {
  const start = skipBlanks(text, 0);
  const first = text.charCodeAt(start);
  if (first !== 0x7b && first !== 0x5b) return undefined;
  const reader = new Reader(text, start);
  const node = reader.value(0);
  if (node === undefined) return undefined;
  const end = reader.at;
  if (skipBlanks(text, end) !== text.length) return undefined;
  const style = { ...styleOf(text, start), lead: text.slice(0, start), trail: text.slice(end) };
  return { node, style, blanks: reader.blanks + start + text.length - end };
}

export function printJson(node: JsonNode, style: JsonStyle): string {
  const out: string[] = [style.lead];
  if (style.indent === undefined) printInline(node, style, out);
  else printIndented(node, style, style.indent, "\n", out);
  out.push(style.trail);
  return out.join("");
}

export const COMPACT: JsonStyle = { pad: "", comma: ",", colon: ":", lead: "", trail: "" };

function printInline(node: JsonNode, style: JsonStyle, out: string[]): void {
  if (node.kind === "scalar") {
    out.push(node.raw);
    return;
  }
  const values = node.kind === "array" ? node.items : node.values;
  const [open, close] = node.kind === "array" ? ["[", "]"] : ["{", "}"];
  if (values.length === 0) {
    out.push(open, close);
    return;
  }
  out.push(open, style.pad);
  for (let i = 0; i < values.length; i++) {
    if (i > 0) out.push(style.comma);
    if (node.kind === "object") out.push(node.keys[i] ?? "", style.colon);
    printInline(values[i] as JsonNode, style, out);
  }
  out.push(style.pad, close);
}

function printIndented(node: JsonNode, style: JsonStyle, indent: string, line: string, out: string[]): void {
  if (node.kind === "scalar") {
    out.push(node.raw);
    return;
  }
  const values = node.kind === "array" ? node.items : node.values;
  const [open, close] = node.kind === "array" ? ["[", "]"] : ["{", "}"];
  if (values.length === 0) {
    out.push(open, close);
    return;
  }
  const inner = line + indent;
  for (let i = 0; i < values.length; i++) {
    out.push(i > 0 ? style.comma : open, inner);
    if (node.kind === "object") out.push(node.keys[i] ?? "", style.colon);
    printIndented(values[i] as JsonNode, style, indent, inner, out);
  }
  out.push(line, close);
}

// Guessed from the first places where white space can stand; whoever uses it prints and compares.
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

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}

export function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlank(text.charCodeAt(at))) at++;
  return at;
}

/** After the closing quote of the string that opens here; −1 when it is not a JSON string. */
export function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) return at + 1;
    if (unit < 0x20) return -1;
    if (unit !== 0x5c) continue;
    at++;
    const escaped = text.charCodeAt(at);
    if (escaped === 0x75) {
      for (let i = 1; i <= 4; i++) if (!isHex(text.charCodeAt(at + i))) return -1;
      at += 4;
    } else if (!isSimpleEscape(escaped)) return -1;
  }
  return -1;
}

function isHex(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x46) || (unit >= 0x61 && unit <= 0x66);
}

function isSimpleEscape(unit: number): boolean {
  // " \ / b f n r t
  return (
    unit === 0x22 ||
    unit === 0x5c ||
    unit === 0x2f ||
    unit === 0x62 ||
    unit === 0x66 ||
    unit === 0x6e ||
    unit === 0x72 ||
    unit === 0x74
  );
}

// After the number or word that stands here; −1 when it is neither.
function literalEnd(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === 0x74) return text.startsWith("true", start) ? start + 4 : -1;
  if (first === 0x66) return text.startsWith("false", start) ? start + 5 : -1;
  if (first === 0x6e) return text.startsWith("null", start) ? start + 4 : -1;
  const whole = first === 0x2d ? start + 1 : start;
  // A leading zero stands alone.
  let end = text.charCodeAt(whole) === 0x30 ? whole + 1 : digitsEnd(text, whole);
  if (end === whole) return -1;
  if (text.charCodeAt(end) === 0x2e && digitsEnd(text, end + 1) > end + 1) end = digitsEnd(text, end + 1);
  if ((text.charCodeAt(end) | 0x20) !== 0x65) return end;
  const sign = text.charCodeAt(end + 1);
  const power = sign === 0x2b || sign === 0x2d ? end + 2 : end + 1;
  return digitsEnd(text, power) > power ? digitsEnd(text, power) : end;
}

function digitsEnd(text: string, start: number): number {
  let at = start;
  for (let unit = text.charCodeAt(at); unit >= 0x30 && unit <= 0x39; unit = text.charCodeAt(at)) at++;
  return at;
}

class Reader {
  at: number;
  blanks = 0;
  readonly #text: string;

  constructor(text: string, at: number) {
    this.#text = text;
    this.at = at;
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

  #next(): number {
    const unit = this.#text.charCodeAt(this.at);
    if (unit > 0x20) return unit;
    const start = this.at;
    this.at = skipBlanks(this.#text, start);
    this.blanks += this.at - start;
    return this.#text.charCodeAt(this.at);
  }

  #array(depth: number): JsonNode | undefined {
    const items: JsonNode[] = [];
    this.at++;
    if (this.#next() === 0x5d) {
      this.at++;
      return { kind: "array", items };
    }
    for (;;) {
      const item = this.value(depth);
      if (item === undefined) return undefined;
      items.push(item);
      const unit = this.#next();
      this.at++;
      if (unit === 0x5d) return { kind: "array", items };
      if (unit !== 0x2c) return undefined;
    }
  }

  #object(depth: number): JsonNode | undefined {
    const keys: string[] = [];
    const values: JsonNode[] = [];
    this.at++;
    if (this.#next() === 0x7d) {
      this.at++;
      return { kind: "object", keys, values };
    }
    for (;;) {
      if (this.#next() !== 0x22) return undefined;
      const key = this.#string();
      if (key === undefined || this.#next() !== 0x3a) return undefined;
      this.at++;
      const value = this.value(depth);
      if (value === undefined) return undefined;
      keys.push(key);
      values.push(value);
      const unit = this.#next();
      this.at++;
      if (unit === 0x7d) return { kind: "object", keys, values };
      if (unit !== 0x2c) return undefined;
    }
  }
}
