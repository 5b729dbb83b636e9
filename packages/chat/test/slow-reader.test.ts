// Whatever is said reaches a reader that takes its time: 10 MB, every way of answering, and the end by a signal.
import { afterEach, beforeEach, expect, test } from "bun:test";
import path from "node:path";
import { odd } from "./chat.ts";
import { AISH, makeHome, modelSettings, processesIn, ROOT } from "./home.ts";
import type { Home } from "./home.ts";
import { says, startModel } from "./scripted-model.ts";
import type { ScriptedModel } from "./scripted-model.ts";

const BOSUN = path.join(ROOT, "packages/cli/src/main.ts");
const LONG = `${"A line of an answer. ".repeat(500_000)}end`;

let home: Home;
let model: ScriptedModel;
beforeEach(() => {
  home = makeHome();
  model = startModel();
});
afterEach(async () => {
  await model.stop();
  home.remove();
});

/** Between two other programs, because Bun reads ahead what its children say. */
async function read(words: readonly string[], reader: string): Promise<{ text: string; code: number }> {
  const bun = [process.execPath, "--no-env-file", "--config=/dev/null", ...words];
  const child = Bun.spawn(
    ["bash", "-c", `"$@" 2>/dev/null </dev/null | { ${reader}; }; exit \${PIPESTATUS[0]}`, "bash", ...bun],
    {
      cwd: home.work,
      env: home.env,
      stdout: "pipe",
      stderr: "inherit",
    },
  );
  const text = await new Response(child.stdout).text();
  return { text, code: await child.exited };
}

test.each([
  ["text", [AISH, "-p", "hi"], (text: string) => text === `${LONG}\n`],
  ["all its text", [AISH, "-p", "--all", "hi"], (text: string) => text === `${LONG}\n`],
  [
    "one object",
    [AISH, "-p", "--format", "json", "hi"],
    (text: string) => (JSON.parse(text) as { text: string }).text === LONG,
  ],
  [
    "events",
    [AISH, "-p", "--format", "jsonl", "hi"],
    (text: string) => (JSON.parse(text.trim().split("\n").at(-1) ?? "") as { text: string }).text === LONG,
  ],
  ["text of `bosun chat`", [BOSUN, "chat", "--no-mcp", "-p", "hi"], (text: string) => text === `${LONG}\n`],
])("10 MB as %s reach a slow reader", async (_, words, isWhole) => {
  home.settings(modelSettings(model.url));
  model.push(says(LONG));
  const { text, code } = await read(words, "sleep 0.5; cat");
  expect({ isWhole: isWhole(text), code }).toEqual({ isWhole: true, code: 0 });
});

test.each([
  ["aish", [AISH]],
  ["bosun chat", [BOSUN, "chat"]],
])("10 MB of a tool called by hand reach a slow reader: %s mcp call", async (_, words) => {
  home.settings(`${modelSettings(model.url)}${odd()}`);
  const { text, code } = await read([...words, "mcp", "call", "odd.big"], "sleep 0.5; cat");
  expect(text.trimEnd().split("\n").length).toBe(200_000);
  expect(code).toBe(0);
});

test("the words of a list reach a slow reader", async () => {
  home.settings(`${modelSettings(model.url)}${odd()}`);
  expect((await read([AISH, "mcp", "tools"], "sleep 0.5; cat")).text).toContain("odd.echo");
});

test("a reader that has enough ends the run, with 0 and without a process left", async () => {
  home.settings(`${modelSettings(model.url)}${odd()}`);
  model.push(says(LONG));
  const { text, code } = await read([AISH, "-p", "--all", "hi"], "head -c 20");
  expect({ text: text.length, code }).toEqual({ text: 20, code: 0 });
  expect(processesIn(home.work)).toEqual([]);
});
