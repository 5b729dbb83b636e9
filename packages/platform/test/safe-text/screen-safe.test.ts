import { describe, expect, test } from "bun:test";
import { createScreenSafeStream } from "../../src/safe-text/screen-safe-stream.ts";
import { framed, makeScreenSafe, screenSafe, unforged, withoutTagCharacters } from "../../src/safe-text/screen-safe.ts";

const ESC = "\u001b";

// Everything a terminal could act on, and everything a reader could not see.
const ATTACKS: [string, string][] = [
  ...range(0x00, 0x1f)
    .filter((point) => point !== 0x0a && point !== 0x09)
    .map((point): [string, string] => [`C0 control ${hex(point)}`, String.fromCharCode(point)]),
  ["delete", "\u007f"],
  ...range(0x80, 0x9f).map((point): [string, string] => [`C1 control ${hex(point)}`, String.fromCharCode(point)]),
  ["CSI cursor up", `${ESC}[5A`],
  ["CSI erase display", `${ESC}[2J`],
  ["CSI erase line", `${ESC}[2K`],
  ["CSI colour", `${ESC}[31m`],
  ["CSI device report", `${ESC}[6n`],
  ["CSI alternate screen", `${ESC}[?1049h`],
  ["CSI bracketed paste off", `${ESC}[?2004l`],
  ["CSI mouse on", `${ESC}[?1003h`],
  ["CSI with a C1 introducer", "\u009b2J"],
  ["CSI set scroll region", `${ESC}[1;2r`],
  ["CSI window report (title read back)", `${ESC}[21t`],
  ["OSC title with BEL", `${ESC}]0;owned\u0007`],
  ["OSC title with ST", `${ESC}]2;owned${ESC}\\`],
  ["OSC 8 link", `${ESC}]8;;http://evil${ESC}\\click${ESC}]8;;${ESC}\\`],
  ["OSC 52 clipboard", `${ESC}]52;c;ZXZpbA==\u0007`],
  ["OSC 1337 file", `${ESC}]1337;File=:AA==\u0007`],
  ["OSC with a C1 introducer", "\u009d0;owned\u009c"],
  ["DCS", `${ESC}P+q544e${ESC}\\`],
  ["DCS with a C1 introducer", "\u0090$q\u009c"],
  ["APC", `${ESC}_Gf=100;AAAA${ESC}\\`],
  ["PM", `${ESC}^x${ESC}\\`],
  ["SOS", `${ESC}Xx${ESC}\\`],
  ["full reset", `${ESC}c`],
  ["charset switch", `${ESC}(0`],
  ["single shift", `${ESC}N`],
  ["carriage return overwrite", "rm -rf /\rls        "],
  ["backspaces", "evil\b\b\b\bgood"],
  ["enquiry", "\u0005"],
  ["shift out", "\u000e"],
  ...[0x061c, 0x200e, 0x200f, ...range(0x202a, 0x202e), ...range(0x2066, 0x2069)].map((point): [string, string] => [
    `bidi control ${hex(point)}`,
    `a${String.fromCodePoint(point)}b`,
  ]),
  ...[
    0x200b, 0x200c, 0x2060, 0xfeff, 0x00ad, 0x034f, 0x180e, 0x2061, 0x2064, 0x206a, 0x115f, 0x3164, 0xffa0, 0x17b4,
  ].map((point): [string, string] => [`invisible ${hex(point)}`, `a${String.fromCodePoint(point)}b`]),
  ["a joiner between letters", "a\u200db"],
  ["a joiner after an emoji, before a letter", "\u{1f468}\u200db"],
  ["a joiner between digits (they take selectors, not joiners)", "1\u200d2"],
  ["line separator", "a\u2028b"],
  ["paragraph separator", "a\u2029b"],
  ...[0xe0001, 0xe0020, 0xe0041, 0xe007f].map((point): [string, string] => [
    `tag ${hex(point)}`,
    `a${String.fromCodePoint(point)}`,
  ]),
  ["variation selectors after a letter", "a\ufe01"],
  ["an emoji selector after a letter", "a\ufe0f"],
  ["a second block variation selector", "a\u{e0100}"],
  ["a selector that is not the emoji one, after an emoji", "\u2764\ufe00"],
  ["a second selector after an emoji", "\u2764\ufe0f\ufe0f"],
  ["a joiner after a mark on an emoji", "\u2764\u0301\u200d\u{1f525}"],
  ["lone high surrogate", "a\ud800b"],
  ["lone low surrogate", "a\udc00b"],
  ["swapped surrogates", "\udc00\ud800"],
  ["nonchar fffe", "\ufffe"],
  ["nonchar fdd0", "\ufdd0"],
  ["nonchar of a higher plane", "\u{1ffff}"],
  ["interlinear annotation", "\ufff9a\ufffab\ufffb"],
  ["musical format", "\u{1d173}"],
  ["a tower of combining marks", `a${"\u0301".repeat(40)}`],
];

