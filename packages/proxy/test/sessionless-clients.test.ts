// Clients of 2026-07-28 over HTTP, which has no sessions: none gets what is another's.
import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { callTool, listening } from "./proxy-over-http.ts";
import type { Answer, Caller } from "./proxy-over-http.ts";
import { bun, cleanUp, countIn, faulty, json, reasonOf, record, until } from "./proxy-process.ts";
import { scripted } from "./raw-client.ts";

afterAll(cleanUp);

const ASKABLE: Caller = { capabilities: { elicitation: { form: {} } } };
const text = ({ result }: Answer): string => result.content?.[0]?.text ?? "";
const questions = ({ result }: Answer): string[] =>
  Object.values(result.inputRequests ?? {}).map(({ method }) => method);

test.concurrent.each<[string, string]>([
  ["asks", "late"],
  ["late", "asks"],
])("a question comes back to the call that caused it: %s before %s", async (first, second) => {
  const log = record();
  await using proxy = await listening([], ["--", ...bun, faulty, log]);
  const calls: Promise<Answer>[] = [];
  for (const name of [first, second]) {
    calls.push(callTool(proxy.url, name, {}, ASKABLE));
    await until(() => countIn(log, name) === 1);
  }
  const [one, other] = await Promise.all(calls);
  const [asks, late] = first === "asks" ? [one, other] : [other, one];
  expect(asks && questions(asks)).toEqual(["elicitation/create"]);
  expect(late && text(late)).toBe("late");
  // The call that was asked about goes on where it was, and only for whoever holds its state.
  const back = {
    requestState: asks?.result.requestState,
    inputResponses: { q1: { action: "accept", content: { name: "Ann" } } },
  };
  const stranger = { ...ASKABLE, headers: { authorization: "Bearer somebody-else" } };
  expect((await callTool(proxy.url, "asks", back, stranger)).error?.message).toContain("unknown or has expired");
  expect(text(await callTool(proxy.url, "asks", back, ASKABLE))).toContain("Ann");
});

test.concurrent("one caller after the other, and callers who cannot be asked, use the same server", async () => {
  const log = record();
  await using proxy = await listening([], ["--", ...bun, faulty, log]);
  for (let n = 0; n < 5; n++) expect(text(await callTool(proxy.url, "ok", {}, ASKABLE))).toBe("fine");
  expect(countIn(log, "start")).toBe(1);
  await Promise.all(Array.from({ length: 5 }, () => callTool(proxy.url, "late")));
  expect(countIn(log, "start")).toBe(2);
});

test.concurrent("what a call that was given up may still ask, nobody else is asked", async () => {
  const log = record();
  await using proxy = await listening([], ["--", ...bun, faulty, log]);
  const gone = new AbortController();
  const given = callTool(proxy.url, "stall", {}, { ...ASKABLE, signal: gone.signal });
  await until(() => countIn(log, "stall") === 1);
  gone.abort();
  await reasonOf(given);
  // Whether the proxy knows already that it was given up or not, its server is for nobody else any more.
  for (let n = 0; n < 3; n++) expect(text(await callTool(proxy.url, "ok", {}, ASKABLE))).toBe("fine");
  expect(countIn(log, "start")).toBe(2);
});

test.concurrent("--max-clients holds for calls that need a server to themselves", async () => {
  const log = record();
  await using proxy = await listening(["--max-clients", "1"], ["--", ...bun, faulty, log]);
  const asked = [await callTool(proxy.url, "asks", {}, ASKABLE), await callTool(proxy.url, "asks", {}, ASKABLE)];
  expect(asked.flatMap(questions)).toHaveLength(2);
  // Both wait for a person: one at the servers that all nameless calls share, one at a copy. Another has no place.
  expect((await callTool(proxy.url, "ok", {}, ASKABLE)).status).toBe(503);
  expect(countIn(log, "start")).toBe(2);
  const inputResponses = { q1: { action: "decline" } };
  await callTool(proxy.url, "asks", { requestState: asked[0]?.result.requestState, inputResponses }, ASKABLE);
  expect(text(await callTool(proxy.url, "ok", {}, ASKABLE))).toBe("fine");
});

test.concurrent("who names itself has servers and originals of its own", async () => {
  const log = record();
  await using proxy = await listening([], ["--", ...bun, faulty, log]);
  const begun = await callTool(proxy.url, "tree", {}, { meta: { "bosun/session": "new" } });
  const session = { "bosun/session": String(begun.result._meta?.["bosun/session"]) };
  const handle = String(begun.result._meta?.["bosun/original"]);
  const byToken = { headers: { authorization: "Bearer alice" } };
  const rows = Array.from({ length: 40 }, (_, n) => ({ id: n, name: `row ${n}` }));
  const told = { arguments: { text: JSON.stringify(rows, undefined, 2) } };
  const other = String((await callTool(proxy.url, "plain", told, byToken)).result._meta?.["bosun/original"]);
  expect(countIn(log, "start")).toBe(2);
  const read = async (wanted: string, from: Caller): Promise<boolean> =>
    (await callTool(proxy.url, "read_original", { arguments: { handle: wanted } }, from)).result.isError !== true;
  expect(await read(handle, { meta: session })).toBe(true);
  expect(await read(other, byToken)).toBe(true);
  for (const from of [{}, byToken, { headers: { authorization: "Bearer bob" } }, { meta: { "bosun/session": "new" } }])
    expect(await read(handle, from)).toBe(false);
  for (const from of [{}, { meta: session }, { headers: { authorization: "Bearer bob" } }])
    expect(await read(other, from)).toBe(false);
  const guessed = await callTool(proxy.url, "ok", {}, { meta: { "bosun/session": "guessed" } });
  expect(guessed.error?.message).toContain("not a session of yours");
});

test.concurrent("what a request declares counts, and not what an earlier one did", async () => {
  const log = record();
  const ask = '{"jsonrpc":"2.0","id":"a","method":"elicitation/create","params":{"message":"Who?"}}';
  const answered = '{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"done"}]}}';
  const tools = '{"jsonrpc":"2.0","id":$ID,"result":{"tools":[{"name":"ask","inputSchema":{"type":"object"}}]}}';
  const says = { "tools/list": [tools], "tool:ask": [ask], reply: [answered] };
  await using proxy = await listening([], ["--", ...bun, scripted, json({ says }), log]);
  expect(questions(await callTool(proxy.url, "ask", {}, ASKABLE))).toEqual(["elicitation/create"]);
  const second = await callTool(proxy.url, "ask");
  expect(questions(second)).toEqual([]);
  expect(text(second)).toBe("done"); // it asked all the same, and was told that there is nobody to ask
  expect(questions(await callTool(proxy.url, "ask", {}, ASKABLE))).toEqual(["elicitation/create"]);
  const greetings = readFileSync(log, "utf8").match(/"capabilities":\{(?:"elicitation":\{"form":\{\}\})?\}/g) ?? [];
  expect(greetings.filter((one) => one === '"capabilities":{}')).toHaveLength(1);
  expect(readFileSync(log, "utf8")).toContain("-32601");
});
