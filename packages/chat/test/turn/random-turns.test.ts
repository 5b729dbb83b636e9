// The whole machine between a question and its end, walked at random with a fixed seed: streams that break, calls that
// fail, are refused, edited, cancelled or loop, models that change, logs that are cut. Every request that leaves it is
// judged by the rules of the server it goes to.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import {
  createServer,
  defineTool,
  failure,
  isObject,
  raw,
  serveConnection,
  text as toolText,
  transportPair,
} from "@bosun/mcp";
import type { JsonObject } from "@bosun/mcp";
import { parseArguments } from "../../src/config.ts";
import { PrintOutput } from "../../src/print/print-output.ts";
import { Program } from "../../src/program.ts";
import { makeRoom, offeredTools } from "../../src/turn/model-request.ts";
import { runTurn } from "../../src/turn/turn.ts";
import type { Approver } from "../../src/turn/turn-view.ts";
import { makeHome, quietIo } from "../home.ts";
import type { Home } from "../home.ts";
import { call, delta, finish, seeded, text } from "../scripted-model.ts";
import { mistralProblems, ollamaProblems, problemsOf } from "../validators.ts";

const STEPS = process.env["BOSUN_FUZZ"] === "full" ? 8000 : 1200;

const OUTCOMES =
  /Cancelled by the user|Not run: the arguments|Not run: the turn|Not run: there is no such tool|Outcome unknown|Refused by the user|slow but whole|summary of the earlier|the user changed the arguments/g;

let home: Home;
beforeEach(() => void (home = makeHome()));
afterEach(() => home.remove());

test(`${STEPS} random steps of questions, calls and endings never send what a server refuses`, async () => {
  const random = seeded(1128);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const table = (name: string, more: string): string =>
    `[models.${name}]\nbase_url = "http://model.invalid/v1"\ncontext_window = 4000\n${more}\n`;
  home.settings(
    [
      `default_model = "plain"\n[mcp]\nmax_tool_depth = 3\nmax_tool_calls = 6\n[context]\nkeep_exchanges = 2\n`,
      table("plain", ""),
      table("mistral", '[models.mistral.compat]\ntool_ids = "short9"'),
      table("gemma", '[models.gemma.compat]\ntool_role = "prefix"\nsystem_role = "merge"'),
      table("llama", '[models.llama.compat]\ncalls_per_turn = "one"\nempty_content = "null"'),
    ].join("\n"),
  );
  const problems: string[] = [];
  let requests = 0;
  const seen = new Set<string>();
  let abort: AbortController | undefined;
  const fetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    if (!String(url).endsWith("/chat/completions")) return new Response("", { status: 404 });
    requests += 1;
    const body: unknown = JSON.parse(typeof init?.body === "string" ? init.body : "{}");
    if (!isObject(body)) throw new Error("no body");
    for (const said of JSON.stringify(body["messages"]).matchAll(OUTCOMES)) seen.add(said[0]);
    const judge = body["model"] === "mistral" || body["model"] === "gemma" ? mistralProblems : problemsOf;
    problems.push(...judge(body), ...ollamaProblems(body));
    if (random() < 0.04) setTimeout(() => abort?.abort(), 0);
    return answer(pick, random);
  };
  const parsed = parseArguments(["--quiet"], {});
  if (parsed.kind !== "chat") throw new Error(parsed.kind);
  const io = quietIo(home);
  const report = new PrintOutput(io, parsed.options);
  const ui = { status: () => {}, problem: () => {} };
  const open = () => lab(() => random() < 0.3 && abort?.abort());
  const host = { builtIns: [{ alias: "lab", label: "lab", open }], fetch, waitScale: 0, usualModels: [] };
  const program = await Program.create(io, parsed.options, ui, host);
  await program.chat.servers.connectAll();
  program.session.begin();
  const approver: Approver = {
    approve: async ({ arguments: args }) => {
      if (random() < 0.05) abort?.abort();
      return pick([
        { kind: "yes" as const },
        { kind: "yes" as const },
        { kind: "no" as const, reason: pick(["", "not now"]) },
        { kind: "stop" as const },
        { kind: "edit" as const, arguments: { ...args, changed: true } },
      ]);
    },
    limit: async () => pick(["continue", "wrap-up", "stop"] as const),
  };
  const { chat } = program;
  const ask = async (): Promise<void> => {
    abort = new AbortController();
    chat.conversation.ask(pick(["hello", "  ", "what?\nmore", "x".repeat(900)]));
    await runTurn(chat, report, approver, abort.signal);
  };
  const actions: Record<string, () => Promise<void> | void> = {
    undo: () => void chat.conversation.undo(),
    compact: async () => void (await makeRoom(chat, report, offeredTools(chat), new AbortController().signal, true)),
    model: () => {
      chat.model = program.models.get(pick(["plain", "mistral", "gemma", "llama"])) ?? chat.model;
    },
    exec: () => chat.conversation.remember({ by: "user", command: "df", cwd: "/", exit: 0, output: "out" }),
    killed: () => {
      const session = program.sessions.find(chat.session, io.cwd());
      if (typeof session === "string") return; // nothing has been written yet
      const bytes = readFileSync(session.file);
      writeFileSync(session.file, bytes.subarray(0, bytes.length - Math.floor(random() * Math.min(900, bytes.length))));
      program.session.resume(session, random() < 0.3);
    },
    fresh: () => program.session.begin(),
  };
  for (let step = 0; step < STEPS; step += 1) {
    if (random() < 0.7) await ask();
    else await pick(Object.values(actions))();
    if (problems.length > 0) throw new Error(`step ${step}: ${problems.join("; ")}`);
  }
  await program.close();
  expect(requests).toBeGreaterThan(STEPS / 2);
  // The walk has been everywhere: every way a call can end was in some request.
  expect([...seen].sort()).toEqual([
    "Cancelled by the user",
    "Not run: the arguments",
    "Not run: the turn",
    "Not run: there is no such tool",
    "Outcome unknown",
    "Refused by the user",
    "slow but whole",
    "summary of the earlier",
    "the user changed the arguments",
  ]);
}, 120_000);

