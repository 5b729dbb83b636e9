// Where a text holds what looks like a secret: by the shape of a token, by the name before a value, by the place in a URL.
import { isSecretName, tokenShapes, type TokenShape } from "./secret-shapes.ts";

export type SecretRange = { start: number; end: number; label: string };

const LONGEST_PEM = 32 * 1024; // the largest private keys are half of it; a missing end must not swallow the rest
const LONGEST_NAME = 64;
const LONGEST_PLACEHOLDER = 80;

/** How what was taken out is named. */
export const NOTE = "[redacted ";

const PEM = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const NAME_CHARACTER = /[A-Za-z0-9_.-]/;
// Sticky runs: each says where a stretch of its characters ends. Those without a bound are only used where the
// stretch becomes one secret and is skipped as a whole, so that no text is walked twice.
const NAME_REST = /[A-Za-z0-9_.-]{0,64}/y;
const TOKEN_RUN = /[A-Za-z0-9_+/=.~-]*/y;
const SEGMENT_RUN = /[A-Za-z0-9_-]*/y;
const VALUE_RUN = /[^\s&,;"'`<>()[\]{}|\\]*/y;
const QUOTES = /[\\"'`\]]{0,4}/y;
const BLANKS = /[ \t]{0,8}/y;
const AUTHORITY = /[^/?#\s"'<>`\\]{0,1024}/y;
const NOT_A_SECRET =
  /^(?:true|false|null|undefined|none|nil|\*+|x+|\.\.\.|…|<[^>]*>|\$\{?[A-Z_][A-Z0-9_]*\}?|\$|\[redacted[^\]]*\]?|string|number)$/i;

/** Not in order where one stands in another; linear in the length of the text. */
export function byShape(text: string): SecretRange[] {
  const found: SecretRange[] = [];
  const { trigger, byPrefix } = (triggers ??= makeTriggers());
  trigger.lastIndex = 0;
  const first = trigger.exec(text);
  if (first === null) return found;
  const failed = { jwtUntil: 0 };
  let covered = { start: -1, end: -1 };
  for (let hit: RegExpExecArray | null = first; hit !== null; hit = trigger.exec(text)) {
    // Inside a secret nothing more is looked for: that is what keeps the whole linear.
    if (hit.index >= covered.start && hit.index < covered.end) {
      trigger.lastIndex = covered.end;
      continue;
    }
    const range = rangeAt(text, hit[0], hit.index, failed, byPrefix);
    if (range !== undefined) found.push(range);
    if (range !== undefined && range.end > covered.end) covered = range;
    // One character on, so that a trigger inside a trigger, or between a name and its value, is seen.
    trigger.lastIndex = hit.index + 1;
  }
  return found;
}

function rangeAt(
  text: string,
  trigger: string,
  at: number,
  failed: { jwtUntil: number },
  byPrefix: ReadonlyMap<string, TokenShape>,
): SecretRange | undefined {
  const shape = byPrefix.get(trigger);
  if (shape !== undefined) return tokenAt(text, at, shape) ?? namedAt(text, trigger, at);
  if (trigger === "eyJ") return jwtAt(text, at, failed);
  if (trigger === "-----BEGIN ") return pemAt(text, at);
  if (trigger === "://") return passwordInUrl(text, at + 3);
  if (/^(?:bearer|basic)\s$/i.test(trigger)) return schemeAt(text, at, trigger.length);
  if (trigger.startsWith("-")) return userAt(text, at, trigger.length);
  if (trigger.startsWith("sshpass")) return wordAt(text, at + trigger.length);
  return namedAt(text, trigger, at);
}

// curl -u name:password
function userAt(text: string, at: number, length: number): SecretRange | undefined {
  if (at > 0 && /\S/.test(text.charAt(at - 1))) return undefined;
  const from = runEnd(text, runEnd(text, at + length, BLANKS), QUOTES);
  const user = text.slice(from, runEnd(text, from, AUTHORITY));
  const colon = user.indexOf(":");
  if (colon < 1 || colon + 1 === user.length || isPlaceholder(user.slice(colon + 1))) return undefined;
  return { start: from + colon + 1, end: from + user.length, label: "password" };
}

function wordAt(text: string, start: number): SecretRange | undefined {
  const end = runEnd(text, start, VALUE_RUN);
  return end === start || isPlaceholder(text.slice(start, end)) ? undefined : { start, end, label: "password" };
}

function tokenAt(text: string, at: number, shape: TokenShape): SecretRange | undefined {
  if (at > 0 && /[A-Za-z0-9]/.test(text.charAt(at - 1))) return undefined; // "task-…" holds "sk-…"
  const end = runEnd(text, at + shape.prefix.length, shape.body);
  return end - at - shape.prefix.length >= shape.min ? { start: at, end, label: shape.label } : undefined;
}

function jwtAt(text: string, at: number, failed: { jwtUntil: number }): SecretRange | undefined {
  // Within one run of characters every attempt ends at the same place: tried once, not once per "eyJ".
  if (at < failed.jwtUntil) return undefined;
  const head = runEnd(text, at, SEGMENT_RUN);
  if (head - at < 10 || text.charAt(head) !== ".") {
    failed.jwtUntil = head;
    return undefined;
  }
  const payload = runEnd(text, head + 1, SEGMENT_RUN);
  if (payload - head < 5) return undefined;
  const end = text.charAt(payload) === "." ? runEnd(text, payload + 1, TOKEN_RUN) : payload;
  return { start: at, end, label: "jwt" };
}

function pemAt(text: string, at: number): SecretRange | undefined {
  PEM.lastIndex = at;
  if (!PEM.test(text)) return undefined;
  const near = text.slice(at, at + LONGEST_PEM);
  const tail = near.indexOf("-----END ", 20);
  if (tail < 0) return { start: at, end: at + near.length, label: "private-key" };
  const close = near.indexOf("-----", tail + 9);
  return { start: at, end: close < 0 ? at + near.length : at + close + 5, label: "private-key" };
}

// scheme://user:password@host, and scheme://token@host. Only the secret goes: the host is worth reading.
function passwordInUrl(text: string, from: number): SecretRange | undefined {
  const authority = text.slice(from, runEnd(text, from, AUTHORITY));
  const at = authority.lastIndexOf("@");
  if (at < 0) return undefined;
  const colon = authority.indexOf(":");
  if (colon >= 0 && colon < at) {
    if (colon + 1 === at || isPlaceholder(authority.slice(colon + 1, at))) return undefined;
    return { start: from + colon + 1, end: from + at, label: "password" };
  }
  return at >= 16 ? { start: from, end: from + at, label: "token" } : undefined;
}

function isPlaceholder(value: string): boolean {
  return value.length <= LONGEST_PLACEHOLDER && (NOT_A_SECRET.test(value) || value.startsWith("[redacted"));
}

function schemeAt(text: string, at: number, length: number): SecretRange | undefined {
  if (at > 0 && /[A-Za-z0-9]/.test(text.charAt(at - 1))) return undefined;
  const start = runEnd(text, at + length, BLANKS);
  const end = runEnd(text, start, TOKEN_RUN);
  const token = text.slice(start, Math.min(end, start + 64));
  // "bearer certificates" is prose; a credential has digits or is long.
  if (token.length < 8 || (token.length < 24 && !/[0-9=]/.test(token))) return undefined;
  return { start, end, label: "credential" };
}

// NAME=value, "name": "value", name: value, --name value, ?name=value&…
function namedAt(text: string, trigger: string, at: number): SecretRange | undefined {
  let from = at;
  while (from > 0 && at - from < LONGEST_NAME && NAME_CHARACTER.test(text.charAt(from - 1))) from -= 1;
  const nameEnd = runEnd(text, at + trigger.length, NAME_REST);
  const written = text.slice(from, nameEnd);
  const name = written.replace(/^[-.]+/, "");
  // Our own notes name kinds of secrets; they are not names of secrets.
  if (!isSecretName(name) || text.startsWith(NOTE, from - NOTE.length)) return undefined;
  const value = valueAfter(text, nameEnd, /^--?[A-Za-z]/.test(written));
  if (value === undefined || value.end <= value.start) return undefined;
  if (isPlaceholder(text.slice(value.start, Math.min(value.end, value.start + LONGEST_PLACEHOLDER + 1))))
    return undefined;
  return { ...value, label: /^(?:set-)?cookie$/i.test(name) ? "cookie" : "secret" };
}

function valueAfter(text: string, nameEnd: number, isFlag: boolean): { start: number; end: number } | undefined {
  let at = nameEnd;
  // JSON inside a string has its quotes escaped, once or more.
  at = runEnd(text, at, QUOTES);
  const blanksEnd = runEnd(text, at, BLANKS);
  const sign = /^(?:=>|:=|=|:)/.exec(text.slice(blanksEnd, blanksEnd + 2))?.[0];
  if (sign !== undefined) at = runEnd(text, blanksEnd + sign.length, BLANKS);
  else if (isFlag && blanksEnd > at) at = blanksEnd;
  else return undefined;
  const opened = /^\\{0,3}["'`]/.exec(text.slice(at, at + 4))?.[0];
  if (opened !== undefined) return quotedValue(text, at + opened.length, opened);
  const scheme = /^(?:Bearer|Basic|Token|Digest|Negotiate)[ \t]+/i.exec(text.slice(at, at + 24))?.[0];
  if (scheme !== undefined) at += scheme.length;
  return { start: at, end: runEnd(text, at, VALUE_RUN) };
}

function quotedValue(text: string, start: number, opened: string): { start: number; end: number } {
  const limit = text.length;
  const quote = opened.at(-1) ?? '"';
  for (let at = start; at < limit; at += 1) {
    const character = text.charAt(at);
    if (character === "\n") return { start, end: at };
    if (opened.length > 1 && text.startsWith(opened, at)) return { start, end: at };
    if (opened.length === 1 && character === "\\") at += 1;
    else if (character === quote) return { start, end: at };
  }
  return { start, end: limit };
}

function runEnd(text: string, from: number, run: RegExp): number {
  run.lastIndex = from;
  return run.test(text) ? run.lastIndex : from;
}

type Triggers = { trigger: RegExp; byPrefix: ReadonlyMap<string, TokenShape> };

// One pass finds where something may begin; the handlers look at bounded surroundings only. Made on first use: a
// program that starts and answers one request has nothing to redact yet.
let triggers: Triggers | undefined;

function makeTriggers(): Triggers {
  const byPrefix = new Map(tokenShapes().map((shape) => [shape.prefix, shape]));
  const trigger = new RegExp(
    [
      ...[...byPrefix.keys()].sort((left, right) => right.length - left.length).map(escaped),
      "eyJ",
      "-----BEGIN ",
      "://",
      "[Bb]earer\\s",
      "BEARER\\s",
      "[Bb]asic\\s",
      "(?:[Pp]ass|PASS)(?=w|W|p|P|c|C)",
      "[Pp]wd|PWD",
      "[Ss]ecret|SECRET",
      "[Tt]oken|TOKEN",
      "[Kk]ey|KEY",
      "[Cc]redential|CREDENTIAL",
      "[Aa]uthorization|AUTHORIZATION",
      "[Cc]ookie|COOKIE",
      "[Jj]wt|JWT",
      "[Ss]ignature",
      "(?:-u|--user|--proxy-user|-U)[ =]",
      "sshpass -p ?",
    ].join("|"),
    "g",
  );
  return { trigger, byPrefix };
}

function escaped(literal: string): string {
  return literal.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
