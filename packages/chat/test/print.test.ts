// aish without a person: real process, real MCP servers, a scripted model. What comes out, with which exit code, and what
// the model was sent.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createServer, defineTool, httpFetch, object, serveHttp, string, text as toolText } from "@bosun/mcp";
import type { HttpFetch } from "@bosun/mcp";
import { aish, aishProcess, EVERYTHING, FILESYSTEM, makeHome, modelSettings, stdioServer } from "./home.ts";
import type { Home } from "./home.ts";
import { call, calls, finish, says, startModel, text } from "./scripted-model.ts";
import type { ScriptedModel } from "./scripted-model.ts";

const ODD = [path.join(import.meta.dir, "odd-server.ts")];
const BUN = process.execPath;

let home: Home;
let model: ScriptedModel;
beforeEach(() => {
  home = makeHome();
  model = startModel();
  writeFileSync(path.join(home.work, "notes.txt"), "# Notes\n- renew the certificate\n");
});
afterEach(async () => {
  const { problems } = model;
  await model.stop();
  home.remove();
  expect(problems).toEqual([]);
});

/** Messages of the last request, from the end. */
function sent(fromEnd = 1): Record<string, unknown> {
  const messages = model.seen.at(-1)?.body["messages"];
  return (Array.isArray(messages) ? messages.at(-fromEnd) : undefined) as Record<string, unknown>;
}

/** Names of the tools in the first request. */
function offered(): string[] {
  const tools = (model.seen[0]?.body["tools"] ?? []) as { function: { name: string } }[];
  return tools.map((tool) => tool.function.name);
}

