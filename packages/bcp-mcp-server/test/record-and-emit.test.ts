// Results as BCP: recorded to a file, or rendered for the model where that is fewer tokens.
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { decode } from "@bosun/bcp";
import type { Block } from "@bosun/bcp";
import { countTokens, ORIGINAL_KEY } from "@bosun/shrink";
import { Recording } from "../src/proxy/recording.ts";
import { cleanUp, folder, original, shown, start, unfolded } from "./proxied.ts";

afterAll(cleanUp);

const PATCH = [
  "diff --git a/a.txt b/a.txt",
  "--- a/a.txt",
  "+++ b/a.txt",
  "@@ -1,2 +1,2 @@",
  " one",
  "-two",
  "+three",
  "",
].join("\n");

function texts(blocks: readonly Block[]): string[] {
  return blocks.map((block) => ("content" in block ? new TextDecoder().decode(block.content) : block.type));
}

test.concurrent("--record writes what the servers said as one payload, typed, at the end", async () => {
  const file = path.join(folder, "session.bcp");
  {
    await using proxied = await start({ options: ["--record", file] });
    await proxied.call("plain", { text: "Just words." });
    await proxied.call("tree");
    await proxied.call("plain", { text: PATCH });
    await proxied.call("plain", { text: '{"a": [1, 2, 3], "b": {"c": "d"}}' });
    await proxied.call("plain", { text: "```ts\nexport const answer = 42;\n```" });
    expect(existsSync(file)).toBe(false);
  }
  const { blocks } = decode(new Uint8Array(readFileSync(file)));
  expect(blocks.map(({ type }) => type)).toEqual(["tool_result", "file_tree", "diff", "structured_data", "code"]);
  expect(texts(blocks)[0]).toBe("Just words.");
  expect(texts(blocks)[3]).toBe('{"a": [1, 2, 3], "b": {"c": "d"}}');
  expect(blocks[0]).toMatchObject({ toolName: "plain", status: "ok" });
  expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test.concurrent("a recording has a bound, and says what it left out", async () => {
  const file = path.join(folder, "bounded.bcp");
  const recording = new Recording(file, undefined, 1000);
  for (let n = 0; n < 5; n++) recording.add("t", { content: [{ type: "text", text: `${n}`.repeat(400) }] });
  await recording.write();
  const { blocks } = decode(new Uint8Array(readFileSync(file)));
  expect(blocks).toHaveLength(3);
  expect(texts(blocks)[2]).toContain("3 further results were not recorded");
});

test.concurrent("a recording that cannot be written is said, and the session was served all the same", async () => {
  await using proxied = await start({ options: ["--record", "/no/such/folder/x.bcp"] });
  expect((await proxied.call("ok")).text).toBe("fine");
});

describe.each(["xml", "markdown", "minimal"])("--emit bcp --render-mode %s", (mode) => {
  test.concurrent("a tree is rendered in fewer tokens, and the handle gives back every byte", async () => {
    await using proxied = await start({ options: ["--emit", "bcp", "--render-mode", mode] });
    const result = await proxied.client.callTool("tree");
    const whole = await original(proxied, result);
    expect(shown(result)).toContain(mode === "xml" ? "<tree" : "module-143.ts");
    expect(countTokens(shown(result))).toBeLessThan(countTokens(whole));
    expect(whole).toBe(JSON.stringify(JSON.parse(whole), undefined, 2));
    // A rendering cannot be taken back from itself: unfold says so and names who can.
    expect(await unfolded([{ text: shown(result), meta: result._meta }])).toEqual([undefined as unknown as string]);
  });

  test.concurrent("what would not get smaller passes as it came", async () => {
    await using proxied = await start({ options: ["--render-mode", mode] });
    for (const text of ["Just words.", PATCH, "```ts\nexport const answer = 42;\n```"]) {
      const result = await proxied.client.callTool("plain", { text });
      expect(countTokens(shown(result))).toBeLessThanOrEqual(countTokens(text));
      const [back] = await unfolded([{ text: shown(result), meta: result._meta }]);
      expect(back ?? (await original(proxied, result))).toBe(text);
    }
  });
});

test.concurrent("--emit text is folded, whatever the mode", async () => {
  await using proxied = await start({ options: ["--emit", "text", "--render-mode", "xml"] });
  const result = await proxied.client.callTool("tree");
  expect(shown(result)).not.toContain("<");
  expect(result._meta?.[ORIGINAL_KEY]).toBeString();
  expect(await unfolded([{ text: shown(result), meta: result._meta }])).toEqual([await original(proxied, result)]);
});
