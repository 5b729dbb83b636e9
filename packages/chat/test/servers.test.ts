// Servers of all ages and moods through the real program: what is offered, what a call becomes, how a connection heals.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createServer, defineTool, object, serveConnection, text as toolText, transportPair } from "@bosun/mcp";
import type { JsonObject } from "@bosun/mcp";
import { aish, makeHome, modelSettings, stdioServer } from "./home.ts";
import type { Home } from "./home.ts";
import { calls, says, startModel } from "./scripted-model.ts";
import type { ScriptedModel } from "./scripted-model.ts";

const RAW = path.join(import.meta.dir, "raw-server.ts");
const BUN = process.execPath;

let home: Home;
let model: ScriptedModel;
beforeEach(() => {
  home = makeHome();
  model = startModel();
});
afterEach(async () => {
  const { problems } = model;
  await model.stop();
  home.remove();
  expect(problems).toEqual([]);
});

function toolNames(request: number): string[] {
  const tools = (model.seen[request]?.body["tools"] ?? []) as { function: { name: string } }[];
  return tools.map((tool) => tool.function.name);
}

function results(request = -1): string[] {
  const messages = (model.seen.at(request)?.body["messages"] ?? []) as { role: string; content: string }[];
  return messages.filter(({ role }) => role === "tool").map(({ content }) => content);
}

describe("lists", () => {
  test("all pages; odd names get wire names; the nameless and the doubled are skipped and said", async () => {
    home.settings(modelSettings(model.url, stdioServer("raw", BUN, [RAW, "pages"])));
    model.push(says("ok"));
    const { stderr } = await aish(home, ["-p", "go"]);
    const names = toolNames(0);
    expect(names).toContain("raw__first");
    expect(names).toContain("raw__grow");
    expect(names.some((name) => /^raw__no_schema_[0-9a-z]{7}$/.test(name))).toBe(true);
    expect(names.some((name) => /^raw_{6}x+_[0-9a-z]{7}$/.test(name) && name.length === 63)).toBe(true);
    expect(stderr).toContain("a second tool called no.schema was skipped");
    expect(stderr).toContain("a tool without a name was skipped");
  });

  test("a list that changes is offered with the next request; junk on stdout is no error", async () => {
    home.settings(modelSettings(model.url, stdioServer("raw", BUN, [RAW])));
    model.push(calls(["raw__grow", {}]), { ...calls(["raw__grow", { again: 1 }]), delayMs: 400 }, says("ok"));
    await aish(home, ["-p", "--allow", "raw.*", "go"]);
    expect(toolNames(0)).not.toContain("raw__drop_table");
    expect(toolNames(2)).toContain("raw__drop_table");
    expect(results()).toEqual(["grown", "grown"]);
  });

  test("tools.allow and tools.deny choose what the model sees", async () => {
    home.settings(
      modelSettings(
        model.url,
        `${stdioServer("raw", BUN, [RAW, "pages"])}tools.allow = ["gr*", "first"]\ntools.deny = ["first"]\n`,
      ),
    );
    model.push(says("ok"));
    await aish(home, ["-p", "go"]);
    expect(toolNames(0)).toEqual(["raw__grow"]);
  });

  test("simplified schemas: references inlined, once the server has complained", async () => {
    home.settings(modelSettings(model.url, stdioServer("raw", BUN, [RAW])));
    model.push({ status: 400, body: '{"error":"Invalid schema for function"}' }, says("ok"));
    await aish(home, ["-p", "go"]);
    expect(JSON.stringify(model.seen[0]?.body["tools"])).toContain("$ref");
    expect(JSON.stringify(model.seen[1]?.body["tools"])).not.toContain("$ref");
    // Learnt for good: the next run begins with it.
    model.push(says("ok"));
    await aish(home, ["-p", "go"]);
    expect(JSON.stringify(model.seen[2]?.body["tools"])).not.toContain("$ref");
  });
});

