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

// The words of JSON are read in one place.
export { digitsEnd, isBlank, literalEnd, skipBlanks, stringEnd } from "@bosun/platform/json";
