// Where the members of a JSON text stand, so that a relay can change one and leave every other byte alone: decoding and
// encoding again would round integers above 2^53, drop duplicate keys and respell numbers.
//
// Expects text that JSON.parse has accepted; on anything else the spans are meaningless but the scan still ends.

import { knownStringEnd as stringEnd, skipBlanks } from "./json-words.ts";

const [QUOTE, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x22, 0x7b, 0x7d, 0x5b, 0x5d];

export type Span = { start: number; end: number };

/** The span of the value at `path` (member names, or element numbers), or undefined if there is none. */
export function spanAt(text: string, path: readonly (string | number)[]): Span | undefined {
  let span: Span | undefined;
  for (const step of path) {
    const at = span?.start ?? skipBlanks(text, 0);
    span = typeof step === "string" ? memberSpan(text, at, step) : elementSpan(text, at, step);
    if (span === undefined) return undefined;
  }
  if (span !== undefined) return span;
  const start = skipBlanks(text, 0);
  return { start, end: valueEnd(text, start) };
}

/** The texts of an array's elements, exactly as they were sent. */
export function elementTexts(text: string): string[] {
  const texts: string[] = [];
  for (const span of elements(text, skipBlanks(text, 0))) texts.push(text.slice(span.start, span.end));
  return texts;
}

/** The members of an object, each value exactly as it was sent. Of duplicates all are there, in their order. */
export function memberTexts(text: string): [name: string, value: string][] {
  const members: [string, string][] = [];
  walkMembers(text, skipBlanks(text, 0), (name, start) => {
    const end = valueEnd(text, start);
    members.push([name, text.slice(start, end)]);
    return end;
  });
  return members;
}

/**
 * Walks over the object that stands there and gives its end. Whoever is told of a member walks over its value: long
 * ones are gone through once, whatever is looked for inside.
 */
export function walkMembers(text: string, at: number, valueEndOf: (name: string, start: number) => number): number {
  if (text[at] !== "{") return valueEnd(text, at);
  let cursor = skipBlanks(text, at + 1);
  while (cursor < text.length && text[cursor] === '"') {
    const keyEnd = stringEnd(text, cursor);
    const value = skipBlanks(text, skipBlanks(text, keyEnd) + 1);
    cursor = skipBlanks(text, valueEndOf(decodeKey(text.slice(cursor, keyEnd)) ?? "", value));
    if (text[cursor] !== ",") break;
    cursor = skipBlanks(text, cursor + 1);
  }
  return cursor + 1;
}

/** The same for an array. */
export function walkElements(text: string, at: number, valueEndOf: (start: number) => number): number {
  if (text[at] !== "[") return valueEnd(text, at);
  let cursor = skipBlanks(text, at + 1);
  while (cursor < text.length && text[cursor] !== "]") {
    cursor = skipBlanks(text, valueEndOf(cursor));
    if (text[cursor] !== ",") break;
    cursor = skipBlanks(text, cursor + 1);
  }
  return cursor + 1;
}

/** Is anything in it nested deeper than that? Strings are skipped, not read, so long texts cost little. */
export function isDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  for (let cursor = 0; cursor < text.length; cursor++) {
    const char = text.charCodeAt(cursor);
    if (char === QUOTE) cursor = stringEnd(text, cursor) - 1;
    else if (char === OPEN_BRACE || char === OPEN_BRACKET) {
      if (++depth > limit) return true;
    } else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) depth--;
  }
  return false;
}

/** The text with each span replaced. Spans must not overlap. */
export function splice(text: string, edits: readonly (Span & { by: string })[]): string {
  let out = "";
  let from = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    out += text.slice(from, edit.start) + edit.by;
    from = edit.end;
  }
  return out + text.slice(from);
}

function memberSpan(text: string, at: number, name: string): Span | undefined {
  if (text[at] !== "{") return undefined;
  let found: Span | undefined;
  let cursor = skipBlanks(text, at + 1);
  while (cursor < text.length && text[cursor] === '"') {
    const keyEnd = stringEnd(text, cursor);
    const key = text.slice(cursor, keyEnd);
    const value = skipBlanks(text, skipBlanks(text, keyEnd) + 1);
    const end = valueEnd(text, value);
    // The last of duplicate members wins, as it does in JSON.parse.
    if (key === `"${name}"` || (key.includes("\\") && decodeKey(key) === name)) found = { start: value, end };
    cursor = skipBlanks(text, end);
    if (text[cursor] !== ",") break;
    cursor = skipBlanks(text, cursor + 1);
  }
  return found;
}

function elementSpan(text: string, at: number, index: number): Span | undefined {
  let number = 0;
  for (const span of elements(text, at)) if (number++ === index) return span;
  return undefined;
}

function* elements(text: string, at: number): Generator<Span> {
  if (text[at] !== "[") return;
  let cursor = skipBlanks(text, at + 1);
  while (cursor < text.length && text[cursor] !== "]") {
    const end = valueEnd(text, cursor);
    yield { start: cursor, end };
    cursor = skipBlanks(text, end);
    if (text[cursor] !== ",") return;
    cursor = skipBlanks(text, cursor + 1);
  }
}

/** Where the value ends that starts there. */
export function valueEnd(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === QUOTE) return stringEnd(text, at);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return scalarEnd(text, at);
  let depth = 0;
  for (let cursor = at; cursor < text.length; cursor++) {
    const char = text.charCodeAt(cursor);
    if (char === QUOTE) cursor = stringEnd(text, cursor) - 1;
    else if (char === OPEN_BRACE || char === OPEN_BRACKET) depth++;
    else if ((char === CLOSE_BRACE || char === CLOSE_BRACKET) && --depth === 0) return cursor + 1;
  }
  return text.length;
}

function scalarEnd(text: string, at: number): number {
  let cursor = at;
  while (cursor < text.length && !",]} \t\r\n".includes(text[cursor] ?? ",")) cursor++;
  return Math.max(cursor, at + 1);
}

function decodeKey(quoted: string): string | undefined {
  try {
    return String(JSON.parse(quoted));
  } catch {
    // Not JSON, then: its spans mean nothing, as said above.
    return undefined;
  }
}