describe("answers and exit codes", () => {
  test("the answer and nothing else on stdout, 0", async () => {
    home.settings(modelSettings(model.url));
    model.push(says("Forty", "-two."));
    const ran = await aishProcess(home, ["-p", "what?"]);
    expect(ran).toMatchObject({ code: 0, stdout: "Forty-two.\n" });
    expect(model.seen[0]?.body["tools"]).toBeUndefined();
  });

  test("standard input is data in front of the question; alone it is the question", async () => {
    home.settings(modelSettings(model.url));
    model.push(says("ok"), says("ok"));
    await aish(home, ["-p", "what is this?"], { stdin: "some ``` text\n" });
    expect(sent()["content"]).toBe("````\nsome ``` text\n````\n\nwhat is this?");
    expect((await aish(home, ["-p"], { stdin: "hello?" })).code).toBe(0);
    expect(sent()["content"]).toBe("hello?");
  });

  test("json: one object with what happened", async () => {
    home.settings(modelSettings(model.url));
    model.push({ chunks: [text("hi"), { ...finish("stop"), usage: { prompt_tokens: 7, completion_tokens: 1 } }] });
    const { stdout, code } = await aish(home, ["-p", "--format", "json"], { stdin: "question" });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      text: "hi",
      tool_calls: [],
      usage: { in: 7, out: 1 },
      model: "local",
      exit: 0,
      error: null,
    });
  });

  test("model down: 1", async () => {
    home.settings(modelSettings(model.url, "").replace(/:\d+\/v1/, ":9/v1"));
    const { code, stdout, stderr } = await aish(home, ["-p", "--format", "json", "hi"]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ exit: 1, text: "" });
    expect(stderr).toContain("running?");
  });

  test("bad settings: 2, with file, line and column", async () => {
    home.settings(`${modelSettings(model.url)}[mcp.auto_aprove]\n"a.b" = true\n`);
    const { code, stderr } = await aish(home, ["-p", "hi"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/config\.toml:7:\d+/);
    expect(stderr).toContain("auto_approve");
  });

  test.each([
    ["an option that does not exist", ["--modell", "x"], "did you mean --model?"],
    ["a value that is missing", ["-p", "--format"], "needs a value"],
    ["a format that does not exist", ["-p", "--format", "xml", "q"], "text, json or jsonl"],
    ["no question", ["-p"], "no question"],
    ["a model that does not exist", ["-p", "-m", "nope", "q"], 'no model called "nope"'],
  ])("wrong usage is 2: %s", async (_, args, said) => {
    home.settings(modelSettings(model.url));
    const { code, stderr } = await aish(home, args);
    expect(code).toBe(2);
    expect(stderr).toContain(said);
  });

  test("a stream that breaks: 1, and nothing in it runs", async () => {
    home.settings(modelSettings(model.url, stdioServer("odd", BUN, ODD)));
    model.push({ chunks: [text("half"), call("odd__echo", { text: "x" })], end: "close" });
    const { code, stderr } = await aish(home, ["-p", "--allow", "odd.*", "hi"]);
    expect(code).toBe(1);
    expect(stderr).not.toContain("odd.echo ok");
    expect(model.seen.length).toBe(1);
  });

  test.each<[string, string[], number, RegExp]>([
    ["no question", [], 2, /there is no question/],
    ["no such session", ["--resume", "20200101-0000-aaaa", "go"], 2, /there is no session "20200101-0000-aaaa"/],
    ["a session of a name that none has", ["--resume", "nope", "go"], 2, /there is no session "nope"/],
    ["no session to go on with", ["-c", "go"], 2, /there is no session of this folder/],
    ["a server that was asked for is not there", ["--require", "nope", "go"], 5, /not configured/],
    ["an address nobody answers at", ["--mcp", "http://127.0.0.1:9/mcp", "go"], 5, /connect|refused/i],
  ])("json says what went wrong: %s", async (_, args, code, error) => {
    home.settings(modelSettings(model.url));
    const ran = await aish(home, ["-p", "--format", "json", ...args]);
    expect(ran.code).toBe(code);
    const said = JSON.parse(ran.stdout) as { exit: number; error: string };
    expect(said.exit).toBe(code);
    expect(said.error).toMatch(error);
  });

  test("json says why there is no plain answer: a refusal, a limit, the time", async () => {
    const server = stdioServer("odd", BUN, ODD);
    home.settings(modelSettings(model.url, `[mcp]\nmax_tool_depth = 1\n${server}`));
    const errorOf = async (...args: string[]): Promise<string> => {
      const { stdout } = await aish(home, ["-p", "--format", "json", ...args, "go"]);
      return (JSON.parse(stdout) as { error: string }).error;
    };
    model.push(calls(["odd__echo", { text: "a" }]), says("ok"));
    expect(await errorOf()).toBe("refused because nobody could approve: odd.echo; to allow: --allow 'odd.echo'");
    model.push(calls(["odd__echo", { text: "a" }]), calls(["odd__echo", { text: "b" }]));
    expect(await errorOf("--allow", "odd.*")).toBe("tool-call depth limit reached (1 round)");
    model.push({ chunks: [], end: "hang" });
    expect(await errorOf("--timeout", "0.5")).toBe("the time limit was reached");
  });

  test("the time limit while servers connect: 6, although one of them was asked for", async () => {
    home.settings(modelSettings(model.url, stdioServer("odd", BUN, [...ODD, "mute"])));
    expect((await aish(home, ["-p", "--require", "odd", "--timeout", "0.3", "go"])).code).toBe(6);
  });

  test("the time limit: 6", async () => {
    home.settings(modelSettings(model.url));
    model.push({ chunks: [text("slow")], end: "hang" });
    expect((await aish(home, ["-p", "--timeout", "1", "hi"])).code).toBe(6);
  });

  test("SIGTERM: 143, and the log is whole", async () => {
    home.settings(modelSettings(model.url));
    model.push({ chunks: [text("slow")], end: "hang" });
    const when = async (): Promise<void> => {
      while (model.seen.length === 0) await Bun.sleep(20);
      await Bun.sleep(150); // the word that was sent is nowhere to be seen before the end
    };
    expect((await aishProcess(home, ["-p", "hi"], { signalAfter: { when, signal: "SIGTERM" } })).code).toBe(143);
    const log = home.files().find(({ file }) => file.endsWith(".jsonl") && file.includes("sessions"));
    expect(log?.text).toContain('"interrupted":true');
  });
});

