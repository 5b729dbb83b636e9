// JSON as the benchmark compares it: scalars as they are spelled, members in order, duplicates kept.

export type Node = { raw: string } | { items: Node[] } | { members: [key: string, value: Node][] };

/** undefined: the text is not one JSON object or list. */
export function parseNode(text: string): Node | undefined {
  const reader = new Reader(text);
  const node = reader.value(0);
  return node !== undefined && !("raw" in node) && reader.atEnd() ? node : undefined;
}

export function raw(value: string): Node {
  return { raw: value };
}

/** A scalar in one spelling: strings as JSON.stringify has them, numbers as they were written. */
export function scalarText(node: Node | undefined): string | undefined {
  if (node === undefined || !("raw" in node)) return undefined;
  return node.raw.startsWith('"') ? JSON.stringify(JSON.parse(node.raw)) : node.raw;
}

export function member(node: Node | undefined, key: string): Node | undefined {
  if (node === undefined || !("members" in node)) return undefined;
  return node.members.findLast(([name]) => name === key)?.[1];
}

/** The node behind a row of keys and indices. */
export function nodeAt(node: Node | undefined, steps: readonly (string | number)[]): Node | undefined {
  let at = node;
  for (const step of steps) {
    if (typeof step === "string") at = member(at, step);
    else at = at !== undefined && "items" in at ? at.items[step] : undefined;
  }
  return at;
}

const MAX_DEPTH = 200;
// oxlint-disable-next-line no-control-regex -- no JSON string holds a control character
const TOKEN = /\s*(?:("(?:[^"\\\u0000-\u001f]|\\.)*")|(-?\d[\w.+-]*|true|false|null)|([[\]{},:]))/y;

class Reader {
  #at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  atEnd(): boolean {
    return this.#text.slice(this.#at).trim() === "";
  }

  value(depth: number): Node | undefined {
    const token = this.#next();
    if (token === undefined || depth > MAX_DEPTH) return undefined;
    if (token === "[") return this.#list(depth);
    if (token === "{") return this.#object(depth);
    return /^["\dtfn-]/.test(token) ? { raw: token } : undefined;
  }

  #list(depth: number): Node | undefined {
    const items: Node[] = [];
    if (this.#took("]")) return { items };
    for (;;) {
      const item = this.value(depth + 1);
      if (item === undefined) return undefined;
      items.push(item);
      const sign = this.#next();
      if (sign === "]") return { items };
      if (sign !== ",") return undefined;
    }
  }

  #object(depth: number): Node | undefined {
    const members: [string, Node][] = [];
    if (this.#took("}")) return { members };
    for (;;) {
      const key = this.#next();
      if (key?.startsWith('"') !== true || this.#next() !== ":") return undefined;
      const value = this.value(depth + 1);
      if (value === undefined) return undefined;
      members.push([JSON.parse(key) as string, value]);
      const sign = this.#next();
      if (sign === "}") return { members };
      if (sign !== ",") return undefined;
    }
  }

  #took(sign: string): boolean {
    const at = this.#at;
    if (this.#next() === sign) return true;
    this.#at = at;
    return false;
  }

  #next(): string | undefined {
    TOKEN.lastIndex = this.#at;
    const match = TOKEN.exec(this.#text);
    if (match === null) return undefined;
    this.#at = TOKEN.lastIndex;
    return match[1] ?? match[2] ?? match[3];
  }
}