/** What a model may answer, and how its stream may end. */
function answer(pick: <T>(items: readonly T[]) => T, random: () => number): Response {
  if (random() < 0.05) return Response.json({ error: { message: "no luck" } }, { status: pick([400, 401, 418, 500]) });
  const calls = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, index) =>
    call(
      pick(["lab__get", "lab__fail", "lab__slow", "lab.get", "lab__nope", "9bad!"]),
      pick(['{"a":1}', "{}", '{"a":', "[]", "", '{"n":12345678901234567890}', `{"long":"${"y".repeat(2000)}"}`]),
      pick(["call_0", "call_1", "", `c${index}`]),
      index,
    ),
  );
  const said = pick([[], [text("Let me "), text("look.")], [text("CMD: df\n")]]);
  const chunks = pick([
    [...said, ...calls, finish(pick(["tool_calls", "stop", "length", null]))],
    [...said, ...calls, finish("tool_calls")],
    [text("Done."), finish("stop")],
    [text("half"), finish("length")],
    [delta({ reasoning_content: "hm" }), text("ok"), finish("stop")],
    [finish("stop")],
    [...said, ...calls, { error: { message: "gone" } }],
    [...calls, finish("content_filter")],
  ]);
  const end = pick(["data: [DONE]\n\n", "data: [DONE]\n\n", ""]);
  const body = `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}${end}`;
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** A server in this process: one tool works, one reports failure, one takes a moment in which much can happen. */
function lab(onSlow: () => unknown) {
  const input = raw({ type: "object" });
  const tools = [
    defineTool({
      name: "get",
      description: "x",
      input,
      run: async (args: JsonObject) => toolText(JSON.stringify(args)),
    }),
    defineTool({ name: "fail", description: "x", input, run: async () => failure("no") }),
    defineTool({
      name: "slow",
      description: "x",
      input,
      run: async () => {
        onSlow();
        await Bun.sleep(1);
        return toolText("slow but whole");
      },
    }),
  ];
  const [client, server] = transportPair();
  void serveConnection(createServer({ name: "lab", version: "1", tools }), server);
  return client;
}
