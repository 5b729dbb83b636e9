// Messages as nobody would send them, from a fixed seed: no crash, no hang, no answer to an id that was not asked.
import { expect, test } from "bun:test";
import type { Json, JsonObject } from "../src/wire/json-value.ts";
import { parseMessage } from "../src/wire/message.ts";
import { kitchenSink, newGate, until } from "./fixtures/kitchen-sink.ts";
import { initialized, modernMeta, rawConnection } from "./fixtures/raw-connection.ts";
import { httpPeer } from "./fixtures/http-peer.ts";
import { Random } from "./fixtures/random.ts";

const FULL = process.env["BOSUN_FUZZ"] === "full";
const STDIO_MESSAGES = FULL ? 1_000_000 : 100_000;
const HTTP_MESSAGES = FULL ? 100_000 : 10_000;

test(`${STDIO_MESSAGES} hostile messages on one connection each of four kinds`, async () => {
  for (const [seed, revision] of [
    [1, "2025-03-26"],
    [2, "2025-06-18"],
    [3, "2025-11-25"],
    [4, undefined],
  ] as const) {
    await hostileConnection(seed, revision, STDIO_MESSAGES / 4);
  }
}, 600_000);

async function hostileConnection(seed: number, revision: string | undefined, count: number): Promise<void> {
  const random = new Random(seed);
  const gate = newGate();
  gate.open(); // nothing waits for ever
  const connection = rawConnection(kitchenSink({}, gate), 1 << 16);
  if (revision) await initialized(connection, revision, { elicitation: {}, sampling: {}, roots: {} });
  connection.texts.length = 0;
  const asked = new Set<string>();
  let pending = "";
  let answers = 0;
  const checkAnswers = (): void => {
    const texts = connection.texts.splice(0);
    answers += texts.length;
    for (const text of texts) {
      for (const id of answeredIds(text)) if (!asked.has(id)) expect(id).toBe("an id that was asked");
      ended ||= text.includes(`"the end"`);
    }
  };
  let ended = false;
  for (let i = 0; i < count; i++) {
    const line = hostileLine(random).toWellFormed(); // halves of 😀 do not survive UTF-8
    for (const id of idsIn(line)) asked.add(id);
    pending += `${line}\n`;
    if (pending.length > 30_000) {
      writeInPieces(connection.write, pending, random);
      pending = "";
    }
    if (i % 1000 === 0) {
      await new Promise((resolve) => setImmediate(resolve));
      checkAnswers();
    }
  }
  connection.write(
    `${pending}{"jsonrpc":"2.0","id":"the end","method":"server/discover","params":{"_meta":${JSON.stringify(modernMeta())}}}\n`,
  );
  asked.add(`"the end"`);
  await until(() => {
    checkAnswers();
    return ended;
  }, "the answer to the last message");
  await connection.end();
  checkAnswers();
  expect(answers).toBeGreaterThan(count / 20);
}

test(`${HTTP_MESSAGES} hostile POSTs`, async () => {
  const random = new Random(5);
  const gate = newGate();
  gate.open();
  const peer = httpPeer(kitchenSink({}, gate), { maxSessions: 50 });
  const sessions = await Promise.all(
    ["2025-03-26", "2025-06-18", "2025-11-25"].map((revision) => peer.session(revision)),
  );
  for (let i = 0; i < HTTP_MESSAGES; i++) {
    const line = hostileLine(random).toWellFormed();
    const headers: Record<string, string> = { ...random.pick([{}, ...sessions]) };
    if (random.chance(0.3)) headers["mcp-protocol-version"] = random.pick(["2026-07-28", "2025-03-26", "x", ""]);
    if (random.chance(0.3)) headers["mcp-method"] = random.pick(METHODS);
    if (random.chance(0.3)) headers["mcp-name"] = random.pick(["echo", "=?base64?ZWNobw==?=", "=?base64?!?=", ""]);
    const other = await peer.send(random.pick(["POST", "GET", "PUT", "OPTIONS"]), undefined, { headers });
    await other.body?.cancel();
    const stop = new AbortController();
    const answer = await peer.post(line, { headers, signal: stop.signal });
    expect(answer.status).toBeLessThan(500);
    const asked = new Set(idsIn(line));
    if (answer.headers.get("content-type") === "application/json") {
      for (const id of answeredIds(await answer.text())) if (!asked.has(id)) expect(id).toBe("an id that was asked");
    }
    await answer.body?.cancel().catch(() => {});
    stop.abort();
    if (i % 500 === 0) sessions[i % 3] = await peer.session(["2025-03-26", "2025-06-18", "2025-11-25"][i % 3] ?? "");
  }
  peer.endpoint.close();
}, 600_000);

const METHODS = [
  "ping",
  "initialize",
  "server/discover",
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/read",
  "resources/subscribe",
  "resources/templates/list",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "logging/setLevel",
  "tasks/get",
  "tasks/result",
  "tasks/cancel",
  "tasks/update",
  "tasks/list",
  "subscriptions/listen",
  "notifications/cancelled",
  "notifications/initialized",
  "notifications/progress",
  "nope",
  "",
  "__proto__",
  "constructor",
  "toString",
];
const TOOLS = [
  "echo",
  "steps",
  "log",
  "sum",
  "list",
  "fail",
  "refuse",
  "ask_twice",
  "ask_all",
  "mirror",
  "broken_job",
  "nope",
];