test("a server's own error text stays with the person; the model gets a fixed sentence", async () => {
  home.settings(modelSettings(model.url, stdioServer("raw", BUN, [RAW])));
  model.push(calls(["raw.no.schema", {}]), says("ok"));
  const { stderr } = await aish(home, ["-p", "--allow", "raw.*", "go"]);
  expect(stderr).toContain("internal detail /etc/passwd (-32603)");
  expect(results()).toEqual(["Not completed: the tool server reported an internal error."]);
});

test("no call got through twice in a row: stopped as at the limit", async () => {
  home.settings(modelSettings(model.url, stdioServer("raw", BUN, [RAW])));
  model.push(calls(["raw.no.schema", { a: 1 }]), calls(["raw.no.schema", { a: 2 }]), says("never"));
  const { code, stderr } = await aish(home, ["-p", "--allow", "raw.*", "go"]);
  expect(code).toBe(4);
  expect(stderr).toContain("no call got through 2 times in a row");
});

/** A plain server of 2025-03-26: one POST per message, closed after each answer, no stream, sessions that expire. */
function lmcp(options: { sessions?: boolean; late?: boolean } = {}) {
  const cancelled = Promise.withResolvers<void>();
  const seen: { method: string; session: string | null; accept: string | null }[] = [];
  let session = 0;
  let expireNext = false;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (request.method === "GET")
        return new Response("event: endpoint\ndata: /mcp\n\n", { headers: { "content-type": "text/event-stream" } });
      if (request.method === "DELETE") return new Response(null, { status: 204 });
      const message = (await request.json()) as { id?: number; method: string; params?: JsonObject };
      seen.push({
        method: message.method,
        session: request.headers.get("mcp-session-id"),
        accept: request.headers.get("accept"),
      });
      if (message.method === "notifications/cancelled") cancelled.resolve();
      if (message.id === undefined) return new Response(null, { status: 202 });
      const headers: Record<string, string> = { connection: "close" };
      const reply = (body: object): Response => Response.json({ jsonrpc: "2.0", id: message.id, ...body }, { headers });
      if (options.sessions === true && message.method !== "initialize" && message.method !== "server/discover") {
        if (expireNext || request.headers.get("mcp-session-id") !== `s${session}`) {
          expireNext = false;
          return new Response("no session", { status: 404 });
        }
      }
      switch (message.method) {
        case "initialize":
          session += 1;
          if (options.sessions === true) headers["mcp-session-id"] = `s${session}`;
          return reply({
            result: {
              protocolVersion: "2025-03-26",
              capabilities: { tools: { listChanged: false } },
              serverInfo: { name: "lmcp", version: "0.5.4" },
            },
          });
        case "tools/list":
          return reply({
            result: {
              tools: [{ name: "read_file", description: "Read a text file", inputSchema: { type: "object" } }],
            },
          });
        case "tools/call":
          if (options.late === true) {
            await cancelled.promise;
            return reply({ result: { content: [{ type: "text", text: "late but whole" }] } });
          }
          if (message.params?.["name"] !== "read_file")
            return reply({ error: { code: -32601, message: "Tool not found" } });
          return reply({ result: { content: [{ type: "text", text: "Error: no such file" }], isError: true } });
        default:
          return reply({ error: { code: -32601, message: "Method not found" } });
      }
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    seen,
    expire: () => (expireNext = true),
    stop: () => server.stop(true),
  };
}

