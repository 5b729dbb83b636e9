// `aish mcp …`, `aish sessions`, `aish doctor`, `--help`: without a conversation, for scripts and for the first hour.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import path from "node:path";
import { aish, makeHome, modelSettings, stdioServer } from "./home.ts";
import type { Home } from "./home.ts";
import { says, startModel } from "./scripted-model.ts";
import type { ScriptedModel } from "./scripted-model.ts";

const ODD = path.join(import.meta.dir, "odd-server.ts");
const BUN = process.execPath;

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

test("add, list, tools, call, remove: the settings file stays valid all along", async () => {
  expect((await aish(home, ["mcp", "add", "odd", "--", BUN, ODD])).code).toBe(0);
  expect((await aish(home, ["mcp", "add", "odd", "http://127.0.0.1:1/mcp"])).code).toBe(2);
  expect((await aish(home, ["mcp", "add", "Not An Alias", "x"])).code).toBe(2);
  const listed = await aish(home, ["mcp", "list"]);
  expect(listed.code).toBe(0);
  expect(listed.stdout).toMatch(/odd +ready +stdio .* +11 /);
  expect((await aish(home, ["mcp", "tools", "echo"])).stdout).toMatch(/odd\.echo +Echoes what it gets\. +ask/);
  expect(await aish(home, ["mcp", "call", "odd.echo", '{"text":"hi"}'])).toMatchObject({
    code: 0,
    stdout: "you said hi\n",
  });
  expect((await aish(home, ["mcp", "call", "odd.fail"])).code).toBe(1);
  expect((await aish(home, ["mcp", "call", "odd.nope"])).code).toBe(5);
  expect((await aish(home, ["mcp", "call", "odd.echo", "{"])).stderr).toContain("line 1, column 2");
  expect((await aish(home, ["mcp", "call", "--deny", "odd.*", "odd.echo", '{"text":"hi"}'])).code).toBe(3);
  expect((await aish(home, ["mcp", "remove", "odd"])).code).toBe(0);
  expect(readFileSync(path.join(home.folder, "config/bosun/config.toml"), "utf8")).not.toContain("odd");
});

test("doctor: 0 only when all is well", async () => {
  home.settings(modelSettings(model.url, stdioServer("odd", BUN, [ODD])));
  const well = await aish(home, ["doctor"]);
  expect(well.stdout).toMatch(/ok +model +local \(scripted at 127\.0\.0\.1:\d+\): answers/);
  expect(well.stdout).toMatch(/ok +mcp odd +11 tools/);
  expect(well.code).toBe(0);
  home.settings(
    modelSettings(model.url, `${stdioServer("odd", BUN, [ODD, "dead"])}[mcp.auto_approve]\n"od.echo" = true\n`),
  );
  const ill = await aish(home, ["doctor"]);
  expect(ill.code).toBe(1);
  expect(ill.stdout).toMatch(/FAIL +mcp odd +.*cannot open the database/);
  expect(ill.stdout).toMatch(/FAIL +rules +mcp\.auto_approve "od\.echo" matches no tool/);
});

test("doctor without any model: says so, and looks at the servers all the same", async () => {
  home.settings(stdioServer("odd", BUN, [ODD]));
  const { code, stdout } = await aish(home, ["doctor"]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/FAIL +model +there is no model to talk to yet/);
  expect(stdout).toMatch(/ok +mcp odd +11 tools/);
});

test("sessions are listed with their first question; a session goes on with -c, and --fork leaves it alone", async () => {
  home.settings(modelSettings(model.url));
  model.push(says("one"), says("two"), says("three"));
  await aish(home, ["-p", "first question"]);
  const listed = await aish(home, ["sessions"]);
  expect(listed.stdout).toMatch(/\d{8}-\d{4}-\w{4} +0 min +2 +first question/);
  await aish(home, ["-p", "-c", "second"]);
  expect(JSON.stringify(model.seen.at(-1)?.body["messages"])).toContain("first question");
  await aish(home, ["-p", "-c", "--fork", "third"]);
  expect(home.files().filter(({ file }) => file.endsWith(".jsonl") && file.includes("sessions")).length).toBe(2);
  expect((await aish(home, ["-p", "--resume", "19990101", "x"])).code).toBe(2);
});

test("help teaches, and a found local model is used without settings", async () => {
  const { stdout, code } = await aish(home, ["--help"]);
  expect(code).toBe(0);
  for (const word of ["--allow", "--resume", "[models.local]", "Exit: 0"]) expect(stdout).toContain(word);
  model.push(says("found me"));
  const port = Number(new URL(model.url).port);
  const host = { usualModels: [{ program: "Ollama", port }] };
  const ran = await aish(home, ["-p", "hi"], { host });
  expect(ran).toMatchObject({ code: 0, stdout: "found me\n" });
  expect(ran.stderr).toContain("found Ollama");
  expect(model.seen[0]?.body["model"]).toBe("scripted");
  expect((await aish(home, ["-p", "hi"])).stderr).toContain("there is no model to talk to yet");
});