describe("no foreign text can act on a screen or hide in it", () => {
  test.each(ATTACKS)("%s", (_, attack) => {
    for (const around of ["", "text ", "é "]) {
      const { text, escaped } = makeScreenSafe(around + attack + around);
      expect(escaped).toBeGreaterThan(0);
      expect(dangers(text, attack)).toEqual([]);
      expect(dangers(screenSafe(around + attack, { oneLine: true }), attack)).toEqual([]);
    }
  });

  test.each(ATTACKS)("in pieces, cut anywhere: %s", (_, attack) => {
    const whole = `one ${attack} two`;
    for (let cut = 0; cut <= whole.length; cut += 1) {
      const stream = createScreenSafeStream();
      const shown = stream.push(whole.slice(0, cut)) + stream.push(whole.slice(cut)) + stream.flush();
      expect(shown).toBe(screenSafe(whole));
    }
  });
});

describe("what is harmless stays as it is", () => {
  test.each([
    ["plain text", "hello\n\tworld ~ !"],
    ["letters of many scripts", "Grüße, Ελλάδα, Привет, 漢字, हिन्दी, العربية, ไทย"],
    ["a decomposed letter", "e\u0301"],
    ["emoji families", "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}"],
    ["a joined emoji with a selector", "\u2764\ufe0f\u200d\u{1f525}"],
    ["a skin tone with a joiner", "\u{1f469}\u{1f3fd}\u200d\u{1f680}"],
    ["keycaps", "1\ufe0f\u20e3 #\ufe0f\u20e3"],
    ["box drawing and backslashes", "┌──┐ C:\\new\\table"],
    ["private use icons", "\ue0b0"],
  ])("%s", (_, text) => {
    expect(makeScreenSafe(text)).toEqual({ text, escaped: 0, cut: 0 });
    for (let cut = 0; cut <= text.length; cut += 1) {
      const stream = createScreenSafeStream();
      expect(stream.push(text.slice(0, cut)) + stream.push(text.slice(cut)) + stream.flush()).toBe(text);
    }
  });
});

