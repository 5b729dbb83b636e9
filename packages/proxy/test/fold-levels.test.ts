// What a client gets at each level, and what of a tool list it needs: through the proxy, as raw lines.
import { afterAll, describe, expect, test } from "bun:test";
import { countToolTokens, ORIGINAL_KEY } from "@bosun/shrink";
import type { ToolDefinition } from "@bosun/shrink";
import { largeToolList } from "../../../bench/peers/large-tool-list.ts";
import { fits } from "../src/tools/full-schema.ts";
import { bun, cleanUp, json, listed, shown, start } from "./proxy-process.ts";
import { rawClient } from "./raw-client.ts";

afterAll(cleanUp);

const ROWS = Array.from({ length: 40 }, (_, n) => ({ id: n, name: `row number ${n}`, state: "open" }));
const TEXT = JSON.stringify(ROWS, undefined, 2);
const OTHER = JSON.stringify([...ROWS].reverse(), undefined, 2);
const resultOf = (text: string, more = ""): string =>
  `{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":${JSON.stringify(text)}}]${more}}}`;
const tools = (...definitions: object[]): string =>
  `{"jsonrpc":"2.0","id":$ID,"result":{"tools":${JSON.stringify(definitions)}}}`;
const ROWS_TOOL = { name: "rows", inputSchema: { type: "object" } };
const READ_ONLY = { ...ROWS_TOOL, annotations: { readOnlyHint: true } };
const textIn = (line: string): string => shown((JSON.parse(line) as { result: Parameters<typeof shown>[0] }).result);

describe("levels", () => {
  test.concurrent("off: every byte passes, structured content and its promise too", async () => {
    const promising = { ...ROWS_TOOL, outputSchema: { type: "object" } };
    const given = resultOf(TEXT, `,"structuredContent":${JSON.stringify(ROWS)},"x":1.0`);
    const script = { says: { "tools/list": [tools(promising)], "tool:rows": [given] } };
    await using client = await rawClient(script, ["--fold", "off"]);
    expect(await client.ask("tools/list")).toContain("outputSchema");
    const line = await client.call("rows");
    expect(line.slice(line.indexOf('"result"'))).toBe(given.slice(given.indexOf('"result"')));
  });

  test.concurrent("off with a render mode that is named: rendered all the same", async () => {
    const script = { says: { "tool:rows": [resultOf(TEXT)] } };
    await using client = await rawClient(script, ["--fold", "off", "--render-mode", "minimal"]);
    expect(textIn(await client.call("rows"))).toContain(JSON.stringify(ROWS));
  });

  test.concurrent("of one server or one tool the level may be another", async () => {
    const says = { "tool:rows": [resultOf(TEXT)], "tool:more": [resultOf(TEXT)] };
    const options = ["--fold", "off", "--fold", "scripted-server=plain", "--fold", "scripted-server.more=off"];
    await using client = await rawClient({ says }, options);
    expect(textIn(await client.call("rows"))).toStartWith("[bosun: JSON");
    expect(textIn(await client.call("more"))).toBe(TEXT);
  });

  test.concurrent("plain: who asks again gets it whole, twice and thrice; what has changed is folded", async () => {
    const says = { "tool:rows": [resultOf(TEXT)], "tool:turns": ["$LINE"] };
    await using client = await rawClient({ says });
    const [first, second, third] = [await client.call("rows"), await client.call("rows"), await client.call("rows")];
    expect(textIn(first)).toStartWith("[bosun: ");
    expect([textIn(second), textIn(third)]).toEqual([TEXT, TEXT]);
  });

  test.concurrent("a mark invites to repeat a call only where that changes nothing", async () => {
    const says = { "tools/list": [tools(READ_ONLY, { ...ROWS_TOOL, name: "other" })] };
    const script = { says: { ...says, "tool:rows": [resultOf(TEXT)], "tool:other": [resultOf(OTHER)] } };
    await using client = await rawClient(script);
    expect(textIn(await client.call("rows"))).toContain("; repeat the call for the original]");
    expect(textIn(await client.call("other"))).not.toContain("repeat the call");
  });

  test.concurrent("--originals list: read_original takes the number in the mark, and is not folded", async () => {
    const script = { says: { "tool:rows": [resultOf(TEXT)] } };
    await using client = await rawClient(script, ["--originals", "list"]);
    const [, id] = /; original: read_original (\d{9})\]/.exec(textIn(await client.call("rows"))) ?? [];
    const read = async (args: object): Promise<string> =>
      textIn(await client.ask("tools/call", JSON.stringify({ name: "read_original", arguments: args })));
    expect(await read({ id })).toBe(TEXT);
    expect(await read({ id, lines: "1-1" })).toBe("[");
  });

  test.concurrent("the same result has the same bytes in every session", async () => {
    const lines: string[] = [];
    for (const calls of [["rows"], ["other", "rows"]]) {
      const script = { says: { "tool:rows": [resultOf(TEXT)], "tool:other": [resultOf(OTHER)] } };
      await using client = await rawClient(script, ["--originals", "list"], "same-bytes");
      for (const name of calls) {
        const line = await client.call(name);
        if (name === "rows") lines.push(line.slice(line.indexOf('"result"')));
      }
    }
    expect(lines[0]).toContain(ORIGINAL_KEY);
    expect(lines[0]).toBe(lines[1] ?? "");
  });
});

