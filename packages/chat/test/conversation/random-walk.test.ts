// 100,000 random steps of the conversation machine: after every one, the request that would be sent now passes the
// three judges under the matching switches. Fixed seed; the same walk every time.
import { expect, test } from "bun:test";
import { Conversation } from "../../src/conversation/conversation.ts";
import type { ConversationEvent } from "../../src/conversation/conversation.ts";
import { renderMessages } from "../../src/conversation/render-messages.ts";
import type { ExecBlock, Outcome, ToolCall, Turn } from "../../src/conversation/turn-types.ts";
import { DEFAULT_COMPAT } from "../../src/model/compat.ts";
import type { Compat } from "../../src/model/compat.ts";
import { seeded } from "../scripted-model.ts";
import { mistralProblems, ollamaProblems, problemsOf } from "../validators.ts";

const STEPS = 100_000;

type Entry = { turn: Turn } | { exec: ExecBlock } | { event: ConversationEvent };

test(`${STEPS} random steps never make a request that a server refuses`, () => {
  const random = seeded(20260728);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  let log: Entry[] = [];
  const journal = {
    turn: (turn: Turn) => void log.push({ turn: structuredClone(turn) }),
    exec: (exec: ExecBlock) => void log.push({ exec }),
    event: (event: ConversationEvent) => void log.push({ event }),
  };
  let conversation = new Conversation(journal);
  let model = "a";
  const count = new Map<string, number>();
  const outcomes: Outcome[] = [
    "ok",
    "error",
    "refused",
    "denied",
    "cancelled",
    "timeout",
    "failed",
    "unknown",
    "broken",
  ];

  const makeCall = (): ToolCall => ({
    id: pick(["", "call_0", "call_0", `c${Math.floor(random() * 1e9)}`, "AbCdEf123", "日本"]),
    name: pick(["files.read_file", "lab.run_sql", "x.ü y"]),
    wire: pick(["files__read_file", "lab__run_sql", "9bad name!", "", "a".repeat(90)]),
    arguments: pick(["{}", '{"p":1}', '{"p":', "[]", "null", "", '{"n":12345678901234567890}']),
    ...(random() < 0.2 ? { broken: true } : {}),
    ...(random() < 0.1 ? { extras: { extra_content: { s: 1 } } } : {}),
  });
  const calls = (): ToolCall[] => {
    const made = Array.from({ length: 1 + Math.floor(random() * 3) }, makeCall);
    made.forEach((call, place) => {
      if (call.id === "" || made.findIndex((one) => one.id === call.id) < place) call.id = `m${place}`;
    });
    return made;
  };

  const actions: Record<string, () => void> = {
    ask: () => conversation.ask(pick(["hello", "  ", "what?\nmore", "x".repeat(50)])),
    text: () => {
      if (conversation.open().length === 0) conversation.say({ text: pick(["fine", "", " "]), calls: [], model });
    },
    calls: () => {
      if (conversation.open().length === 0) {
        conversation.say({ text: pick(["", "Let me look."]), calls: calls(), model, reasoning: pick(["", "hm"]) });
      }
    },
    result: () => {
      const [call] = conversation.open();
      if (call)
        conversation.answer({
          toolCallId: call.id,
          name: call.name,
          content: pick(["", "data", "\n"]),
          outcome: pick(outcomes),
        });
    },
    lateResult: () => {
      const cancelled = conversation.turns.findLast((turn) => turn.role === "tool" && turn.outcome === "cancelled");
      const id = cancelled?.role === "tool" ? cancelled.toolCallId : "nobody";
      conversation.late(id, { content: pick(["", "late data"]), ...(random() < 0.5 ? { full: "r3" } : {}) });
    },
    strayResult: () => conversation.answer({ toolCallId: "nobody", name: "x.y", content: "?", outcome: "ok" }),
    stop: () =>
      void conversation.close("(stopped by the user before answering)", "Not run: the turn was stopped.", "not-run"),
    stopUnanswered: () => conversation.closeUnanswered("(stopped by the user before answering)"),
    streamCut: () => {
      if (conversation.open().length === 0)
        conversation.say({ text: "half an ans", calls: [], model, interrupted: true });
    },
    exec: () =>
      conversation.remember({
        by: "model",
        command: "df",
        cwd: "/",
        output: "out",
        ...(random() < 0.5 ? { exit: 0 } : {}),
      }),
    forget: () => conversation.forget(),
    undo: () => void conversation.undo(),
    model: () => (model = pick(["a", "b"])),
    compact: () => {
      const starts = conversation.exchangeStarts();
      if (starts.length > 1) conversation.compact(pick(starts.slice(1)), pick(["what was said", ""]));
    },
    resultsOut: () => conversation.leaveResultsOut(conversation.turns.length, () => "r1"),
    killAndResume: () => {
      // The log ends anywhere after the last turn that was written; what it says is the conversation.
      const kept = log.slice(0, Math.max(0, log.length - Math.floor(random() * 3)));
      log = kept;
      conversation = new Conversation(journal);
      for (const entry of kept) conversation.replay(structuredClone(entry));
    },
    restart: () => {
      log = [];
      conversation = new Conversation(journal);
    },
  };
  const weights: [string, number][] = [
    ["ask", 10],
    ["text", 8],
    ["calls", 14],
    ["result", 20],
    ["lateResult", 3],
    ["strayResult", 1],
    ["stop", 5],
    ["stopUnanswered", 3],
    ["streamCut", 3],
    ["exec", 3],
    ["forget", 1],
    ["undo", 3],
    ["model", 2],
    ["compact", 2],
    ["resultsOut", 1],
    ["killAndResume", 3],
    ["restart", 2],
  ];
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0);
  const compats: Compat[] = [
    DEFAULT_COMPAT,
    { ...DEFAULT_COMPAT, toolIds: "short9", callsPerTurn: "one", emptyContent: "null" },
    { ...DEFAULT_COMPAT, toolIds: "short9", systemRole: "merge", reasoningEcho: "always", emptyContent: "omit" },
    { ...DEFAULT_COMPAT, toolRole: "prefix", systemRole: "merge" },
    { ...DEFAULT_COMPAT, tools: "off", systemRole: "developer", reasoningEcho: "never" },
  ];

  for (let step = 0; step < STEPS; step += 1) {
    let roll = random() * total;
    const [name] = weights.find(([, weight]) => (roll -= weight) < 0) ?? ["ask"];
    actions[name as string]?.();
    count.set(name as string, (count.get(name as string) ?? 0) + 1);
    if (conversation.turns.length > 60) actions["restart"]?.();
    const compat = compats[step % compats.length] ?? DEFAULT_COMPAT;
    const body = { messages: renderMessages(conversation.view(), { system: "Be brief.", compat, model }) };
    const judge = compat.toolIds === "short9" || compat.toolRole === "prefix" ? mistralProblems : problemsOf;
    const problems = [...judge(body), ...ollamaProblems(body)];
    if (problems.length > 0) {
      throw new Error(
        `step ${step} (${name}): ${problems.join("; ")}\n${JSON.stringify(conversation.turns, null, 1)}\n${JSON.stringify(body, null, 1)}`,
      );
    }
  }
  expect([...count.keys()].sort()).toEqual(Object.keys(actions).sort());
});

test("rendering changes no turn, and the same turns give the same messages", () => {
  const conversation = new Conversation();
  conversation.ask("hi");
  conversation.say({ text: "", calls: [{ id: "x", name: "a.b", wire: "a__b", arguments: "{}" }], model: "m" });
  conversation.answer({ toolCallId: "x", name: "a.b", content: "r", outcome: "ok" });
  const before = JSON.stringify(conversation.turns);
  const options = { system: "s", compat: { ...DEFAULT_COMPAT, toolIds: "short9" as const }, model: "m" };
  const first = JSON.stringify(renderMessages(conversation.view(), options));
  expect(JSON.stringify(renderMessages(conversation.view(), options))).toBe(first);
  expect(JSON.stringify(conversation.turns)).toBe(before);
});
