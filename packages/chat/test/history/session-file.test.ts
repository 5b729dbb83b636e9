// The log of a session: cut it anywhere, and what is read back makes a valid request.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Conversation } from "../../src/conversation/conversation.ts";
import { renderMessages } from "../../src/conversation/render-messages.ts";
import { restoreConversation } from "../../src/history/current-session.ts";
import { parseSession, SessionWriter } from "../../src/history/session-file.ts";
import { newSessionId, SessionFolder } from "../../src/history/session-folder.ts";
import { DEFAULT_COMPAT } from "../../src/model/compat.ts";
import { mistralProblems, ollamaProblems } from "../validators.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(path.join(tmpdir(), "aish-log-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const COMPAT = { ...DEFAULT_COMPAT, toolIds: "short9" as const };

function talk(file: string): Conversation {
  const writer = new SessionWriter(file, { logReasoning: false, onFailure: (why) => expect(why).toBe("") });
  writer.head({ id: "20260512-1437-k3f9", startedAt: "2026-05-12T14:37:02Z", cwd: "/w", model: "m", version: 1 }, "1");
  const conversation = new Conversation(writer);
  conversation.ask("summarise notes.txt");
  conversation.say({
    text: "",
    calls: [
      { id: "call_8f", name: "files.read_file", wire: "files__read_file", arguments: '{"path":"ü"}' },
      { id: "call_9", name: "x.y", wire: "x__y", arguments: "{", broken: true },
    ],
    model: "m",
    reasoning: "secret thought",
  });
  conversation.answer({
    toolCallId: "call_8f",
    name: "files.read_file",
    content: "# Notes…",
    outcome: "ok",
    ms: 22,
    bytes: 2114,
  });
  conversation.answer({ toolCallId: "call_9", name: "x.y", content: "Not run", outcome: "broken" });
  conversation.say({
    text: "The notes list three tasks…",
    calls: [],
    model: "m",
    finish: "stop",
    usage: { in: 1, out: 2 },
  });
  conversation.remember({ by: "model", command: "df -h", cwd: "/w", exit: 0, output: "78%" });
  conversation.ask("which one?");
  conversation.undo();
  conversation.ask("and now?");
  conversation.compact(5, "notes were read");
  writer.close();
  return conversation;
}

test("what is read back is what was said", () => {
  const file = path.join(folder, "s.jsonl");
  const before = talk(file);
  const read = parseSession(readFileSync(file, "utf8"));
  expect(read.skipped).toBe(0);
  const after = restoreConversation(read, undefined).conversation;
  const options = { system: "s", compat: COMPAT, model: "m" };
  expect(renderMessages(after.view(), options)).toEqual(renderMessages(before.view(), options));
  expect(readFileSync(file, "utf8")).not.toContain("secret thought");
  expect(statSync(file).mode & 0o077).toBe(0);
});

test("cut at every byte: resume never fails, and the next request is valid", () => {
  const file = path.join(folder, "s.jsonl");
  talk(file);
  const bytes = readFileSync(file);
  for (let end = 0; end <= bytes.length; end += 1) {
    const read = parseSession(new TextDecoder().decode(bytes.subarray(0, end)));
    const { conversation } = restoreConversation(read, undefined);
    conversation.ask("go on");
    const body = { messages: renderMessages(conversation.view(), { system: "s", compat: COMPAT, model: "m" }) };
    expect([...mistralProblems(body), ...ollamaProblems(body)]).toEqual([]);
  }
});

test("a repair is written to the log, so that it is made once", () => {
  const file = path.join(folder, "s.jsonl");
  const writer = new SessionWriter(file, { logReasoning: false, onFailure: () => {} });
  const conversation = new Conversation(writer);
  conversation.ask("go");
  conversation.say({
    text: "",
    calls: [{ id: "a", name: "lab.reindex", wire: "lab__reindex", arguments: "{}" }],
    model: "m",
  });
  const first = restoreConversation(parseSession(readFileSync(file, "utf8")), writer);
  expect(first.repairs).toEqual(["a call to lab.reindex had no result (the program ended while it ran)"]);
  expect(restoreConversation(parseSession(readFileSync(file, "utf8")), writer).repairs).toEqual([]);
});