describe("a call that was given up", () => {
  test("its result counts when it comes a moment after the time limit", async () => {
    home.settings(modelSettings(model.url, `${stdioServer("raw", BUN, [RAW, "late"])}call_timeout_s = 1\n`));
    model.push(calls(["raw__grow", {}]), says("ok"));
    expect((await aish(home, ["-p", "--allow", "raw.*", "go"])).code).toBe(0);
    expect(results()).toEqual(["done all the same"]);
  });

  test("over HTTP of the older revisions, too: the server is told, and what it says then counts", async () => {
    const server = lmcp({ late: true });
    home.settings(modelSettings(model.url, `[mcp.servers.web]\nurl = "${server.url}"\ncall_timeout_s = 1\n`));
    model.push(calls(["web__read_file", {}]), says("ok"));
    await aish(home, ["-p", "--allow", "web.*", "go"]);
    expect(results()).toEqual(["late but whole"]);
    expect(server.seen.filter(({ method }) => method === "notifications/cancelled").length).toBe(1);
    await server.stop();
  });
});

describe("a pinned revision", () => {
  test("is what the server is asked for", async () => {
    const server = `${stdioServer("raw", BUN, [RAW, "agreeable"])}protocol = "2025-06-18"\n`;
    home.settings(modelSettings(model.url, server));
    const { stdout } = await aish(home, ["mcp", "list"]);
    expect(stdout).toMatch(/raw +ready .* 2025-06-18 /);
  });

  test("is a reason not to connect when the server speaks another", async () => {
    home.settings(modelSettings(model.url, `${stdioServer("raw", BUN, [RAW])}protocol = "2025-06-18"\n`));
    const { code, stdout } = await aish(home, ["mcp", "list"]);
    expect(code).toBe(5);
    expect(stdout).toContain("it speaks 2025-03-26, and 2025-06-18 is pinned");
  });
});

/** The transport of 2024-11-05: everything the server says on one stream, everything it hears at another address. */
function sseServer() {
  const seen: { method: string; authorization: string | null }[] = [];
  let say: ((text: string) => void) | undefined;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/sse" && request.method === "POST") return new Response("no", { status: 405 });
      if (pathname === "/sse") {
        const stream = new ReadableStream({
          start(controller) {
            say = (text) => controller.enqueue(new TextEncoder().encode(text));
            say("event: endpoint\ndata: /messages?session=1\n\n");
          },
        });
        return new Response(stream, { headers: { "content-type": "text/event-stream" } });
      }
      const { id, method, params } = (await request.json()) as { id?: number; method: string; params?: JsonObject };
      seen.push({ method, authorization: request.headers.get("authorization") });
      const result: Record<string, object> = {
        initialize: {
          protocolVersion: "2024-11-05",
          capabilities: { tools: {} },
          serverInfo: { name: "old", version: "1" },
        },
        "tools/list": { tools: [{ name: "add", description: "Adds", inputSchema: { type: "object" } }] },
        "tools/call": { content: [{ type: "text", text: `added ${JSON.stringify(params?.["arguments"])}` }] },
      };
      const body = result[method]
        ? { result: result[method] }
        : { error: { code: -32601, message: "Method not found" } };
      if (id !== undefined) say?.(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, ...body })}\n\n`);
      return new Response("Accepted", { status: 202 });
    },
  });
  return { url: `http://127.0.0.1:${server.port}/sse`, seen, stop: () => server.stop(true) };
}

test("a server of 2024-11-05 over HTTP+SSE: named as such in another program's list, called with its token", async () => {
  const server = sseServer();
  home.settings(modelSettings(model.url));
  const list = { mcpServers: { old: { type: "sse", url: server.url, headers: { Authorization: "Bearer t-123456" } } } };
  writeFileSync(path.join(home.work, "list.json"), JSON.stringify(list));
  model.push(calls(["old__add", { a: 1 }]), says("ok"));
  const { code } = await aish(home, ["-p", "--mcp-config", "list.json", "--allow", "old.*", "go"]);
  expect(code).toBe(0);
  expect(results()).toEqual(['added {"a":1}']);
  expect(server.seen.map(({ method }) => method)).toEqual([
    "initialize",
    "notifications/initialized",
    "tools/list",
    "tools/call",
  ]);
  for (const { authorization } of server.seen) expect(authorization).toBe("Bearer t-123456");
  await server.stop();
});