function hostileLine(random: Random): string {
  const kind = random.next();
  if (kind < 0.08) return garbage(random);
  const text =
    kind < 0.16
      ? JSON.stringify(Array.from({ length: random.below(5) }, () => hostileMessage(random)))
      : JSON.stringify(hostileMessage(random));
  if (kind > 0.9) return cutOrBent(text, random);
  return text;
}

function hostileMessage(random: Random): Json {
  const message: JsonObject = { jsonrpc: random.chance(0.95) ? "2.0" : random.pick<Json>(["1.0", 2, null, "2"]) };
  if (random.chance(0.8)) message["id"] = random.chance(0.9) ? random.below(1_000_000) : hostileValue(random, 2);
  if (random.chance(0.9)) message["method"] = random.chance(0.95) ? random.pick(METHODS) : hostileValue(random, 1);
  if (random.chance(0.9)) message["params"] = hostileParams(random);
  if (random.chance(0.04)) message["result"] = hostileValue(random, 2);
  if (random.chance(0.04)) message["error"] = hostileValue(random, 2);
  if (random.chance(0.05)) message[random.pick(["__proto__", "x", "constructor"])] = hostileValue(random, 2);
  return message;
}

function hostileParams(random: Random): Json {
  if (random.chance(0.05)) return hostileValue(random, 3);
  const params: JsonObject = {};
  const members: [string, () => Json][] = [
    ["name", () => random.pick(TOOLS)],
    [
      "arguments",
      () => (random.chance(0.5) ? { text: "x", values: [1, 2, 1], numbers: [1, 2] } : hostileValue(random, 3)),
    ],
    ["uri", () => random.pick(["test://a", "test://item/1", "test://item/%ff", "file:///etc/passwd", "::"])],
    ["cursor", () => random.pick<Json>(["", "dG9vbHMKZWNobw", 5, null])],
    ["level", () => random.pick<Json>(["info", "loud", 3])],
    ["taskId", () => random.pick<Json>(["x", 3])],
    ["task", () => random.pick<Json>([{}, { ttl: 5 }, { ttl: -1 }, 3])],
    ["requestId", () => random.below(1_000_000)],
    ["progressToken", () => random.below(10)],
    ["protocolVersion", () => random.pick<Json>(["2025-03-26", "2026-07-28", "x", 5])],
    [
      "notifications",
      () => random.pick<Json>([{}, { toolsListChanged: true, resourceSubscriptions: ["test://a"] }, 3]),
    ],
    ["inputResponses", () => hostileValue(random, 2)],
    ["requestState", () => random.pick<Json>(["", "AAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", 4])],
    [
      "ref",
      () =>
        random.pick<Json>([
          { type: "ref/prompt", name: "greet" },
          { type: "ref/resource", uri: "test://item/{id}" },
          3,
        ]),
    ],
    ["argument", () => random.pick<Json>([{ name: "who", value: "x" }, { name: 3 }, null])],
  ];
  for (const [name, make] of members) if (random.chance(0.3)) params[name] = make();
  if (random.chance(0.4)) {
    params["_meta"] = random.chance(0.8)
      ? modernMeta(
          { progressToken: random.pick<Json>([1, "t", 1e30, null, {}]) },
          random.pick<JsonObject>([{}, { elicitation: {} }, { extensions: { "io.modelcontextprotocol/tasks": {} } }]),
        )
      : hostileValue(random, 2);
  }
  return params;
}

function hostileValue(random: Random, depth: number): Json {
  const scalars: Json[] = [
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e308,
    2 ** 53,
    "",
    "x",
    "\u0000",
    "\ud800",
    "😀",
    "__proto__",
  ];
  if (depth === 0 || random.chance(0.5)) return random.pick(scalars);
  if (random.chance(0.5)) return Array.from({ length: random.below(4) }, () => hostileValue(random, depth - 1));
  const value: JsonObject = {};
  for (let i = random.below(4); i > 0; i--)
    value[random.pick(["a", "id", "method", "__proto__", "text", "length"])] = hostileValue(random, depth - 1);
  return value;
}

function garbage(random: Random): string {
  const alphabet = `{}[]":,\\0123456789.eE+-truefalsn \t\u0000ü😀`;
  let text = "";
  for (let i = random.below(60); i > 0; i--) text += alphabet[random.below(alphabet.length)] ?? "";
  return text;
}

function cutOrBent(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  if (random.chance(0.5)) return text.slice(0, at);
  return (
    text.slice(0, at) + random.pick(["[", "}", '"', "\\", "1e999", "\u2028", "null"]) + text.slice(at + random.below(3))
  );
}

function writeInPieces(write: (bytes: Uint8Array) => void, text: string, random: Random): void {
  const bytes = new TextEncoder().encode(text);
  for (let from = 0; from < bytes.length;) {
    const to = Math.min(bytes.length, from + 1 + random.below(8000));
    write(bytes.subarray(from, to));
    from = to;
  }
}

function idsIn(line: string): string[] {
  const message = parseMessage(line.trim());
  const items = message.kind === "batch" ? message.items : [message];
  return items.flatMap((item) => ("id" in item && item.id !== undefined ? [item.id as string] : []));
}

/** Of answers only: requests and notifications of the server's own have a method. */
function answeredIds(text: string): string[] {
  const message = parseMessage(text);
  const items = message.kind === "batch" ? message.items : [message];
  for (const item of items) if (item.kind === "malformed") expect(text).toBe("a well-formed message");
  return items.flatMap((item) => (item.kind === "reply" && item.id !== undefined ? [item.id as string] : []));
}
