// Markdown as it streams: marks become looks, rows break between words, tables fit the screen, and nothing depends on how the
// text was cut.
import { expect, test } from "bun:test";
import { MarkdownStream } from "../../src/screen/markdown-stream.ts";
import { styleFor } from "../../src/screen/style.ts";

function shown(source: string, columns = 80, cut = 3): string {
  const stream = new MarkdownStream(styleFor(true), () => columns);
  let out = "";
  for (let at = 0; at < source.length; at += cut) out += stream.push(source.slice(at, at + cut));
  return out + stream.flush();
}

function plain(text: string): string {
  // eslint-disable-next-line no-control-regex -- our own styling
  return text.replace(/\u001b\[\d+m/g, "");
}

const PARAGRAPH = "The quick brown fox jumps over the lazy dog, and then it goes on to the next row of this screen.";

test.each<[string, string, string]>([
  ["a heading", "# Title\n\ntext\n", "Title\n\ntext\n"],
  ["bold and code", "Some **bold words** and `code` here\n", "Some bold words and code here\n"],
  ["stars that are none", "2 ** 3 and a*b and ** alone\n", "2 ** 3 and a*b and ** alone\n"],
  ["marks in code stay", "`a ** b` and `**`\n", "a ** b and **\n"],
  ["lists", "- one\n* two\n  - inner\n1. first\n12) twelfth\n", "• one\n• two\n  • inner\n1. first\n12) twelfth\n"],
  [
    "a fence, its code untouched",
    '```ts\nconst x = "**a**"; // - note\n```\nafter\n',
    '```ts\nconst x = "**a**"; // - note\n```\nafter\n',
  ],
  ["a fence that is longer", "~~~~\nraw\n~~~\n~~~~\nend", "~~~~\nraw\n~~~\n~~~~\nend"],
  ["what would run, to the letter", "CMD: echo **/*.ts `date`\n", "CMD: echo **/*.ts `date`\n"],
  ["a line that only begins like one", "- \n#no\n1.5 is a number\n-5\n", "•\n#no\n1.5 is a number\n-5\n"],
])("%s", (_, source, expected) => {
  for (const cut of [1, 2, 3, 7, 1000]) expect(plain(shown(source, 80, cut))).toBe(expected);
});

test("bold is bold, code is coloured, and a line ends what it began", () => {
  expect(shown("a **b** `c`\n")).toBe("a \u001b[1mb\u001b[22m \u001b[36mc\u001b[39m\n");
  expect(shown("a **b\nc\n")).toBe("a \u001b[1mb\u001b[0m\nc\n");
});

test.each([20, 40, 79])("rows break between words on %i columns; nothing is lost", (columns) => {
  for (const cut of [1, 5, 1000]) {
    const rows = plain(shown(`${PARAGRAPH}\n`, columns, cut)).split("\n");
    for (const row of rows) expect(row.length).toBeLessThan(columns);
    expect(rows.join(" ").trim()).toBe(PARAGRAPH);
  }
});

test("rows of a list item stand under its text", () => {
  expect(
    plain(shown(`- ${PARAGRAPH}\n`, 40))
      .split("\n")
      .slice(1, -1)
      .every((row) => /^ {2}\S/.test(row)),
  ).toBe(true);
});

test("scripts without blanks break anywhere, long words at the edge", () => {
  const rows = plain(shown(`${"語".repeat(50)}\n`, 21)).split("\n");
  for (const row of rows) expect(Bun.stringWidth(row)).toBeLessThan(21);
  expect(rows.join("")).toBe("語".repeat(50));
  expect(plain(shown(`https://example.com/${"x".repeat(300)} end\n`, 40)).replaceAll("\n", "")).toContain(
    "x".repeat(300),
  );
});

test("a table in columns; cells that are too wide go on below; what follows it stays", () => {
  const table =
    "| Name | What it does | Size |\n|---|:--|--:|\n| `a` | **short** | 1 |\n| longer name | something that takes more room than there is on this screen | 1,024 |\nafter\n";
  expect(plain(shown(table, 60)).split("\n")).toEqual([
    "  Name         What it does                            Size",
    "  ───────────  ─────────────────────────────────────  ─────",
    "  a            short                                      1",
    "  longer name  something that takes more room than    1,024",
    "               there is on this screen",
    "after",
    "",
  ]);
  expect(plain(shown("| no table\n| at all\n"))).toBe("| no table\n| at all\n");
  expect(plain(shown("| a |\n|---|\n| 1 |"))).toBe("  a\n  ─\n  1\n");
});

test("a row that begins where a line of ours would is marked", () => {
  for (let columns = 20; columns < 60; columns += 1) {
    const rows = plain(shown(`${PARAGRAPH} [aish] all is well ┌ and more [bosun] of it\n`, columns)).split("\n");
    for (const row of rows) expect(row).not.toMatch(/^(?:\[aish|\[bosun|[┌└│])/);
  }
});

test("words are shown as they come, not when their line is over; without colour the text is untouched", () => {
  const stream = new MarkdownStream(styleFor(true), () => 80);
  expect(stream.push("Hel")).toBe("Hel");
  expect(stream.push("lo")).toBe("lo");
  expect(stream.push(" **b")).toBe("");
  expect(plain(stream.pause())).toBe(" b");
  expect(plain(stream.push("old** and"))).toBe("old and");
  const source = "# T\n**b** `c`\n| a |\n";
  expect(new MarkdownStream(styleFor(false), () => 80).push(source)).toBe(source);
});