describe("tools", () => {
  test("the official filesystem server: schema in the request, call, result, answer", async () => {
    home.settings(modelSettings(model.url, stdioServer("files", "node", [FILESYSTEM, home.work])));
    model.push(calls(["files__read_text_file", { path: path.join(home.work, "notes.txt") }]), says("Three tasks."));
    const ran = await aish(home, ["-p", "--allow", "files.read_*", "summarise notes.txt"]);
    expect(ran).toMatchObject({ code: 0, stdout: "Three tasks.\n" });
    const names = offered();
    expect(names).toContain("files__read_text_file");
    expect(sent()).toMatchObject({
      role: "tool",
      name: "files__read_text_file",
      content: expect.stringContaining("renew the certificate"),
    });
  });

  test("the official everything server: a picture is a line, and a progress call ends", async () => {
    home.settings(modelSettings(model.url, stdioServer("every", "node", [EVERYTHING])));
    model.push(calls(["every__echo", { message: "hi" }, "a"], ["every__get-tiny-image", {}, "b"]), says("ok"));
    const { code } = await aish(home, ["-p", "--allow", "every.*", "show"]);
    expect(code).toBe(0);
    expect(sent(2)["content"]).toContain("hi");
    expect(String(sent()["content"])).toMatch(/\[image image\/png .*saved as r\d+\.png\]/);
  });

  test("our HTTP server with a bearer token from the environment; a wrong token is a plain failure", async () => {
    const tools = [
      defineTool({
        name: "add",
        description: "x",
        input: object({ a: string("") }),
        run: async ({ a }) => toolText(`got ${a}`),
      }),
    ];
    const listening = serveHttp(createServer({ name: "t", version: "1", tools }), {
      authorize: (request) =>
        request.headers.get("authorization") === "Bearer secret-token-123"
          ? { id: "test", scopes: [] }
          : new Response("no", { status: 401 }),
    });
    home.settings(
      modelSettings(model.url, `[mcp.servers.web]\nurl = "${listening.url.href}"\nauth_env = "WEB_TOKEN"\n`),
    );
    model.push(calls(["web__add", { a: "1" }]), says("done"), says("alone"));
    const good = await aish(home, ["-p", "--allow", "web.*", "--require", "web", "go"], {
      env: { WEB_TOKEN: "secret-token-123" },
    });
    expect(good).toMatchObject({ code: 0, stdout: "done\n" });
    const bad = await aish(home, ["-p", "go"], { env: { WEB_TOKEN: "wrong-token-123" } });
    expect(bad.code).toBe(0);
    expect(bad.stderr).toContain("mcp: web failed: HTTP 401 (token from WEB_TOKEN was refused)");
    const required = await aish(home, ["-p", "--require", "web", "go"], { env: { WEB_TOKEN: "wrong-token-123" } });
    expect(required.code).toBe(5);
    expect(required.stderr).toContain("token from WEB_TOKEN was refused");
    const unset = await aish(home, ["-p", "--require", "web", "go"]);
    expect(unset.stderr).toContain("WEB_TOKEN is not set");
    // Nothing secret is on disk, and every file is ours alone.
    for (const { file, text: content, mode } of home.files()) {
      if (file.startsWith(home.work)) continue;
      expect(content).not.toContain("secret-token-123");
      expect([file, mode & 0o077]).toEqual([file, 0]);
    }
    await listening.stop();
  });

  test("what nobody can approve is refused, said, and 3; the model goes on", async () => {
    home.settings(modelSettings(model.url, stdioServer("odd", BUN, ODD)));
    model.push(calls(["odd__echo", { text: "x" }]), says("I could not."));
    const { code, stdout, stderr } = await aish(home, ["-p", "--format", "json", "go"]);
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      text: "I could not.",
      exit: 3,
      tool_calls: [{ name: "odd.echo", arguments: { text: "x" }, outcome: "refused" }],
    });
    expect(stderr).toContain("--allow 'odd.echo'");
    expect(sent()["content"]).toBe("Not allowed by the user's policy. Do not try again.");
  });

  test("what goes back after one call and one refusal in the same answer", async () => {
    home.settings(modelSettings(model.url, `${stdioServer("odd", BUN, ODD)}[mcp.auto_approve]\n"odd.echo" = true\n`));
    model.push(calls(["odd__echo", { text: "a" }, "call_a1"], ["odd__fail", {}, "call_b2"]), says("ok"));
    expect((await aish(home, ["-p", "go"])).code).toBe(3);
    const messages = model.seen.at(-1)?.body["messages"];
    expect(Array.isArray(messages) ? messages.slice(2) : messages).toEqual([
      {
        role: "assistant",
        content: "",
        tool_calls: [
          { id: "call_a1", type: "function", function: { name: "odd__echo", arguments: '{"text":"a"}' } },
          { id: "call_b2", type: "function", function: { name: "odd__fail", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: "call_a1", name: "odd__echo", content: "you said a" },
      {
        role: "tool",
        tool_call_id: "call_b2",
        name: "odd__fail",
        content: "Not allowed by the user's policy. Do not try again.",
      },
    ]);
  });

  test("a denied tool is not even offered", async () => {
    home.settings(
      modelSettings(
        model.url,
        `${stdioServer("odd", BUN, ODD)}[mcp.auto_approve]\n"odd.*" = true\n"odd.fail" = "deny"\n`,
      ),
    );
    model.push(calls(["odd__fail", {}]), says("ok"));
    const { code } = await aish(home, ["-p", "go"]);
    const names = offered();
    expect(names).not.toContain("odd__fail");
    expect(names).toContain("odd__echo");
    expect(sent()["content"]).toContain("there is no such tool");
    expect(code).toBe(0);
  });

  test.each<[string, [string, unknown], string | RegExp]>([
    ["a tool that reports failure", ["odd__fail", {}], "Error: no such file: note.txt"],
    [
      "broken arguments",
      ["odd__echo", '{"text": "x'],
      /^Not run: the arguments were not valid JSON \(line 1, column \d+\)/,
    ],
    [
      "a tool that does not exist",
      ["odd__ecko", {}],
      "Not run: there is no such tool. Tools with similar names: odd__echo.",
    ],
    ["the name as people write it", ["odd.echo", { text: "a" }], "you said a"],
    [
      "a server that dies in the middle",
      ["odd__die", {}],
      "Outcome unknown: the connection was lost while the tool was running.",
    ],
  ])("%s", async (_, [name, args], content) => {
    home.settings(modelSettings(model.url, stdioServer("odd", BUN, ODD)));
    model.push(calls([name, args]), says("ok"));
    const { code } = await aish(home, ["-p", "--allow", "odd.*", "go"]);
    expect(code).toBe(0);
    if (content instanceof RegExp) expect(String(sent()["content"])).toMatch(content);
    else expect(sent()["content"]).toBe(content);
  });

  test("integers beyond 2^53 reach the server as the model wrote them", async () => {
    const wire = path.join(home.work, "wire.log");
    home.settings(modelSettings(model.url, stdioServer("odd", "bash", ["-c", `tee '${wire}' | '${BUN}' '${ODD[0]}'`])));
    model.push(calls(["odd__number", '{"id":12345678901234567890}']), says("ok"));
    expect((await aish(home, ["-p", "--allow", "odd.*", "go"])).code).toBe(0);
    expect(readFileSync(wire, "utf8")).toContain('"arguments":{"id":12345678901234567890}');
  });

  test("ten megabytes: head, tail and a way to read more", async () => {
    home.settings(modelSettings(model.url, stdioServer("odd", BUN, ODD)));
    model.push(
      calls(["odd__big", {}]),
      calls(["aish__read_result", { result: "r1", find: "line 100000 " }]),
      says("found"),
    );
    const { code } = await aish(home, ["-p", "--allow", "odd.*", "go"]);
    expect(code).toBe(0);
    const messages = model.seen[1]?.body["messages"] as { content: string }[];
    const cut = messages.at(-1)?.content ?? "";
    expect(cut.length).toBeLessThan(30_000);
    expect(cut).toContain("line 0 ");
    expect(cut).toContain("line 199999 ");
    expect(cut).toMatch(/\[… [\d,]+ of [\d,]+ characters left out; result r1; read more with aish__read_result\]/);
    expect(sent()["content"]).toContain("line 100000 ");
  });

  test("a call without a sign of life is cancelled, and both are told", async () => {
    home.settings(modelSettings(model.url, `${stdioServer("odd", BUN, ODD)}call_timeout_s = 0.3\n`));
    model.push(calls(["odd__wait", { ms: "20000" }]), says("ok"));
    const { stderr, code } = await aish(home, ["-p", "--allow", "odd.*", "go"]);
    expect(code).toBe(0);
    expect(stderr).toContain("cancelled (it may still have run)");
    expect(String(sent()["content"])).toMatch(/^No answer within .* s; the call was cancelled and may have run\.$/);
  });

  test("arguments nested beyond all reason are not run, and the conversation goes on", async () => {
    home.settings(modelSettings(model.url, stdioServer("odd", BUN, ODD)));
    const deep = `{"text":${"[".repeat(5000)}${"]".repeat(5000)}}`;
    model.push(calls(["odd__echo", deep]), says("ok"));
    const { code, stdout } = await aish(home, ["-p", "--allow", "odd.*", "go"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "ok\n" });
    expect(String(sent()["content"])).toStartWith("Not run:");
  });

  test("nobody can be asked by a server either", async () => {
    home.settings(modelSettings(model.url, stdioServer("odd", BUN, ODD)));
    model.push(calls(["odd__ask", {}]), says("ok"));
    await aish(home, ["-p", "--allow", "odd.*", "go"]);
    expect(sent()["content"]).toBe("nobody can be asked");
  });

  test("content that is not text", async () => {
    home.settings(modelSettings(model.url, stdioServer("odd", BUN, ODD)));
    model.push(calls(["odd__picture", {}]), says("ok"));
    await aish(home, ["-p", "--allow", "odd.*", "go"]);
    const content = String(sent()["content"]);
    expect(content).toContain("[image image/png 8 B, saved as r1.png]");
    expect(content).toContain("[link x file:///x]");
    expect(content).toContain("[resource file:///y]\ninside");
    expect(content).toContain('[content of type "hologram" not shown]');
    expect(content).toContain("[shown to the user]");
    expect(content).not.toContain("for your eyes");
  });

  test("a model that loops is stopped after so many rounds: 4, and the next request is valid", async () => {
    home.settings(modelSettings(model.url, stdioServer("odd", BUN, ODD)));
    for (let round = 0; round < 4; round += 1) model.push(calls(["odd__echo", { text: String(round) }]));
    const { code, stderr } = await aish(home, ["-p", "--allow", "odd.*", "--max-depth", "3", "go"]);
    expect(code).toBe(4);
    expect(stderr).toContain("tool-call depth limit reached (3 rounds)");
    expect(stderr.match(/odd\.echo ok/g)?.length).toBe(3);
    model.seen.length = 0;
    const again = await aish(home, ["-p", "-c", "and now?"]);
    expect(again.code).toBe(0);
    expect(sent()).toMatchObject({ role: "user", content: "and now?" });
    expect(sent(2)).toMatchObject({ role: "assistant" });
  });

  test("the same call three times in a row stops, too", async () => {
    home.settings(modelSettings(model.url, stdioServer("odd", BUN, ODD)));
    for (let round = 0; round < 5; round += 1) model.push(calls(["odd__echo", { text: "same" }, `c${round}`]));
    const { code, stderr } = await aish(home, ["-p", "--allow", "odd.*", "go"]);
    expect(code).toBe(4);
    expect(stderr).toContain("odd.echo was called 3 times with the same arguments");
  });
});

describe("settings of a model and of servers", () => {
  test("a key from a command, extra members, and limits are sent; the key is read for each request", async () => {
    const more =
      'key_cmd = ["echo", "sk-from-a-command"]\ntemperature = 0.2\nmax_tokens = 99\nextra_body = { top_k = 5, stream = false }\n';
    home.settings(modelSettings(model.url, more));
    model.push(says("ok"));
    expect((await aish(home, ["-p", "hi"])).code).toBe(0);
    expect(model.seen[0]?.headers.get("authorization")).toBe("Bearer sk-from-a-command");
    expect(model.seen[0]?.body).toMatchObject({ temperature: 0.2, max_tokens: 99, top_k: 5, stream: true });
  });

  test("an endpoint that cannot stream, and one that was pinned to another shape", async () => {
    home.settings(
      modelSettings(model.url, 'stream = false\ncompat = { system_role = "merge", tool_ids = "short9" }\n'),
    );
    model.push({ body: JSON.stringify({ choices: [{ message: { content: "whole" }, finish_reason: "stop" }] }) });
    expect((await aish(home, ["-p", "hi"])).stdout).toBe("whole\n");
    expect(model.seen[0]?.body["stream"]).toBe(false);
    expect(model.seen[0]?.body["messages"]).toMatchObject([{ role: "user" }]);
  });

  test("a model that sees gets pictures after the results", async () => {
    home.settings(modelSettings(model.url, `vision = true\n${stdioServer("odd", BUN, ODD)}`));
    model.push(calls(["odd__picture", {}]), says("ok"));
    await aish(home, ["-p", "--allow", "odd.*", "go"]);
    expect(sent()["content"]).toMatchObject([
      { type: "text" },
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
    ]);
  });

  test("reads that are allowed on a trusted server run together; answers keep their order", async () => {
    home.settings(modelSettings(model.url, `${stdioServer("odd", BUN, ODD)}trust = true\n`));
    model.push(calls(["odd__wait", { ms: "400" }, "a"], ["odd__wait", { ms: "20" }, "b"]), says("ok"));
    await aish(home, ["-p", "--allow", "odd.*", "go"]);
    expect([sent(2)["content"], sent()["content"]]).toEqual(["waited 400", "waited 20"]);
    expect(readFileSync(path.join(home.work, "waits.log"), "utf8").split("\n").slice(0, 2).sort()).toEqual([
      "begin 20",
      "begin 400",
    ]);
  });

  test("Claude Desktop's list is read when asked for", async () => {
    home.settings(modelSettings(model.url, '[mcp]\nimport = ["claude-desktop"]\n'));
    const folder = path.join(home.folder, ".config/Claude");
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      path.join(folder, "claude_desktop_config.json"),
      JSON.stringify({ mcpServers: { odd: { command: BUN, args: ODD } } }),
    );
    model.push(says("ok"));
    await aish(home, ["-p", "go"]);
    expect(offered()).toContain("odd__echo");
  });

  test("templates that drop tool results are noticed where the server can tell", async () => {
    home.settings(modelSettings(model.url, stdioServer("odd", BUN, ODD)));
    const fetch: HttpFetch = async (url, init) =>
      String(url).endsWith("/apply-template") ? Response.json({ prompt: "<user>look" }) : httpFetch(url, init);
    model.push({ ...calls(["odd__echo", { text: "x" }]), delayMs: 200 }, says("ok"));
    const { stderr } = await aish(home, ["-p", "--allow", "odd.*", "go"], { host: { fetch } });
    expect(stderr).toContain("its template drops tool results");
    expect(sent()).toEqual({ role: "user", content: "[tool: odd.echo]\nyou said x\n\nContinue." });
  });
});

