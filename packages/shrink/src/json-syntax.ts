// JSON as a tree that prints to the same bytes: numbers and strings stay as they were written, keys keep their order and
// may repeat, and the white space of any regular printer is described in a few words. json-parse.ts makes such trees.

export type JsonScalar = { kind: "scalar"; raw: string };

/** Nodes may share their lists of keys: nobody may change them. */
export type JsonNode =
  JsonScalar | { kind: "array"; items: JsonNode[] } | { kind: "object"; keys: string[]; values: JsonNode[] };

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

export function printJson(node: JsonNode, style: JsonStyle): string {
  const printer = new Printer(style);
  printer.value(node, 0);
  return style.lead + printer.out.join("") + style.trail;
}

export const COMPACT: JsonStyle = { pad: "", comma: ",", colon: ":", lead: "", trail: "" };

/** What is printed before each value of an object that has these keys. */
type Openings = { keys: readonly string[]; before: string[] };

class Printer {
  readonly out: string[] = [];
  readonly #style: JsonStyle;
  /** By depth: what stands before a value, and before the bracket that closes. */
  readonly #gaps: { open: string; close: string }[] = [];
  /** By depth, of the object printed last: the next one mostly has the same keys. */
  readonly #openings: (Openings | undefined)[] = [];

  constructor(style: JsonStyle) {
    this.#style = style;
  }

  value(node: JsonNode, depth: number): void {
    if (node.kind === "scalar") this.out.push(node.raw);
    else if (node.kind === "array") this.#array(node.items, depth);
    else this.#object(node.keys, node.values, depth);
  }

  #array(items: readonly JsonNode[], depth: number): void {
    if (items.length === 0) {
      this.out.push("[]");
      return;
    }
    const { open, close } = this.#gapsAt(depth);
    const [first, next] = [`[${open}`, this.#next(open)];
    for (let i = 0; i < items.length; i++) {
      this.out.push(i === 0 ? first : next);
      this.value(items[i] as JsonNode, depth + 1);
    }
    this.out.push(close, "]");
  }

  #object(keys: readonly string[], values: readonly JsonNode[], depth: number): void {
    if (values.length === 0) {
      this.out.push("{}");
      return;
    }
    let openings = this.#openings[depth];
    if (openings?.keys !== keys) this.#openings[depth] = openings = { keys, before: this.#before(keys, depth) };
    for (let i = 0; i < values.length; i++) {
      this.out.push(openings.before[i] ?? "");
      this.value(values[i] as JsonNode, depth + 1);
    }
    this.out.push(this.#gapsAt(depth).close, "}");
  }

  #before(keys: readonly string[], depth: number): string[] {
    const { open } = this.#gapsAt(depth);
    const [first, next] = [`{${open}`, this.#next(open)];
    return keys.map((key, i) => (i === 0 ? first : next) + key + this.#style.colon);
  }

  // Between two values. On one line the comma has its blanks with it.
  #next(open: string): string {
    return this.#style.indent === undefined ? this.#style.comma : this.#style.comma + open;
  }

  #gapsAt(depth: number): { open: string; close: string } {
    const { indent, pad } = this.#style;
    return (this.#gaps[depth] ??=
      indent === undefined
        ? { open: pad, close: pad }
        : { open: `\n${indent.repeat(depth + 1)}`, close: `\n${indent.repeat(depth)}` });
  }
}

export function isBlank(unit: number): boolean {
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

/** After the number or word that stands here; −1 when it is neither. */
export function literalEnd(text: string, start: number): number {
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

export function digitsEnd(text: string, start: number): number {
  let at = start;
  for (let unit = text.charCodeAt(at); unit >= 0x30 && unit <= 0x39; unit = text.charCodeAt(at)) at++;
  return at;
}
