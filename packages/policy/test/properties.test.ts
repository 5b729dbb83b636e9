// What must hold for every input, tried on many made from a fixed seed.
import { expect, test } from "bun:test";
import { canonicalJson, digestOf } from "@bosun/platform/json";
import { createRedactStream, createRedactor, redact } from "@bosun/platform/secrets";
import { judge } from "../src/rules/judge.ts";
import { createScreenSafeStream, makeScreenSafe } from "@bosun/platform/safe-text";
import { SettingsError, readSettings, readToml } from "@bosun/settings";
import { randomFrom, ROUNDS, type Random } from "../../platform/test/random.ts";
import { allowing, at, policy } from "./rules/policies.ts";
import { parseShell } from "./rules/tiny-shell.ts";

test("no text gets an acting or hidden character past the screen, whole or in pieces", () => {
  const random = randomFrom(1);
  for (let i = 0; i < 3000 * ROUNDS; i += 1) {
    const text = randomText(random, 1 + random.below(30));
    const { text: safe } = makeScreenSafe(text);
    // Joiners and selectors may stay inside emoji, and only there.
    const bare = safe
      .replace(
        /\p{Extended_Pictographic}(?:[\u{1f3fb}-\u{1f3ff}]|\ufe0f)*(?:\u200d(?=\p{Extended_Pictographic}))?/gu,
        "",
      )
      .replace(/[0-9#*]\ufe0f/g, "");
    for (const character of bare) {
      const point = character.codePointAt(0) ?? 0;
      const acts = (point < 0x20 && point !== 0x0a && point !== 0x09) || (point >= 0x7f && point <= 0x9f);
      if (acts || /[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(character))
        throw new Error(`U+${point.toString(16)} in ${JSON.stringify(text)}`);
    }
    const stream = createScreenSafeStream();
    let streamed = "";
    for (const piece of pieces(random, text)) streamed += stream.push(piece);
    expect(streamed + stream.flush()).toBe(safe);
  }
});

test("redaction is settled after one pass, and the same in pieces", () => {
  const random = randomFrom(2);
  const parts = [
    "password",
    "=",
    ":",
    " ",
    "\n",
    '"',
    "\\",
    "token",
    "Bearer ",
    "ghp_",
    "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9",
    "eyJhbGciOiJIUzI1",
    ".",
    "://",
    "u:p",
    "@h",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "x",
    "&",
    "--",
    "API_KEY",
    "[redacted secret]",
    "$X",
    "é",
    "'",
    "{",
    "}",
  ];
  for (let i = 0; i < 4000 * ROUNDS; i += 1) {
    const chosen = Array.from({ length: 1 + random.below(14) }, () => random.pick(parts));
    // Glued together, a note can become the beginning of a name, and the second pass takes more: with blanks it cannot.
    const apart = redact(chosen.join(" "));
    expect(redact(apart)).toBe(apart);
    const text = chosen.join("");
    const once = redact(text);
    const stream = createRedactStream(createRedactor());
    let streamed = "";
    for (const piece of pieces(random, text)) streamed += stream.push(piece);
    expect(streamed + stream.flush()).toBe(once);
  }
});

test("a settings text is read or refused with its place, never anything else", () => {
  const random = randomFrom(3);
  const parts = [
    "[",
    "]",
    "[[",
    "]]",
    "mcp",
    "rules",
    "models",
    ".",
    "=",
    " ",
    "\n",
    '"',
    "'",
    '"""',
    "true",
    "1",
    "-1",
    "1e9",
    "a",
    "servers",
    "x",
    "url",
    "{",
    "}",
    ",",
    "#",
    "\\",
    "auto_approve",
    "decide",
    '"deny"',
    "2026-01-01",
    "\u0000",
    "é",
    "\r\n",
  ];
  for (let i = 0; i < 4000 * ROUNDS; i += 1) {
    const text = Array.from({ length: 1 + random.below(25) }, () => random.pick(parts)).join("");
    for (const read of [readToml, readSettings]) {
      try {
        read("f.toml", text);
      } catch (error) {
        if (!(error instanceof SettingsError) && !String(error).includes("f.toml: ")) throw error;
        expect(String(error)).toMatch(/f\.toml(?::\d+:\d+)?: /);
      }
    }
  }
});

test("nothing is allowed that has a part no rule allows, however it is put together", () => {
  const random = randomFrom(4);
  const rules = policy({
    rules: [allowing("git status", "ls", "echo", "env", "sh", "timeout", "xargs", "find", "true", "eval", "time")],
  });
  const safe = ["git status", "ls -l", "echo hi", "true", "echo 'a; evil'"];
  const wraps: ((inner: string) => string)[] = [
    (inner) => `sh -c '${inner.replaceAll("'", "'\\''")}'`,
    (inner) => `eval '${inner.replaceAll("'", "'\\''")}'`,
    (inner) => `env ${inner}`,
    (inner) => `timeout 5 ${inner}`,
    (inner) => `( ${inner} )`,
    (inner) => `echo "$( ${inner} )"`,
    (inner) => `if true; then ${inner}; fi`,
    (inner) => `echo x | ${inner}`,
    (inner) => `${inner} | ls`,
    (inner) => `ls && ${inner}`,
    (inner) => `${inner}; ls`,
    (inner) => `find . -exec ${inner} \\;`,
    (inner) => `echo a | xargs ${inner}`,
    (inner) => `time ${inner}`,
    (inner) => `X=1 ${inner}`,
  ];
  let allowed = 0;
  for (let i = 0; i < 3000 * ROUNDS; i += 1) {
    const isEvil = random.below(2) === 1;
    let text = isEvil ? random.pick(["evil", "evil x", "ls > f", "./ls", "PATH=. ls", "git push"]) : random.pick(safe);
    for (let depth = random.below(4); depth > 0; depth -= 1) text = random.pick(wraps)(text);
    const { verdict } = judge(
      rules,
      { tool: { alias: "here", tool: "bash" }, shell: parseShell(text), cwd: "/w" },
      { parse: parseShell, realPath: (path) => path },
    );
    if (isEvil && verdict === "allow") throw new Error(`allowed: ${text}`);
    if (!isEvil && verdict === "allow") allowed += 1;
  }
  expect(allowed).toBeGreaterThan(100); // else the test would pass by refusing everything
});

test("a blocked command is never run without a word, however it is wrapped", () => {
  const random = randomFrom(5);
  const rules = policy({ blockedCommands: [at("rm -rf"), at("dd")] }, { fallback: "allow" });
  const quoted = (inner: string): string => `'${inner.replaceAll("'", "'\\''")}'`;
  // In front of a simple command, these make another one; the others may hold anything.
  const prefixes = [
    "env A=1 -i",
    "sudo -u root",
    "nice -n 3",
    "timeout -k 1 5",
    "xargs -n1",
    "nohup",
    "command",
    "flock /tmp/l",
    "setsid",
    "doas",
  ];
  const carriers: ((inner: string) => string)[] = [
    (inner) => `sh -c ${quoted(inner)}`,
    (inner) => `bash -xec ${quoted(inner)}`,
    (inner) => `eval ${quoted(inner)}`,
  ];
  const compounds: ((inner: string) => string)[] = [
    (inner) => `{ ${inner}; }`,
    (inner) => `cat <(${inner})`,
    (inner) => `while ls; do ${inner}; done`,
    (inner) => `true || ${inner}`,
    (inner) => `echo "$( ${inner} )"`,
    (inner) => `( ${inner} )`,
  ];
  for (let i = 0; i < 3000 * ROUNDS; i += 1) {
    let text = random.pick([
      "rm -rf /",
      "/bin/rm -fr x",
      "rm -r x -f",
      "r''m --force --recursive x",
      "dd of=x",
      "\\dd if=a",
    ]);
    let isSimple = true;
    for (let depth = random.below(5); depth > 0; depth -= 1) {
      const kind = random.below(3);
      if (kind === 0 && isSimple) text = `${random.pick(prefixes)} ${text}`;
      else if (kind === 1) [text, isSimple] = [random.pick(carriers)(text), true];
      else [text, isSimple] = [random.pick(compounds)(text), false];
    }
    const { verdict } = judge(
      rules,
      { tool: { alias: "here", tool: "bash" }, shell: parseShell(text) },
      { parse: parseShell },
    );
    if (verdict === "allow") throw new Error(`allowed: ${text}`);
  }
});

test("a digest is the same for the same value only", () => {
  const random = randomFrom(6);
  for (let i = 0; i < 2000 * ROUNDS; i += 1) {
    const value = randomValue(random, 4);
    const text = canonicalJson(value);
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
    expect(canonicalJson(JSON.parse(text))).toBe(text);
    expect(digestOf({ value })).not.toBe(digestOf({ value, more: 1 }));
  }
});

function randomValue(random: Random, depth: number): unknown {
  const kind = random.below(depth > 0 ? 6 : 4);
  if (kind === 0) return random.below(1000) - 500;
  if (kind === 1) return randomText(random, random.below(6)).toWellFormed();
  if (kind === 2) return random.below(2) === 1;
  if (kind === 3) return null;
  if (kind === 4) return Array.from({ length: random.below(4) }, () => randomValue(random, depth - 1));
  return Object.fromEntries(
    Array.from({ length: random.below(4) }, () => [
      random.pick(["a", "b", "é", "__proto__", "10", "9", ""]),
      randomValue(random, depth - 1),
    ]),
  );
}

function randomText(random: Random, length: number): string {
  const ranges = [
    [0x00, 0x20],
    [0x20, 0x7f],
    [0x7f, 0xa0],
    [0xa0, 0x250],
    [0x300, 0x370],
    [0x600, 0x620],
    [0x2000, 0x2070],
    [0x1f460, 0x1f470],
    [0x1f3fb, 0x1f400],
    [0xd800, 0xe000],
    [0xe0000, 0xe0100],
    [0xfe00, 0xff00],
    [0x2764, 0x2765],
    [0x200d, 0x200e],
    [0xfe0f, 0xfe10],
    [0x30, 0x3a],
  ] as const;
  return Array.from({ length }, () => {
    const [from, to] = random.pick(ranges);
    const point = from + random.below(to - from);
    return point >= 0xd800 && point < 0xe000 ? String.fromCharCode(point) : String.fromCodePoint(point);
  }).join("");
}

function pieces(random: Random, text: string): string[] {
  const found: string[] = [];
  for (let from = 0; from < text.length;) {
    const length = 1 + random.below(6);
    found.push(text.slice(from, from + length));
    from += length;
  }
  return found;
}
