// JSON with positions. JSON.parse knows neither where a value stood nor that a key came twice, and it rounds numbers.

export type Json = JsonObject | JsonArray | JsonString | JsonNumber | JsonLiteral;

export type JsonObject = {
  readonly kind: "object";
  readonly at: number;
  readonly members: Map<string, Json>;
  /** The first key that came twice. */
  duplicate?: { readonly key: string; readonly at: number };
};
export type JsonArray = { readonly kind: "array"; readonly at: number; readonly items: Json[] };
export type JsonString = { readonly kind: "string"; readonly at: number; readonly value: string };
/** The number as it was written. */
export type JsonNumber = { readonly kind: "number"; readonly at: number; readonly text: string };
export type JsonLiteral = { readonly kind: "true" | "false" | "null"; readonly at: number };

/** Text that is not JSON, and where. */
export class JsonError extends Error {
  override readonly name = "JsonError";
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

// A value takes about this much besides its text. Ten megabytes of `[[[[` would become a gigabyte.
const VALUE_COST = 150;
const FREE_BYTES = 64 * 1024 * 1024;
const BYTES_PER_CHAR = 4;

/** Parses all of `text`. No recursion: nesting is as deep as the text says. */
export function parseJson(text: string): Json {
  const scanner = new Scanner(text, (FREE_BYTES + BYTES_PER_CHAR * text.length) / VALUE_COST);
  const open: (JsonObject | JsonArray)[] = [];
  const keys: string[] = [];
  for (;;) {
    let done: Json | undefined = scanner.value();
    if (done.kind === "object" || done.kind === "array") {
      if (!scanner.closes(done)) {
        open.push(done);
        if (done.kind === "object") keys.push(scanner.key(done));
        done = undefined;
      }
    }
    while (done) {
      const parent = open.at(-1);
      if (!parent) {
        scanner.finish();
        return done;
      }
      if (parent.kind === "array") parent.items.push(done);
      else parent.members.set(keys.pop() ?? "", done);
      if (scanner.comma(parent)) {
        if (parent.kind === "object") keys.push(scanner.key(parent));
        done = undefined;
      } else done = open.pop();
    }
  }
}

/** Line and column, both from 1. */
export function lineAndColumn(text: string, at: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let lf = text.indexOf("\n"); lf >= 0 && lf < at; lf = text.indexOf("\n", lf + 1)) {
    line++;
    start = lf + 1;
  }
  return { line, column: at - start + 1 };
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
// oxlint-disable-next-line no-control-regex -- JSON forbids raw control characters: this is where they are found
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPES = new Map(
  Object.entries({ '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }),
);

class Scanner {
  private readonly text: string;
  private pos = 0;
  private valuesLeft: number;

  constructor(text: string, maxValues: number) {
    this.text = text;
    this.valuesLeft = maxValues;
  }

  /** A whole scalar, or the opening of a container. */
  value(): Json {
    this.space();
    const at = this.pos;
    if (--this.valuesLeft < 0) throw new JsonError("too many values", at);
    switch (this.text[at]) {
      case "{":
        this.pos++;
        return { kind: "object", at, members: new Map() };
      case "[":
        this.pos++;
        return { kind: "array", at, items: [] };
      case '"':
        return { kind: "string", at, value: this.string() };
      case "t":
        return this.literal("true");
      case "f":
        return this.literal("false");
      case "n":
        return this.literal("null");
      case undefined:
        throw new JsonError("EOF while parsing a value", at);
      default:
        return { kind: "number", at, text: this.number() };
    }
  }

  /** Takes the closing bracket if the container ends here. */
  closes(container: JsonObject | JsonArray): boolean {
    this.space();
    if (this.text[this.pos] !== bracketOf(container)) return false;
    this.pos++;
    return true;
  }

  /** After a member: true for a comma, false for the closing bracket. */
  comma(container: JsonObject | JsonArray): boolean {
    if (this.closes(container)) return false;
    const found = this.text[this.pos];
    if (found !== ",") throw this.unexpected(`expected \`,\` or \`${bracketOf(container)}\``);
    this.pos++;
    this.space();
    if (this.text[this.pos] === bracketOf(container)) throw new JsonError("trailing comma", this.pos);
    return true;
  }

  key(object: JsonObject): string {
    this.space();
    const at = this.pos;
    if (this.text[at] !== '"') throw this.unexpected("key must be a string");
    const key = this.string();
    if (object.members.has(key)) object.duplicate ??= { key, at };
    this.space();
    if (this.text[this.pos] !== ":") throw this.unexpected("expected `:`");
    this.pos++;
    return key;
  }

  finish(): void {
    this.space();
    if (this.pos < this.text.length) throw new JsonError("trailing characters", this.pos);
  }

  private literal(word: "true" | "false" | "null"): Json {
    const at = this.pos;
    if (!this.text.startsWith(word, at)) throw new JsonError("expected ident", at);
    this.pos += word.length;
    return { kind: word, at };
  }

  private number(): string {
    const match = this.match(NUMBER);
    if (!match) throw new JsonError("expected value", this.pos);
    return match;
  }

  private string(): string {
    this.pos++;
    let value = "";
    for (;;) {
      value += this.match(PLAIN);
      const at = this.pos;
      const stop = this.text[this.pos++];
      if (stop === '"') return value;
      if (stop === "\\") value += this.escape(at);
      else if (stop === undefined) throw new JsonError("EOF while parsing a string", at);
      else throw new JsonError("control character found while parsing a string", at);
    }
  }

  private escape(at: number): string {
    const letter = this.text[this.pos++];
    if (letter === undefined) throw new JsonError("EOF while parsing a string", at);
    if (letter !== "u") {
      const char = ESCAPES.get(letter);
      if (char === undefined) throw new JsonError("invalid escape", at);
      return char;
    }
    const unit = this.hexUnit(at);
    if (unit < 0xd800 || unit > 0xdfff) return String.fromCharCode(unit);
    // UTF-8 has no half pairs.
    if (unit > 0xdbff || !this.text.startsWith("\\u", this.pos)) throw new JsonError("lone surrogate in escape", at);
    this.pos += 2;
    const low = this.hexUnit(at);
    if (low < 0xdc00 || low > 0xdfff) throw new JsonError("lone surrogate in escape", at);
    return String.fromCharCode(unit, low);
  }

  private hexUnit(at: number): number {
    const digits = this.text.slice(this.pos, this.pos + 4);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw new JsonError("invalid escape", at);
    this.pos += 4;
    return Number.parseInt(digits, 16);
  }

  private unexpected(expected: string): JsonError {
    const atEnd = this.pos >= this.text.length;
    return new JsonError(atEnd ? `EOF while parsing: ${expected}` : expected, this.pos);
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.pos;
    const [found = ""] = pattern.exec(this.text) ?? [];
    this.pos += found.length;
    return found;
  }

  private space(): void {
    for (;;) {
      const char = this.text.charCodeAt(this.pos);
      if (char !== 0x20 && char !== 0x0a && char !== 0x0d && char !== 0x09) return;
      this.pos++;
    }
  }
}

function bracketOf(container: JsonObject | JsonArray): "}" | "]" {
  return container.kind === "object" ? "}" : "]";
}
