// What was folded away, by handle: unguessable, per client, bounded in number, bytes and time.
import { createHmac, randomBytes } from "node:crypto";

import { compilePattern } from "./line-pattern.ts";
import type { ToolResult } from "./tool-result.ts";
import { wholeText } from "./tool-result.ts";

export type OriginalsOptions = {
  maxBytes?: number;
  maxCount?: number;
  ttlMs?: number;
  /** Makes handles repeatable, so that the same result gives the same bytes after a restart. Random by default. */
  secret?: Uint8Array;
  now?: () => number;
};

/**
 * Part of an original. Lines and bytes count from 1 and 0; the end is included for lines, excluded for bytes. A character
 * belongs to the range of bytes that it begins in: ranges that adjoin join up to the text, wherever they were cut.
 */
export type Selection = { lines?: [from: number, to: number]; bytes?: [from: number, to: number]; pattern?: string };

/** `json`: the whole result as it was put. */
export type Read = { ok: true; result: ToolResult; json?: string } | { ok: false; reason: string };

/** As text: what the caller does to its object afterwards does not reach us. */
type Kept = { client: string; json: string; bytes: number; expires: number };

const DEFAULTS = { maxBytes: 64 << 20, maxCount: 2000, ttlMs: 6 * 60 * 60 * 1000 };
/** Digits cost a third of a token each, letters twice that: 24 of them hold 80 bits in 8 tokens. */
const HANDLE_DIGITS = 24;
/** What stands in a mark. Nobody else can use it: a client only ever reads its own originals. */
const SHORT_DIGITS = 9;
/** What a search may give back. */
const MAX_MATCHES = 1000;
const LINE_BREAK = 0x0a;

export class Originals {
  readonly #limits: { maxBytes: number; maxCount: number; ttlMs: number };
  readonly #secret: Uint8Array;
  readonly #now: () => number;
  /** In the order of last use: the first is the first to go. */
  readonly #kept = new Map<string, Kept>();
  readonly #byShort = new Map<string, string>();
  #bytes = 0;

  constructor({ secret, now, ...limits }: OriginalsOptions = {}) {
    this.#limits = { ...DEFAULTS, ...limits };
    this.#secret = secret ?? randomBytes(32);
    this.#now = now ?? Date.now;
  }

