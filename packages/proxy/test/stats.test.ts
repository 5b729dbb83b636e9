// What was saved: per server, tool and class, over all sessions, with everything that counts against us.
import { afterAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { countTokens, countToolTokens, ORIGINAL_KEY, Shrinker, wholeText } from "@bosun/shrink";
import { add, emptyLedger, keepLedger, readLedger, serverIn } from "../src/stats/savings-ledger.ts";
import { DESCRIBE_TOOL, OWN_TOOL_TOKENS, READ_ORIGINAL } from "../src/tools/proxy-tools.ts";
import { Savings } from "../src/stats/savings.ts";
import { bun, cleanUp, proxyCommand, faulty, folder, original, record, run, start, stateIn } from "./proxy-process.ts";

afterAll(cleanUp);

test("a text that stayed as it was beside one that got smaller is part of the sum", () => {
  const savings = new Savings();
  const words = Array.from({ length: 300 }, (_, n) => Bun.hash(String(n)).toString(36)).join(" ");
  const rows = JSON.stringify(
    Array.from({ length: 40 }, (_, id) => ({ id, name: `user${id}` })),
    undefined,
    2,
  );
  const given = { content: [words, rows].map((text) => ({ type: "text", text })) };
  const shrunk = new Shrinker().shrink(given);
  savings.result("s", "t", given, shrunk);
  const { before, after } = savings.settle().servers["s"]?.tools["t"] ?? {};
  expect(before).toEqual([countTokens(wholeText(given)), 0]);
  expect(after).toEqual([countTokens(wholeText(shrunk.result)), 0]);
});

test("what is too much to be counted is guessed in both vocabularies", () => {
  const savings = new Savings((text) => text.length);
  const given = (text: string) => ({ content: [{ type: "text", text }] });
  for (const text of ["few words", "many words ".repeat(200_000)]) {
    const result = given(text);
    savings.result("s", "t", result, new Shrinker().shrink(result));
  }
  const { before, after } = savings.settle().servers["s"]?.tools["t"] ?? {};
  expect(before?.[0]).toBeGreaterThan(100_000);
  expect(before?.[1]).toBeGreaterThan(100_000);
  expect(after).toEqual(before);
});

test.concurrent("two sessions are summed up; what was fetched back and our own tools are taken off", async () => {
  for (let session = 0; session < 2; session++) {
    await using proxied = await start({ state: "sums", options: ["--originals", "list"] });
    await proxied.names();
    const result = await proxied.client.callTool("tree");
    await proxied.call("ok", { text: "Nothing to fold in this." });
    if (session === 1) await original(proxied, result);
    // What is not there costs nothing that was saved.
    await proxied.call("read_original", { handle: "0" });
  }
  const { out } = await run(["stats", "--json"], "sums");
  const ledger = JSON.parse(out) as ReturnType<typeof emptyLedger>;
  expect(ledger).toMatchObject({ sessions: 2, ownTools: 2 * (OWN_TOOL_TOKENS["read_original"] ?? 0) });
  const sums = ledger.servers["faulty-server"];
  expect(sums?.tools["tree"]).toMatchObject({ results: 2, smaller: 2 });
  expect(sums?.tools["ok"]).toMatchObject({ results: 2, smaller: 0 });
  expect(sums?.tools["ok"]?.before).toEqual(sums?.tools["ok"]?.after);
  expect(Object.keys(sums?.classes ?? {})).toEqual(["json", "text"]);
  const [before = 0] = sums?.tools["tree"]?.before ?? [];
  // One of two trees was fetched back, whole.
  expect(ledger.retrievals).toEqual({ count: 1, tokens: before / 2 });

  const text = (await run(["stats"], "sums")).out;
  expect(text).toMatch(/faulty-server: 4 results/);
  expect(text).toMatch(/tree\s+2\s+2\s+\d+\s+\d+\s+[\d.]+ %/);
  expect(text).toMatch(/fetched back: 1 originals, \d+ tokens/);
  expect(text).toMatch(/our own tools: \d+ tokens in 2 sessions/);
  expect(text).toMatch(/net: -?\d+ tokens saved/);
  await run(["stats", "--reset"], "sums");
  expect((await run(["stats"], "sums")).out).toContain("nothing has been counted yet");
});

test.concurrent("--stats reports at the end, in two vocabularies where there are two", async () => {
  const child = Bun.spawn([...proxyCommand, "--stats", "--", ...bun, faulty, record()], {
    stdin: "pipe",
    stdout: "ignore",
    stderr: "pipe",
    env: { ...process.env, ...stateIn() },
  });
  child.stdin.write(
    [
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}',
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"tree"}}',
      "",
    ].join("\n"),
  );
  await child.stdin.end();
  const said = await new Response(child.stderr).text();
  expect(said).toMatch(/saved \(claude\)/);
  expect(said).toMatch(/results: \d+ → \d+ tokens \([\d.]+ % saved, o200k; [\d.]+ % in Claude's older vocabulary\)/);
});

test.concurrent("our own tools cost what we say they cost", () => {
  for (const tool of [READ_ORIGINAL, DESCRIBE_TOOL]) expect(OWN_TOOL_TOKENS[tool.name]).toBe(countToolTokens([tool]));
});

test.concurrent("sums written by many at once are all there, and a file that is not ours is started over", async () => {
  const place = path.join(folder, "many");
  const one = emptyLedger();
  one.sessions = 1;
  add(serverIn(one, "s").tools, "t", { before: [10, 0], after: [4, 0] }, true);
  await Promise.all(Array.from({ length: 12 }, () => keepLedger(place, one)));
  expect(readLedger(place)?.servers["s"]?.tools["t"]).toEqual({
    results: 12,
    smaller: 12,
    before: [120, 0],
    after: [48, 0],
  });
  writeFileSync(path.join(place, "proxy-savings.json"), "{ not json");
  expect(readLedger(place)).toBeUndefined();
  await keepLedger(place, one);
  expect(readLedger(place)?.sessions).toBe(1);
});

test.concurrent("names that servers make up cannot make the file large or be taken for something else", async () => {
  const place = path.join(folder, "bounded");
  const ledger = emptyLedger();
  for (let n = 0; n < 5000; n++)
    add(serverIn(ledger, "s").tools, `tool ${n}`, { before: [1, 0], after: [1, 0] }, false);
  for (const name of ["__proto__", "constructor"])
    add(serverIn(ledger, name).tools, name, { before: [1, 0], after: [1, 0] }, false);
  await keepLedger(place, ledger);
  const kept = readLedger(place);
  expect(Object.keys(kept?.servers["s"]?.tools ?? {}).length).toBeLessThanOrEqual(201);
  expect(kept?.servers["s"]?.tools["(others)"]?.results).toBe(4800);
  expect(readFileSync(path.join(place, "proxy-savings.json"), "utf8").length).toBeLessThan(100_000);
  expect(kept?.servers["constructor"]?.tools["constructor"]?.results).toBe(1);
  expect(({} as { results?: number }).results).toBeUndefined();
});

test.concurrent.each([[["stats", "--colour"]], [["pins", "burn"]], [["pins", "show", "nobody"]], [["pins", "forget"]]])(
  "%p is refused",
  async (words) => {
    expect((await run(words, "refused")).code).toBe(2);
  },
);

test.concurrent("a handle is in the result's _meta", async () => {
  await using proxied = await start();
  expect((await proxied.client.callTool("tree"))._meta?.[ORIGINAL_KEY]).toMatch(/^\d{24}$/);
});