describe("other things a script can count on", () => {
  test("CMD: lines are printed, and run only when allowed", async () => {
    home.settings(modelSettings(model.url));
    model.push(says("Look:\n\nCMD: touch made-it\n"), says("Look:\n\nCMD: touch made-it\n"));
    const shown = await aish(home, ["-p", "go"]);
    expect(shown.stderr).toContain("not run (give --allow-cmd): touch made-it");
    expect(home.files().some(({ file }) => file.endsWith("made-it"))).toBe(false);
    await aish(home, ["-p", "--allow-cmd", "go"]);
    expect(home.files().some(({ file }) => file.endsWith("made-it"))).toBe(true);
  });

  test("jsonl: events as they happen", async () => {
    home.settings(modelSettings(model.url, stdioServer("odd", BUN, ODD)));
    model.push(calls(["odd__echo", { text: "x" }]), says("ok"));
    const { stdout } = await aish(home, ["-p", "--format", "jsonl", "--allow", "odd.*", "go"]);
    const kinds = stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { type: string }).type);
    expect(kinds.filter((kind) => kind !== "status")).toEqual(["start", "tool_request", "tool_result", "text", "end"]);
  });

  test("a trace replays: the same script gives the same answer, and no key is in it", async () => {
    home.settings(modelSettings(model.url, 'key_env = "MY_KEY"'));
    model.push(says("traced"));
    const env = { MY_KEY: "sk-this-is-a-secret-key-0001" };
    await aish(home, ["-p", "--trace", "t.jsonl", "hi"], { env });
    expect(model.seen[0]?.headers.get("authorization")).toBe("Bearer sk-this-is-a-secret-key-0001");
    const trace = home.files().find(({ file }) => file.endsWith("t.jsonl"))?.text ?? "";
    expect(trace).not.toContain("secret-key");
    const steps = trace
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { request: { path: string }; chunks: string[] });
    const step = steps.find(({ request }) => request.path.endsWith("/chat/completions"));
    model.push({ chunks: step?.chunks ?? [], end: "close" });
    expect((await aish(home, ["-p", "hi"], { env })).stdout).toBe("traced\n");
  });

  test("an import of another program's list; its approvals are not taken over", async () => {
    home.settings(modelSettings(model.url));
    writeFileSync(
      path.join(home.work, "list.json"),
      JSON.stringify({
        mcpServers: {
          "My Odd!": { command: "${BUN_PATH}", args: ODD, autoApprove: ["echo"] },
          broken: { command: "${NOT_SET}" },
        },
      }),
    );
    model.push(calls(["my-odd__echo", { text: "x" }]), says("ok"));
    const { code, stderr } = await aish(home, ["-p", "--mcp-config", "list.json", "go"], { env: { BUN_PATH: BUN } });
    expect(code).toBe(3);
    expect(stderr).toContain("autoApprove ignored: approvals are not imported");
  });

  test("a fork can read the stored results of its original", async () => {
    home.settings(modelSettings(model.url, `${stdioServer("odd", BUN, ODD)}[mcp.auto_approve]\n"odd.*" = true\n`));
    model.push(calls(["odd__big", {}]), says("long"));
    await aish(home, ["-p", "go"]);
    model.push(calls(["aish__read_result", { result: "r1", find: "line 199999 " }]), says("found"));
    const { code, stdout } = await aish(home, ["-p", "-c", "--fork", "--format", "json", "find the last line"]);
    expect(code).toBe(0);
    expect(JSON.stringify(model.seen.at(-1)?.body["messages"])).toContain("line 199999 zzz");
    expect(JSON.parse(stdout)).toMatchObject({
      tool_calls: [{ name: "aish.read_result", decision: "allow", outcome: "ok" }],
    });
  });

  test("CMD: lines of a script are bounded, audited and cut like any output", async () => {
    home.settings(modelSettings(model.url, "[shell]\nmax_output_chars = 2000\n"));
    const many = Array.from({ length: 10 }, (_, n) => `CMD: echo ${n}; seq 1 2000`).join("\n");
    model.push(says(many), says("ok"));
    const { stderr } = await aish(home, ["-p", "--allow-cmd", "go"]);
    expect(stderr).toContain("2 more commands are left out");
    const audit = home.files().filter(({ file }) => file.includes("audit"));
    expect(
      audit
        .map(({ text }) => text)
        .join("")
        .match(/"kind":"outcome"/g)?.length,
    ).toBe(8);
    await aish(home, ["-p", "-c", "and?"]);
    const asked = JSON.stringify(model.seen.at(-1)?.body["messages"]);
    expect(asked).toContain("characters left out; result r1; read more with aish__read_result");
    expect(asked).toContain("1999\\n2000\\n[end exec]");
  });

  test("a project's own files are not used by a script: nobody agreed", async () => {
    home.settings(modelSettings(model.url));
    writeFileSync(
      path.join(home.work, ".mcp.json"),
      JSON.stringify({ mcpServers: { evil: { command: "touch", args: [path.join(home.work, "pwned")] } } }),
    );
    model.push(says("ok"));
    const { code, stderr } = await aish(home, ["-p", "go"]);
    expect(code).toBe(0);
    expect(stderr).toContain(".mcp.json is not used");
    expect(home.files().some(({ file }) => file.endsWith("pwned"))).toBe(false);
  });

  test("the demo needs nothing and says what it is", async () => {
    const { code, stdout } = await aish(home, ["-p", "--demo", "hello"]);
    expect(code).toBe(0);
    expect(stdout).toContain("built-in demo, not a model");
  });

  test("a reader that leaves early ends it quietly", async () => {
    home.settings(modelSettings(model.url));
    model.push({
      chunks: [...Array.from({ length: 400 }, () => text("word ".repeat(400))), finish("stop")],
      betweenMs: 5,
    });
    const child = Bun.spawn(
      [
        "bash",
        "-c",
        `'${BUN}' --no-env-file --config=/dev/null '${path.join(import.meta.dir, "../src/main.ts")}' -p --all hi | head -c 10; exit \${PIPESTATUS[0]}`,
      ],
      { cwd: home.work, env: home.env, stdout: "pipe", stderr: "pipe" },
    );
    const [out, err, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    expect(out).toBe("word word ");
    expect(err).not.toContain("    at ");
    expect(code).toBe(0);
  });
});
