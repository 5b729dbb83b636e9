// More tools than a request can hold: as many as the model takes are sent, the others are found by words and called by name,
// through the same approval.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { createServer, defineTool, object, serveConnection, string, text as toolText, transportPair } from "@bosun/mcp";
import { aish, makeHome, modelSettings } from "./home.ts";
import type { Home } from "./home.ts";
import { calls, says, startModel } from "./scripted-model.ts";
import type { ScriptedModel } from "./scripted-model.ts";
import { resultsIn } from "./chat.ts";

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

test("200 tools: 128 entries in a request; one beyond them is found, asked about by its own name, and called", async () => {
  home.settings(modelSettings(model.url));
  model.push(
    calls(["aish__find_tools", { query: "tides of the harbour" }]),
    calls(["aish__call_tool", { name: "large__zz_tide", arguments: { about: "noon" } }]),
    says("High."),
  );
  const refused = await aish(home, ["-p", "go"], { host });
  expect(refused.stderr).toContain("to allow: --allow 'large.zz_tide'");
  const offered = JSON.stringify(model.seen[0]?.body["tools"]);
  expect(toolCount()).toBeLessThanOrEqual(128);
  expect(offered).toContain("small__only"); // a large server leaves room for a small one
  expect(offered).not.toContain("large__zz_tide");
  expect(resultsIn(model)[0]).toContain('"name":"large__zz_tide"');

  model.push(calls(["aish__call_tool", { name: "large__zz_tide", arguments: { about: "noon" } }]), says("High."));
  const ran = await aish(home, ["-p", "--allow", "large.*", "go"], { host });
  expect([ran.code, ran.stdout]).toEqual([0, "High.\n"]);
  expect(resultsIn(model)).toEqual(["tide at noon"]);
});

test("a model that takes more gets them all", async () => {
  home.settings(modelSettings(model.url, "max_tools = 500"));
  model.push(says("ok"));
  await aish(home, ["-p", "go"], { host });
  expect(toolCount()).toBe(201);
});

function toolCount(): number {
  const tools = model.seen[0]?.body["tools"];
  return Array.isArray(tools) ? tools.length : 0;
}

const host = { builtIns: [server("large", 200), server("small", 1)] };

function server(alias: string, many: number) {
  const tools = Array.from({ length: many }, (_, n) =>
    defineTool({
      name: many === 1 ? "only" : n === 199 ? "zz_tide" : `tool_${n}`,
      description: n === 199 ? "Tells the tide of a harbour." : `Tool number ${n}.`,
      input: object({ about: string("what") }),
      run: async ({ about }) => toolText(`tide at ${about}`),
    }),
  );
  const open = () => {
    const [client, serverSide] = transportPair();
    void serveConnection(createServer({ name: alias, version: "1", tools }), serverSide);
    return client;
  };
  return { alias, label: alias, open };
}