test("cut at every byte and gone on with: what is said afterwards is never lost", () => {
  const file = path.join(folder, "s.jsonl");
  talk(file);
  const bytes = readFileSync(file);
  for (let end = 0; end <= bytes.length; end += 7) {
    writeFileSync(file, bytes.subarray(0, end));
    const writer = new SessionWriter(file, { logReasoning: false, onFailure: () => {} });
    const { conversation } = restoreConversation(parseSession(readFileSync(file, "utf8")), writer);
    conversation.ask(`go on after ${end}`);
    writer.close();
    const again = restoreConversation(parseSession(readFileSync(file, "utf8")), undefined).conversation;
    expect(again.turns.at(-1)).toMatchObject({ role: "user", content: `go on after ${end}` });
  }
});

test("a result that came late is read back in the place of our words", () => {
  const file = path.join(folder, "s.jsonl");
  const writer = new SessionWriter(file, { logReasoning: false, onFailure: () => {} });
  const conversation = new Conversation(writer);
  conversation.ask("go");
  conversation.say({ text: "", calls: [{ id: "a", name: "l.r", wire: "l__r", arguments: "{}" }], model: "m" });
  conversation.answer({ toolCallId: "a", name: "l.r", content: "Cancelled", outcome: "cancelled" });
  expect(conversation.late("a", { content: "it had finished", full: "r1" })).toBe(true);
  expect(conversation.late("a", { content: "twice" })).toBe(false);
  const again = restoreConversation(parseSession(readFileSync(file, "utf8")), undefined).conversation;
  expect(again.view()[2]).toMatchObject({ role: "tool", content: "it had finished", full: "r1" });
  conversation.undo();
  expect(conversation.late("a", { content: "of nothing" })).toBe(false);
});

test("a session in which nothing was said leaves no file", () => {
  const file = path.join(folder, "empty.jsonl");
  const writer = new SessionWriter(file, { logReasoning: false, onFailure: () => {} });
  writer.head({ id: "x", startedAt: "", cwd: "/w", model: "m", version: 1 }, "1");
  writer.close();
  expect(existsSync(file)).toBe(false);
});

test("older shapes, unknown kinds and rubbish in the middle are survived", () => {
  const read = parseSession(
    [
      '{"role":"user","content":"hi"}',
      '{"role":"assistant","content":"","tool_calls":[{"id":"c","type":"function","function":{"name":"a__b","arguments":"{}"}}]}',
      '{"role":"tool","tool_call_id":"c","content":"r"}',
      "{{{ rubbish",
      '{"t":"hologram","x":1}',
      '{"t":"session","v":99,"id":"x"}',
      '{"role":"assistant","content":"half',
    ].join("\n"),
  );
  expect(read).toMatchObject({ skipped: 1, isTorn: true, isNewer: true });
  expect(read.entries.length).toBe(3);
});

test("sessions are listed, found by their beginning, locked once, and pruned but for the newest", () => {
  const sessions = new SessionFolder(folder);
  const ids = Array.from({ length: 14 }, (_, n) => `202605${String(n + 10)}-1200-abcd`);
  for (const id of ids) {
    const writer = new SessionWriter(sessions.fileOf(id), { logReasoning: false, onFailure: () => {} });
    writer.head({ id, startedAt: "", cwd: "/w", model: "m", version: 1 }, "1");
    writer.turn({ role: "user", content: `question ${id}` });
    writer.close();
  }
  expect(sessions.list().length).toBe(14);
  expect(sessions.find("20260513", "/w")).toMatchObject({ firstQuestion: "question 20260513-1200-abcd" });
  expect(sessions.find("202605", "/w")).toMatch(/^14 sessions begin with 202605: 202605/);
  expect(sessions.find("2027", "/w")).toContain('there is no session "2027"');
  expect(sessions.find(undefined, "/elsewhere")).toBe("there is no session of this folder");
  expect(sessions.lock("20260513-1200-abcd")).toBe(true);
  expect(sessions.lock("20260513-1200-abcd")).toBe(false);
  sessions.unlock("20260513-1200-abcd");
  writeFileSync(`${sessions.fileOf("20260513-1200-abcd")}.lock`, "999999999");
  expect(sessions.lock("20260513-1200-abcd")).toBe(true);
  expect(sessions.prune(1, Date.now() + 10 * 86_400_000)).toBe(4);
  expect(sessions.list().length).toBe(10);
  expect(newSessionId(new Date(2026, 4, 12, 14, 37))).toMatch(/^20260512-1437-[a-z0-9]{4}$/);
});
