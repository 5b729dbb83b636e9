import { describe, expect, test } from "bun:test";
import { decode, Encoder, estimateCodeAware, estimateHeuristic, render, renderDetailed } from "../src/index.ts";
import type { Decision, Priority } from "../src/index.ts";
import { BlockWeights } from "../src/token-budget.ts";

type Weight = { readonly priority: Priority; readonly tokens: number; readonly summaryTokens?: number };

describe("estimates", () => {
  test.each([
    ["nothing", "", 0, 0],
    ["a single character", "z", 1, 1],
    ["bytes count, not characters", "ééééé", 2, 2],
    ["characters outside the BMP have four", "😀😀😀", 3, 3],
    ["a lone surrogate counts as its replacement", "\ud800\ud800\ud800\ud800", 3, 3],
    ["30 % of the lines indented is prose", `${"a\n".repeat(7)}${" b\n".repeat(3)}`, 5, 5],
    ["31 % is code", `${"a\n".repeat(69)}${" b\n".repeat(31)}`, 57, 77],
    ["blank lines do not count", "a\n\n \n\t\n b\n", 2, 3],
    ["Unicode white space is blank, too", "\u00a0\n\u2003\u3000\u1680\n b\nc\n", 4, 6],
    ["but does not indent", "\u00a0a\n\u3000b\n", 2, 2],
    ["a CR before LF belongs to the line end", "a\r\n b\r\n", 1, 2],
    ["a CR alone does not end a line", "a\r b\r c", 1, 1],
  ])("%s", (_, text, heuristic, codeAware) => {
    expect([estimateHeuristic(text), estimateCodeAware(text)]).toEqual([heuristic, codeAware]);
  });
});

describe("allocation", () => {
  const weight = (priority: Priority, tokens: number, summaryTokens?: number): Weight =>
    summaryTokens === undefined ? { priority, tokens } : { priority, tokens, summaryTokens };

  test.each<[string, number, Weight[], Decision[]]>([
    ["critical is full, whatever it costs", 0, [weight("critical", 50, 1)], ["full"]],
    ["high fits", 10, [weight("high", 10)], ["full"]],
    ["high by its summary", 9, [weight("high", 10, 9)], ["summary"]],
    [
      "high in full when even the summary does not fit, and nothing is left",
      5,
      [weight("high", 10, 9), weight("normal", 1)],
      ["full", "placeholder"],
    ],
    ["normal by its summary", 9, [weight("normal", 10, 9)], ["summary"]],
    ["a normal placeholder is free", 5, [weight("normal", 10), weight("normal", 5)], ["placeholder", "full"]],
    ["low is never full", 1000, [weight("low", 1), weight("low", 1, 1)], ["placeholder", "summary"]],
    [
      "background costs ten, while there are ten",
      19,
      [weight("background", 1), weight("background", 1)],
      ["placeholder", "omit"],
    ],
    [
      "priority decides who is first, not position",
      10,
      [weight("normal", 10), weight("critical", 10)],
      ["placeholder", "full"],
    ],
    ["empty content always fits", 0, [weight("normal", 0)], ["full"]],
  ])("%s", (_, budget, weights, decisions) => {
    const blocks = new BlockWeights();
    for (const [index, { priority, tokens, summaryTokens }] of weights.entries()) {
      blocks.add(tokens, summaryTokens);
      blocks.prioritise(index, priority);
    }
    blocks.decide(budget);
    expect(weights.map((_, index) => blocks.outcome(index)?.decision)).toEqual(decisions);
  });
});

test("the last valid priority annotation counts, wherever it stands", async () => {
  const payload = await new Encoder()
    .addAnnotation(2, "priority", Uint8Array.of(1))
    .addAnnotation(2, "priority", Uint8Array.of(4, 99))
    .addDocument("T", "text", "plain")
    .addAnnotation(2, "priority", Uint8Array.of(9))
    .addAnnotation(2, "priority", "")
    .addAnnotation(2, "tag", Uint8Array.of(1))
    .encode();
  // A low block is never full; one of any other of these priorities would be.
  expect(render(decode(payload).blocks, { mode: "minimal", budget: 1000 })).toBe("[omitted: document T ~1tok]");
});

describe("rendering within a budget", () => {
  const context = (): Promise<Uint8Array> =>
    new Encoder()
      .addCode("go", "low.go", "package low")
      .withPriority("low")
      .addToolResult("ls", "ok", "a b c d e f g h i j k l m n o p")
      .withSummary("16 files")
      .addImage("png", "Box", Uint8Array.of(0x89, 0x50, 0xff, 0x00))
      .withPriority("background")
      .encode();

  test.each([
    [
      "minimal",
      "[omitted: code low.go ~2tok]\n\n--- ls [ok] ---\na b c d e f g h i j k l m n o p\n\n[omitted: image Box ~1tok]",
    ],
    [
      "markdown",
      "_[Omitted: code low.go, ~2 tokens]_\n\n### Tool: ls (ok)\n\na b c d e f g h i j k l m n o p\n\n_[Omitted: image Box, ~1 tokens]_",
    ],
    [
      "xml",
      '<context>\n<omitted type="code" desc="low.go" tokens="2" />\n\n<tool name="ls" status="ok">\na b c d e f g h i j k l m n o p\n</tool>\n\n<omitted type="image" desc="Box" tokens="1" />\n</context>',
    ],
  ] as const)("%s", async (mode, expected) => {
    expect(render(decode(await context()).blocks, { mode, budget: 1000 })).toBe(expected);
  });

  test("a summary of something that is not code is charged, and the whole is printed", async () => {
    const { text, blocks } = renderDetailed(decode(await context()).blocks, { mode: "minimal", budget: 3 });
    expect(text).toBe("[omitted: code low.go ~2tok]\n\n--- ls [ok] ---\na b c d e f g h i j k l m n o p");
    expect(blocks).toEqual([
      { index: 0, type: "code", decision: "placeholder", tokens: 2 },
      { index: 2, type: "tool_result", decision: "full", tokens: 7 },
      { index: 3, type: "image", decision: "omit", tokens: 1 },
    ]);
  });

  test("with summaries for all, it is the summary that is printed", async () => {
    const text = render(decode(await context()).blocks, { mode: "minimal", budget: 3, summaries: "all" });
    expect(text).toBe("[omitted: code low.go ~2tok]\n\n--- ls [ok] (summary) ---\n16 files");
  });

  test("a binary image fails the rendering, or is shown by its place", async () => {
    const { blocks } = decode(await context());
    expect(() => render(blocks)).toThrow("invalid UTF-8 in block content at index 2");
    expect(render(blocks, { mode: "minimal", binaryImages: "placeholder" })).toEndWith("[omitted: image Box ~1tok]");
  });

  test("nothing left is an error", async () => {
    const { blocks } = decode(
      await new Encoder().addDocument("T", "text", "plain").withPriority("background").encode(),
    );
    expect(() => render(blocks, { budget: 9 })).toThrow("no blocks to render");
    expect(() => render(blocks, { include: new Set(["code"]) })).toThrow("no blocks to render");
    expect(() => render([])).toThrow("no blocks to render");
  });
});