describe("how it is shown", () => {
  test.each([
    ["an escape sequence", "a\u001b[2Jb", "a\\x1b[2Jb"],
    ["a bidi control", "a\u202eb", "a\\u202eb"],
    ["a tag", "\u{e0041}", "\\u{e0041}"],
    ["CR LF is a line end", "a\r\nb", "a\nb"],
    ["CR alone is not", "a\rb", "a\\rb"],
  ])("%s", (_, text, shown) => {
    expect(screenSafe(text)).toBe(shown);
  });

  test("in one line, line ends and tabs are shown", () => {
    expect(screenSafe("a\nb\tc\r\nd", { oneLine: true })).toBe("a\\nb\\tc\\r\\nd");
  });

  test("escapes can be marked, a run at a time", () => {
    const mark = { open: "<", close: ">" };
    expect(screenSafe("a\u0000\u0001b\u0002", { mark })).toBe("a<\\x00\\x01>b<\\x02>");
  });

  test("a long text is cut, counted, and not in the middle of a character", () => {
    expect(makeScreenSafe("x".repeat(5000), { maxChars: 100 })).toEqual({
      text: `${"x".repeat(100)}… 4,900 more characters`,
      escaped: 0,
      cut: 4900,
    });
    expect(makeScreenSafe("ab\u{1f600}cd", { maxChars: 3 }).text).toBe("ab… 4 more characters");
  });

  test("colours of a typed command pass, nothing else does, and they end with the text", () => {
    const shown = screenSafe(`${ESC}[1;31mred${ESC}[2J${ESC}]0;t\u0007`, { colors: true });
    expect(shown).toBe(`${ESC}[1;31mred\\x1b[2J\\x1b]0;t\\x07${ESC}[0m`);
    expect(screenSafe(`${ESC}[${"1;".repeat(100)}m`, { colors: true })).toStartWith("\\x1b[");
  });

  test("colours cut anywhere are still colours", () => {
    const text = `a${ESC}[1;31mred${ESC}[0m and ${ESC}[2J`;
    for (let cut = 0; cut <= text.length; cut += 1) {
      const stream = createScreenSafeStream({ colors: true });
      const shown = stream.push(text.slice(0, cut)) + stream.push(text.slice(cut)) + stream.flush();
      expect(shown).toBe(`a${ESC}[1;31mred${ESC}[0m and \\x1b[2J${ESC}[0m`);
    }
  });
});

describe("frames cannot be forged", () => {
  test("every line of a result stands behind the frame", () => {
    expect(framed("ok\n[aish] call it? y\r\n└ done\rx")).toBe("│ ok\n│ [aish] call it? y\n│ └ done\\rx");
  });

  test("model text that imitates our lines gets a backslash", () => {
    expect(unforged("fine\n[aish] allowed\n  ┌ tool\nsee [aish] here")).toBe(
      "fine\n\\[aish] allowed\n\\  ┌ tool\nsee [aish] here",
    );
  });

  test("also when it arrives in pieces", () => {
    const text = "fine\n[aish] allowed\n  ┌ tool\n[link] and [aish]";
    for (let cut = 0; cut <= text.length; cut += 1) {
      const stream = createScreenSafeStream({ unforged: true });
      const shown = stream.push(text.slice(0, cut)) + stream.push(text.slice(cut)) + stream.flush();
      expect(shown).toBe("fine\n\\[aish] allowed\n\\  ┌ tool\n[link] and [aish]");
    }
  });

  test("words are not held back while they stream", () => {
    const stream = createScreenSafeStream({ unforged: true });
    expect(stream.push("The")).toBe("The");
    expect(stream.push(" answer")).toBe(" answer");
  });
});

test("tag characters are removed for the model, and counted", () => {
  expect(withoutTagCharacters("a\u{e0041}\u{e0042}b")).toEqual({ text: "ab", removed: 2 });
});

function dangers(whole: string, attack: string): string[] {
  // The one selector that an emoji may have is no danger.
  const text = attack.startsWith("\u2764") ? whole.replaceAll("\u2764\ufe0f", "\u2764") : whole;
  const found: string[] = [];
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    const acts = (point < 0x20 && point !== 0x0a && point !== 0x09) || (point >= 0x7f && point <= 0x9f);
    const hides =
      /[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u{e0000}-\u{e0fff}]/u.test(character) ||
      point === 0x34f ||
      (point >= 0xfe00 && point <= 0xfe0f);
    if (acts || hides) found.push(hex(point));
  }
  // What stays of an attack around an emoji is judged by the other table: here only letters surround.
  return found;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

function hex(point: number): string {
  return `U+${point.toString(16).padStart(4, "0")}`;
}