test("transport in the settings: sse is asked the old way only, http never is", async () => {
  const server = sseServer();
  const settings = (transport: string): string =>
    `[mcp.servers.old]\nurl = "${server.url}"\ntransport = "${transport}"\n`;
  home.settings(modelSettings(model.url, settings("sse")));
  expect((await aish(home, ["mcp", "list"])).stdout).toMatch(/old +ready +http .* 2024-11-05 /);
  home.settings(modelSettings(model.url, settings("http")));
  expect((await aish(home, ["mcp", "list"])).stdout).toMatch(/old +failed .*405/);
  await server.stop();
});

describe("over HTTP", () => {
  test("a plain server of 2025-03-26: era found and remembered, both types accepted, isError passed on", async () => {
    const server = lmcp();
    home.settings(
      modelSettings(
        model.url,
        `[mcp.servers.boltzmann]\nurl = "${server.url}"\n[mcp.auto_approve]\n"boltzmann.read_file" = true\n`,
      ),
    );
    model.push(calls(["boltzmann__read_file", { path: "a" }]), says("ok"), says("ok"));
    expect((await aish(home, ["-p", "--trace", "t.jsonl", "go"])).code).toBe(0);
    // Traffic with servers is in the trace beside that with the model.
    const trace = readFileSync(path.join(home.work, "t.jsonl"), "utf8");
    expect(trace).toMatch(/"path":"\/mcp","body":\{[^\n]*"tools\/call"[^\n]*no such file/);
    expect(results()).toEqual(["Error: no such file"]);
    expect(server.seen[0]?.method).toBe("server/discover");
    for (const { accept } of server.seen) expect(accept).toContain("application/json, text/event-stream");
    server.seen.length = 0;
    await aish(home, ["-p", "go"]);
    expect(server.seen[0]?.method).toBe("initialize");
    await server.stop();
  });

  test("a session that expired is opened anew, and the call is sent again once", async () => {
    const server = lmcp({ sessions: true });
    home.settings(modelSettings(model.url, `[mcp.servers.web]\nurl = "${server.url}"\n`));
    model.push({ ...calls(["web__read_file", {}]), expect: () => void server.expire() }, says("ok"));
    await aish(home, ["-p", "--allow", "web.*", "go"]);
    expect(results()).toEqual(["Error: no such file"]);
    expect(server.seen.filter(({ method }) => method === "initialize").length).toBe(2);
    await server.stop();
  });

  test("a server that is not there is a status, not an end", async () => {
    home.settings(modelSettings(model.url, '[mcp.servers.gone]\nurl = "http://127.0.0.1:9/mcp"\n'));
    model.push(says("fine"));
    expect(await aish(home, ["-p", "go"])).toMatchObject({ code: 0, stdout: "fine\n" });
    expect(model.seen[0]?.body["tools"]).toBeUndefined();
  });
});

test("a server inside the process, as `here` is, through the same approval", async () => {
  home.settings(modelSettings(model.url));
  const tool = defineTool({ name: "where", description: "x", input: object({}), run: async () => toolText("in here") });
  const open = () => {
    const [client, server] = transportPair();
    void serveConnection(
      createServer({ name: "here", version: "1", tools: [tool], instructions: "No network in here." }),
      server,
    );
    return client;
  };
  const host = { builtIns: [{ alias: "here", label: "coding tools", open }] };
  model.push(calls(["here__where", {}]), says("no"), calls(["here__where", {}]), says("yes"));
  expect((await aish(home, ["-p", "go"], { host })).code).toBe(3);
  expect((await aish(home, ["-p", "--allow", "here.*", "go"], { host })).code).toBe(0);
  expect(results()).toEqual(["in here"]);
  // What it says of itself is known to the model; a stranger's words would not be.
  expect(JSON.stringify(model.seen.at(-1)?.body["messages"])).toContain("About the tools of here: No network in here.");
});
