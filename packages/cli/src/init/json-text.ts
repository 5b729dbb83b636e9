// JSON, with the comments and trailing commas that editors allow, as places in its text: what an edit needs so that
// everything it does not touch stays byte for byte.

export type JsonNode =
  | {
      readonly kind: "object";
      readonly start: number;
      readonly end: number;
      readonly members: readonly Member[];
      readonly contentEnd: number;
    }
  | { readonly kind: "array"; readonly start: number; readonly end: number; readonly items: readonly JsonNode[] }
  | { readonly kind: "scalar"; readonly start: number; readonly end: number };

export type Member = {
  readonly key: string;
  readonly start: number;
  readonly value: JsonNode;
  /** Where the comma after it is; undefined for a last one without. */
  readonly comma: number | undefined;
};

export class JsonTextError extends Error {
  override readonly name = "JsonTextError";
}

const MAX_DEPTH = 100;
// A first cut: whether a string is one, JSON.parse decides.
const SCALAR = /"(?:[^"\\\n\r]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

export function parseJsonText(text: string): JsonNode {
  const reader = new Reader(text);
  reader.skip();
  const root = reader.node(0);
  reader.skip();
  if (reader.at < text.length) throw reader.unexpected("the end");
  return root;
}

export function valueOf(text: string, node: JsonNode): unknown {
  switch (node.kind) {
    case "scalar":
      return JSON.parse(text.slice(node.start, node.end)) as unknown;
    case "array":
      return node.items.map((item) => valueOf(text, item));
    case "object":
      return Object.fromEntries(node.members.map(({ key, value }) => [key, valueOf(text, value)]));
  }
}

/** Of two members with one key the last counts, as everywhere. */
export function memberOf(node: JsonNode | undefined, key: string): Member | undefined {
  return node?.kind === "object" ? node.members.findLast((member) => member.key === key) : undefined;
}

class Reader {
  readonly #text: string;
  at = 0;
  /** The end of what was last read that is not white space. */
  contentEnd = 0;

  constructor(text: string) {
    this.#text = text;
    if (text.startsWith("\ufeff")) this.at = 1;
  }

  node(depth: number): JsonNode {
    if (depth > MAX_DEPTH) throw this.fail("nested too deeply");
    const start = this.at;
    if (this.#accept("{")) return this.#object(start, depth);
    if (this.#accept("[")) return this.#array(start, depth);
    this.#scalar("a value");
    return { kind: "scalar", start, end: this.at };
  }

  /** White space and comments. */
  skip(): void {
    for (;;) {
      const found = this.#take(/[ \t\r\n]+/y);
      const comment = this.#take(/\/\/[^\n\r]*|\/\*[^]*?\*\//y);
      if (comment !== "") this.contentEnd = this.at;
      if (found === "" && comment === "") return;
    }
  }

  unexpected(wanted: string): JsonTextError {
    const found = this.at < this.#text.length ? JSON.stringify(this.#text[this.at]) : "the end of the file";
    return this.fail(`expected ${wanted}, found ${found}`);
  }

  fail(problem: string): JsonTextError {
    const before = this.#text.slice(0, this.at).split("\n");
    return new JsonTextError(`${before.length}:${(before.at(-1)?.length ?? 0) + 1}: ${problem}`);
  }

  #object(start: number, depth: number): JsonNode {
    const members: Member[] = [];
    this.skip();
    while (!this.#accept("}")) {
      if (members.length > 0 && members.at(-1)?.comma === undefined) throw this.unexpected('"," or "}"');
      const keyStart = this.at;
      if (this.#text[this.at] !== '"') throw this.unexpected("a key");
      const key = JSON.parse(this.#scalar("a key")) as string;
      this.skip();
      if (!this.#accept(":")) throw this.unexpected('":"');
      this.skip();
      const value = this.node(depth + 1);
      this.skip();
      const comma = this.at;
      members.push({ key, start: keyStart, value, comma: this.#accept(",") ? comma : undefined });
      this.skip();
    }
    // The closing brace itself was just read: what came before it is what counts.
    return { kind: "object", start, end: this.at, members, contentEnd: this.#beforeBrace };
  }

  #array(start: number, depth: number): JsonNode {
    const items: JsonNode[] = [];
    let isOpen = true;
    this.skip();
    while (!this.#accept("]")) {
      if (!isOpen) throw this.unexpected('"," or "]"');
      items.push(this.node(depth + 1));
      this.skip();
      isOpen = this.#accept(",");
      this.skip();
    }
    return { kind: "array", start, end: this.at, items };
  }

  #beforeBrace = 0;

  #accept(character: string): boolean {
    if (this.#text[this.at] !== character) return false;
    if (character === "}") this.#beforeBrace = this.contentEnd;
    this.at += 1;
    this.contentEnd = this.at;
    return true;
  }

  #scalar(wanted: string): string {
    const start = this.at;
    const found = this.#take(SCALAR);
    if (found === "" || !isJson(found)) {
      this.at = start;
      throw this.unexpected(wanted);
    }
    this.contentEnd = this.at;
    return found;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text)?.[0] ?? "";
    this.at += found.length;
    return found;
  }
}

function isJson(scalar: string): boolean {
  try {
    JSON.parse(scalar);
    return true;
  } catch {
    return false;
  }
}
