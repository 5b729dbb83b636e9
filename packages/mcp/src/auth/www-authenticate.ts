// WWW-Authenticate text → challenges (RFC 9110 §11.6.1): several in one line, quoted strings, token68. Reads what is
// well formed and stops at what is not: a broken tail must not invent a challenge. And what a 401 or 403 asks of us.

type Challenge = {
  /** Lower case. */
  scheme: string;
  token68: string | undefined;
  /** Names in lower case; the first of two equal names counts. */
  params: ReadonlyMap<string, string>;
};

/** Real challenges are a few hundred bytes. */
const MAX_HEADER_LENGTH = 16 * 1024;
const MAX_CHALLENGES = 32;

export function parseChallenges(header: string | null): Challenge[] {
  if (header === null || header.length > MAX_HEADER_LENGTH) return [];
  const challenges: Challenge[] = [];
  const cursor: Cursor = { text: header, at: 0 };
  while (challenges.length < MAX_CHALLENGES) {
    skipListSeparators(cursor);
    const scheme = readToken(cursor);
    if (scheme === undefined) break;
    const challenge = readChallenge(cursor, scheme.toLowerCase());
    if (!challenge) break;
    challenges.push(challenge);
  }
  return challenges;
}

type Cursor = { text: string; at: number };

function readChallenge(cursor: Cursor, scheme: string): Challenge | undefined {
  const params = new Map<string, string>();
  const hadSpace = skipSpace(cursor);
  if (atElementEnd(cursor)) return { scheme, token68: undefined, params };
  if (!hadSpace) return undefined;
  let param = readParam(cursor);
  if (!param) {
    const token68 = readToken68(cursor);
    return token68 === undefined ? undefined : { scheme, token68, params };
  }
  while (param) {
    if (!params.has(param.name)) params.set(param.name, param.value);
    const elementEnd = cursor.at;
    skipListSeparators(cursor);
    param = readParam(cursor);
    // No further parameter: the next element, if any, opens another challenge.
    if (!param) cursor.at = elementEnd;
  }
  return { scheme, token68: undefined, params };
}

// Leaves the cursor where it was unless a whole parameter, up to the comma or the end, is there.
function readParam(cursor: Cursor): { name: string; value: string } | undefined {
  const start = cursor.at;
  const name = readToken(cursor);
  skipSpace(cursor);
  if (name !== undefined && cursor.text[cursor.at] === "=") {
    cursor.at += 1;
    skipSpace(cursor);
    const value = cursor.text[cursor.at] === '"' ? readQuoted(cursor) : readToken(cursor);
    skipSpace(cursor);
    if (value !== undefined && atElementEnd(cursor)) return { name: name.toLowerCase(), value };
  }
  cursor.at = start;
  return undefined;
}

function readQuoted(cursor: Cursor): string | undefined {
  const { text } = cursor;
  let value = "";
  for (let at = cursor.at + 1; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      cursor.at = at + 1;
      return value;
    }
    if (character === "\\") at += 1;
    value += text[at] ?? "";
  }
  return undefined;
}

function readToken(cursor: Cursor): string | undefined {
  return readPattern(cursor, /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y);
}

function readToken68(cursor: Cursor): string | undefined {
  const value = readPattern(cursor, /[A-Za-z0-9\-._~+/]+=*/y);
  skipSpace(cursor);
  return atElementEnd(cursor) ? value : undefined;
}

function readPattern(cursor: Cursor, sticky: RegExp): string | undefined {
  sticky.lastIndex = cursor.at;
  const found = sticky.exec(cursor.text)?.[0];
  cursor.at += found?.length ?? 0;
  return found;
}

function skipSpace(cursor: Cursor): boolean {
  return readPattern(cursor, /[ \t]+/y) !== undefined;
}

function skipListSeparators(cursor: Cursor): void {
  readPattern(cursor, /[ \t,]+/y);
}

function atElementEnd(cursor: Cursor): boolean {
  return cursor.at >= cursor.text.length || cursor.text[cursor.at] === ",";
}

export type AuthDemand = {
  kind: "invalid_token" | "insufficient_scope" | "dpop_nonce";
  scope: string | undefined;
  resourceMetadata: string | undefined;
  acceptsBearer: boolean;
  acceptsDpop: boolean;
};

/** What a 401 or 403 asks of us; undefined when no token of ours could change it. */
export function readDemand(status: number, headers: Headers): AuthDemand | undefined {
  if (status !== 401 && status !== 403) return undefined;
  const all = parseChallenges(headers.get("www-authenticate"));
  const ours = all.filter(({ scheme }) => scheme === "bearer" || scheme === "dpop");
  const error = param(ours, "error");
  const insufficient = error === "insufficient_scope";
  // A 403 without that word is a refusal for good; a 401 without any challenge may still have metadata at its
  // well-known place; a 401 for Basic alone is somebody else's affair.
  if (status === 403 && !insufficient) return undefined;
  if (ours.length === 0 && all.length > 0) return undefined;
  const nonce = ours.some(({ scheme, params }) => scheme === "dpop" && params.get("error") === "use_dpop_nonce");
  return {
    kind: nonce ? "dpop_nonce" : insufficient ? "insufficient_scope" : "invalid_token",
    scope: param(ours, "scope"),
    resourceMetadata: param(ours, "resource_metadata"),
    acceptsBearer: ours.length === 0 || ours.some(({ scheme }) => scheme === "bearer"),
    acceptsDpop: ours.some(({ scheme }) => scheme === "dpop"),
  };
}

function param(challenges: Challenge[], name: string): string | undefined {
  return challenges.find(({ params }) => params.has(name))?.params.get(name);
}