describe("--tool-list lazy", () => {
  const WHOLE: ToolDefinition[] = largeToolList();
  const file = (): string => json({ name: "large", tools: WHOLE });

  test.concurrent("all names are there, every parameter has its type, and describe_tool has the rest", async () => {
    await using proxied = await start({ options: ["--tool-list", "lazy"], server: [...bun, listed, file()] });
    const lazy = await proxied.client.listTools();
    expect(lazy.map(({ name }) => name)).toEqual([...WHOLE.map(({ name }) => name), "describe_tool"]);
    expect(countToolTokens(lazy as ToolDefinition[])).toBeLessThan(countToolTokens(WHOLE) * 0.5);
    const [first] = WHOLE;
    const described = await proxied.call("describe_tool", { name: first?.name });
    expect(JSON.parse(described.text)).toEqual(first as object);
  });

  test.concurrent("a short list stays whole, without describe_tool", async () => {
    await using proxied = await start({ options: ["--tool-list", "lazy"] });
    expect(await proxied.names()).not.toContain("describe_tool");
  });

  const schema = {
    type: "object",
    properties: { state: { type: "string", enum: ["open", "closed"], description: "Which." } },
    required: ["state"],
  };
  const strict = { name: "strict", description: "Takes a state.", inputSchema: schema };

  test.concurrent.each([
    ["an error result", '"result":{"isError":true,"content":[{"type":"text","text":"no such state"}]}'],
    ["a refusal of the arguments", '"error":{"code":-32602,"message":"no such state"}'],
  ])("the first wrong call's error carries the schema, once: %s", async (_, answer) => {
    const says = { "tools/list": [tools(strict)], "tool:strict": [`{"jsonrpc":"2.0","id":$ID,${answer}}`] };
    await using client = await rawClient({ says }, ["--tool-list", "lazy"]);
    const wrong = (): Promise<string> => client.ask("tools/call", '{"name":"strict","arguments":{"state":"new"}}');
    const first = await wrong();
    expect(first).toContain("no such state");
    expect(first).toContain("[bosun: full schema of strict]");
    expect(first).toContain(JSON.stringify(JSON.stringify(schema)).slice(1, -1));
    expect(await wrong()).not.toContain("full schema");
  });

  test.concurrent("an error of a call that fits is passed on as it is", async () => {
    const error = '"result":{"isError":true,"content":[{"type":"text","text":"disk full"}]}';
    const says = { "tools/list": [tools(strict)], "tool:strict": [`{"jsonrpc":"2.0","id":$ID,${error}}`] };
    await using client = await rawClient({ says }, ["--tool-list", "lazy"]);
    const line = await client.ask("tools/call", '{"name":"strict","arguments":{"state":"open"}}');
    expect(line.slice(line.indexOf('"result"'))).toBe(`${error}}`);
  });

  test.concurrent("--compress-tools full means lazy, and says so in one line", async () => {
    let said = "";
    const options = ["--compress-tools", "full"];
    const onStderr = (text: string): void => void (said += text);
    await using proxied = await start({ options, server: [...bun, listed, file()], onStderr });
    expect(await proxied.names()).toContain("describe_tool");
    expect(said).toBe("bosun proxy: --compress-tools is now --tool-list lazy\n");
  });
});

test.each<[unknown, object, boolean]>([
  [{ a: 1 }, { type: "object", properties: { a: { type: "integer" } } }, true],
  [{ a: 1.5 }, { type: "object", properties: { a: { type: "integer" } } }, false],
  [{}, { type: "object", required: ["a"] }, false],
  [{ b: 1 }, { type: "object", properties: {}, additionalProperties: false }, false],
  [["x", 1], { type: "array", items: { type: "string" } }, false],
  [null, { type: ["string", "null"] }, true],
  ["b", { enum: ["a", "b"] }, true],
  ["c", { enum: ["a", "b"] }, false],
])("%j fits %j: %p", (value, schema, expected) => {
  expect(fits(value as never, schema)).toBe(expected);
});
