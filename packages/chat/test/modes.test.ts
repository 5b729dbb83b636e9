// What runs unasked by a named preset: the tools of this folder only, never against a rule of the person's, kept per folder.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createServer, defineTool, object, serveConnection, string, text as toolText, transportPair } from "@bosun/mcp";
import { chat, odd, resultsIn } from "./chat.ts";
import { aish, makeHome, modelSettings, ROOT } from "./home.ts";
import type { Home } from "./home.ts";
import { PROMPT, say } from "./pty.ts";
import { calls, says, startModel } from "./scripted-model.ts";
import type { ScriptedModel } from "./scripted-model.ts";

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

const tool = (name: string, readOnly: boolean) =>
  defineTool({
    name,
    description: name,
    readOnly,
    input: object({ path: string("") }),
    run: async () => toolText(`${name} ran`),
  });

const here = {
  alias: "here",
  label: "the tools of this folder",
  open() {
    const [client, server] = transportPair();
    const tools = [tool("view", true), tool("create_file", false), tool("bash", false)];
    void serveConnection(createServer({ name: "here", version: "1", tools }), server);
    return client;
  },
};

async function ran(args: string[], more = ""): Promise<string[]> {
  home.settings(modelSettings(model.url, more));
  const all = ["here__view", "here__create_file", "here__bash", "odd__echo"];
  model.push(
    calls(
      ...all.map((name, at): [string, unknown, string] => [
        name,
        name === "odd__echo" ? { text: "a" } : { path: "a" },
        `call_${at}`,
      ]),
    ),
    says("ok"),
  );
  await aish(home, ["-p", ...args, "go"], { host: { builtIns: [here] } });
  return resultsIn(model).flatMap(
    (said) => /^(\w+) ran$/.exec(said)?.[1] ?? (said.startsWith("you said") ? "echo" : []),
  );
}

describe("what runs when nobody is there", () => {
  test.each([
    ["ask", []],
    ["read-only", ["view"]],
    ["edits", ["view", "create_file"]],
    ["trusted", ["view", "create_file", "bash"]],
  ])("--mode %s", async (mode, expected) => {
    expect(await ran(["--mode", mode], odd())).toEqual(expected);
  });

  test("a rule of the person's holds against every mode", async () => {
    const rules = `${odd()}[mcp.auto_approve]\n"here.view" = "ask"\n"here.bash" = "deny"\n"odd.echo" = true\n`;
    expect(await ran(["--mode", "trusted"], rules)).toEqual(["create_file", "echo"]);
    expect(await ran(["--mode", "read-only"], rules)).toEqual([]); // also what is allowed otherwise
  });

  test("read-only offers the model nothing else, and runs no command", async () => {
    home.settings(modelSettings(model.url));
    model.push(says("CMD: touch made\n"));
    const { stderr } = await aish(home, ["-p", "--mode", "read-only", "--allow-cmd", "go"], {
      host: { builtIns: [here] },
    });
    expect(JSON.stringify(model.seen[0]?.body["tools"])).not.toContain("here__bash");
    expect(stderr).toContain("not run: only reads of this folder run in this mode");
  });
});

test("kept for a folder; a file that is not ours to believe is not used", async () => {
  await chat(async ({ home: own, settings, start }) => {
    settings();
    const screen = start();
    await screen.until(PROMPT);
    await say(screen, ":mode");
    await screen.until(/\* ask +every call is asked about/);
    await say(screen, ":mode nope");
    await screen.until('there is no mode "nope" (there are: read-only, ask, edits, trusted)');
    await say(screen, ":mode edits --keep");
    await screen.until("mode edits, kept for this folder");
    const again = start();
    await again.until("mode edits: reads and edits of files in this folder run unasked");
    const file = path.join(own.folder, "state/bosun/modes.json");
    writeFileSync(file, readFileSync(file, "utf8"), { mode: 0o666 });
    (await import("node:fs")).chmodSync(file, 0o666);
    const third = start();
    await third.until("the mode kept for this folder is not used");
  });
});

test("the tools that count as edits are there, under these names", async () => {
  const { code, stdout } = await (async () => {
    const child = Bun.spawn(
      [
        process.execPath,
        "--no-env-file",
        "--config=/dev/null",
        path.join(ROOT, "packages/cli/src/main.ts"),
        "chat",
        "mcp",
        "tools",
      ],
      {
        cwd: home.work,
        env: home.env,
        stdout: "pipe",
        stderr: "ignore",
      },
    );
    return { stdout: await new Response(child.stdout).text(), code: await child.exited };
  })();
  expect(code).toBe(0);
  for (const name of ["here.str_replace", "here.create_file", "here.view"]) expect(stdout).toContain(name);
});
