// A pattern in RE2 syntax, as models write it, → the same in the syntax of ripgrep's engine. Both are linear-time; they
// differ in a few spellings: `interface{}` and `[[]` are fine in RE2 and errors in the other.
import { EngineError } from "../engine-error.ts";

const MAX_PATTERN_BYTES = 64 * 1024; // one argument holds 128 KiB on Linux

export function fromRe2(pattern: string): string {
  if (!pattern.isWellFormed()) throw invalidPattern("it contains an unpaired surrogate");
  if (Buffer.byteLength(pattern) > MAX_PATTERN_BYTES) throw invalidPattern("it is too long");
  const out: string[] = [];
  for (let i = 0; i < pattern.length;) {
    const char = pattern[i] ?? "";
    if (char === "\\") {
      const escape = translateEscape(pattern, i);
      out.push(escape.text);
      i = escape.end;
    } else if (char === "[") {
      const set = translateClass(pattern, i);
      out.push(set.text);
      i = set.end;
    } else {
      out.push(char === "{" && !isRepetition(pattern, i) ? "\\{" : (SPELLED_OUT[char] ?? char));
      i += 1;
    }
  }
  return out.join("");
}

export function invalidPattern(why: string): EngineError {
  return new EngineError("INVALID_PATTERN", `invalid regex pattern: ${why}`, { reason: why });
}

/** An argument cannot hold a NUL; and a bare newline in it is meant, not a layout. */
const SPELLED_OUT: Readonly<Record<string, string>> = { "\0": "\\x00", "\n": "\\n" };

/** `{2}`, `{2,}` and `{2,5}` repeat; any other brace is a brace. */
function isRepetition(pattern: string, at: number): boolean {
  REPETITION.lastIndex = at;
  return REPETITION.test(pattern) && at > 0;
}

const REPETITION = /\{\d+(,\d*)?\}/y;
const OCTAL = /\\(0[0-7]{0,2}|[1-7][0-7]{1,2})/y;

type Piece = { readonly text: string; readonly end: number };

function translateEscape(pattern: string, at: number): Piece {
  const next = pattern[at + 1] ?? "";
  if (next === "Q") {
    const close = pattern.indexOf("\\E", at + 2);
    const quoted = pattern.slice(at + 2, close < 0 ? undefined : close);
    return { text: quoted.replace(/[\\^$.|?*+()[\]{}#&~-]/g, "\\$&"), end: close < 0 ? pattern.length : close + 2 };
  }
  // There `\<` and `\>` are word boundaries.
  if (next === "<" || next === ">") return { text: next, end: at + 2 };
  if (next === "\0" || next === "\n") return { text: SPELLED_OUT[next] ?? next, end: at + 2 };
  OCTAL.lastIndex = at;
  const octal = OCTAL.exec(pattern);
  if (octal !== null) {
    return { text: `\\x{${parseInt(octal[1] ?? "0", 8).toString(16)}}`, end: at + octal[0].length };
  }
  // `\p{Greek}`, `\P{…}` and `\x{…}` own their braces.
  const braced = /^\\[pPx]\{[^}]*\}/.exec(pattern.slice(at, at + 64));
  if (braced !== null) return { text: braced[0], end: at + braced[0].length };
  return { text: pattern.slice(at, at + 2), end: at + 2 };
}

/** In RE2 a class has no inner classes but `[:alpha:]`, and no set operators. */
function translateClass(pattern: string, at: number): Piece {
  const out = ["["];
  let i = at + 1;
  if (pattern[i] === "^") {
    out.push("^");
    i += 1;
  }
  for (let first = true; i < pattern.length; first = false) {
    const char = pattern[i] ?? "";
    if (char === "]" && !first) return { text: `${out.join("")}]`, end: i + 1 };
    const posix = /^\[:\^?[a-z]+:\]/.exec(pattern.slice(i, i + 16));
    if (posix !== null) {
      out.push(posix[0]);
      i += posix[0].length;
    } else if (char === "\\") {
      const escape = translateEscape(pattern, i);
      out.push(escape.text);
      i = escape.end;
    } else {
      const doubled = "&-~".includes(char) && pattern[i + 1] === char;
      out.push(char === "[" || char === "]" || doubled ? `\\${char}` : (SPELLED_OUT[char] ?? char));
      i += 1;
    }
  }
  // Unclosed: the engine's own message says so.
  return { text: out.join(""), end: pattern.length };
}