  get count(): number {
    return this.#kept.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * The handle under which this client can have the result back; undefined when it is too large to keep. `json`: the
   * result as it was sent, where it is known: encoding it again would round long numbers. `isShort`: a mark names it by nine
   * digits, which are few enough to be guessed: not for a client that others share.
   */
  put(client: string, result: ToolResult, json: string = JSON.stringify(result), isShort = false): string | undefined {
    const bytes = json.length * 2;
    if (bytes > this.#limits.maxBytes) return undefined;
    const handle = this.handleOf(json);
    const key = keyOf(client, handle);
    this.#drop(key);
    this.#kept.set(key, { client, json, bytes, expires: this.#now() + this.#limits.ttlMs });
    const short = keyOf(client, shortHandle(handle));
    if (isShort)
      this.#byShort.set(short, this.#byShort.has(short) && this.#byShort.get(short) !== key ? AMBIGUOUS : key);
    this.#bytes += bytes;
    this.#makeRoom();
    return handle;
  }

  read(client: string, handle: string, selection: Selection = {}): Read {
    const full = keyOf(client, handle);
    const key = handle.length === SHORT_DIGITS ? (this.#byShort.get(full) ?? full) : full;
    // A handle of another client is not even admitted to exist.
    const kept = this.#kept.get(key);
    if (key === AMBIGUOUS) return { ok: false, reason: `more than one original is ${handle}; repeat the call` };
    if (kept === undefined)
      return { ok: false, reason: `no original ${handle} is kept for this client; repeat the call` };
    if (kept.expires <= this.#now()) {
      this.#drop(key);
      return { ok: false, reason: `the original ${handle} has expired; repeat the call` };
    }
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return select(kept.json, selection);
  }

  /** Everything of one client, when it leaves. */
  forget(client: string): void {
    for (const [key, kept] of this.#kept) if (kept.client === client) this.#drop(key);
  }

  /** The same for the same result, in any session; only its own client can do anything with it. */
  handleOf(json: string): string {
    const digest = createHmac("sha256", this.#secret).update(json).digest();
    return (BigInt(`0x${digest.toString("hex")}`) % 10n ** BigInt(HANDLE_DIGITS))
      .toString()
      .padStart(HANDLE_DIGITS, "0");
  }

  #drop(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    const short = key.slice(0, SHORT_DIGITS - HANDLE_DIGITS);
    if (this.#byShort.get(short) === key) this.#byShort.delete(short);
    this.#bytes -= kept.bytes;
  }

  #makeRoom(): void {
    const now = this.#now();
    for (const [key, kept] of this.#kept) {
      const full = this.#bytes > this.#limits.maxBytes || this.#kept.size > this.#limits.maxCount;
      if (!full && kept.expires > now) break;
      this.#drop(key);
    }
  }
}

/** As a mark names it. */
export function shortHandle(handle: string): string {
  return handle.slice(0, SHORT_DIGITS);
}

const AMBIGUOUS = "";

function keyOf(client: string, handle: string): string {
  return `${client}\0${handle}`;
}

function select(json: string, { lines, bytes, pattern }: Selection): Read {
  const result = JSON.parse(json) as ToolResult;
  if (lines === undefined && bytes === undefined && pattern === undefined) return { ok: true, result, json };
  let text = wholeText(result);
  let firstLine = 1;
  if (bytes !== undefined) {
    const [from, to] = bytes;
    if (!(from >= 0 && to >= from)) return { ok: false, reason: "bytes must be a range such as 0-1000" };
    const encoded = new TextEncoder().encode(text);
    const [start, end] = [characterAt(encoded, from), characterAt(encoded, to)];
    if (start === end && encoded.length > 0) return { ok: false, reason: nothingIn(encoded, from, to) };
    for (const byte of encoded.subarray(0, start)) if (byte === LINE_BREAK) firstLine++;
    text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(encoded.subarray(start, end));
  }
  if (lines !== undefined) {
    const [from, to] = lines;
    if (!(from >= 1 && to >= from)) return { ok: false, reason: "lines must be a range such as 1-100" };
    const all = text.split("\n");
    // What follows the last line break is a line only if there is something in it.
    const count = all.length > 1 && all.at(-1) === "" ? all.length - 1 : all.length;
    if (from > count)
      return {
        ok: false,
        reason: `there is no line ${from}: ${count === 1 ? "there is 1 line" : `there are ${count} lines`}`,
      };
    firstLine += from - 1;
    text = all.slice(from - 1, to).join("\n");
  }
  if (pattern !== undefined) {
    const compiled = compilePattern(pattern);
    if (!compiled.ok) return compiled;
    text = matchingLines(text, firstLine, compiled.matches);
  }
  return { ok: true, result: { content: [{ type: "text", text }] } };
}

/** Where the first character begins that does not begin before this byte. */
function characterAt(encoded: Uint8Array, byte: number): number {
  let at = Math.min(byte, encoded.length);
  while (((encoded[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}

function nothingIn(encoded: Uint8Array, from: number, to: number): string {
  if (from >= encoded.length) return `there is no byte ${from}: there are ${encoded.length} bytes, counted from 0`;
  if (from === to) return `the end of bytes ${from}-${to} is not part of the range: nothing is left`;
  return `no character begins within bytes ${from}-${to}: one ends at ${characterAt(encoded, from)}`;
}

function matchingLines(text: string, firstLine: number, matches: (line: string) => boolean): string {
  const found: string[] = [];
  let more = 0;
  for (const [i, line] of text.split("\n").entries()) {
    if (!matches(line)) continue;
    if (found.length < MAX_MATCHES) found.push(`${firstLine + i}:${line}`);
    else more++;
  }
  if (more > 0) found.push(`(${more} more lines match)`);
  return found.length === 0 ? "no line matches" : found.join("\n");
}
