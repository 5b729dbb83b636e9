// S13 and S14: who comes over HTTP without being the token's holder, and clients that try each other's names.
import { existsSync } from "node:fs";
import path from "node:path";
import { must } from "./arena.ts";
import type { Arena, Attack, Variant } from "./arena.ts";
import type { HttpServer, Session } from "../harness/http.ts";

const TOKEN = "a-token-that-nobody-guesses-1234";
const GOOD = { authorization: `Bearer ${TOKEN}` };

type Caller = readonly [name: string, headers: (server: HttpServer) => Record<string, string>, raw?: RawRequest];
type RawRequest = { readonly method?: string; readonly query?: string; readonly type?: string };

const CALLERS: readonly Caller[] = [
  ["no token", () => ({})],
  ["an empty token", () => ({ authorization: "Bearer " })],
  ["another token", () => ({ authorization: `Bearer ${TOKEN}x` })],
  ["a beginning of the token", () => ({ authorization: `Bearer ${TOKEN.slice(0, -1)}` })],
  ["the token in another scheme", () => ({ authorization: `Basic ${btoa(`x:${TOKEN}`)}` })],
  ["the token without a scheme", () => ({ authorization: TOKEN })],
  ["the token in the address", () => ({}), { query: `?token=${TOKEN}&access_token=${TOKEN}` }],
  ["the token in a cookie", () => ({ cookie: `token=${TOKEN}; authorization=Bearer ${TOKEN}` })],
  ["another name for this machine", (s) => ({ ...GOOD, host: `evil.example:${s.url.port}` })],
  ["a name that starts like this machine", (s) => ({ ...GOOD, host: `localhost.evil.example:${s.url.port}` })],
  ["an address that is not ours", (s) => ({ ...GOOD, host: `10.0.0.1:${s.url.port}` })],
  ["a web page", () => ({ ...GOOD, origin: "https://evil.example" })],
  ["a web page on this machine", () => ({ ...GOOD, origin: "http://localhost:3000" })],
  ["a page without an origin", () => ({ ...GOOD, origin: "null" })],
  ["a form", () => ({ origin: "https://evil.example" }), { type: "text/plain" }],
  [
    "a form with a token",
    () => ({ ...GOOD, origin: "https://evil.example" }),
    { type: "application/x-www-form-urlencoded" },
  ],
  [
    "a preflight",
    () => ({
      origin: "https://evil.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization",
    }),
    { method: "OPTIONS" },
  ],
  ["an image", () => ({ origin: "https://evil.example" }), { method: "GET" }],
];

const shared = new WeakMap<Arena, Promise<HttpServer>>();

const callers: Variant[] = CALLERS.map(([name, headers, raw = {}]) => ({
  name,
  async attempt(arena) {
    const server = await open(arena);
    const planted = path.join(server.root, "planted");
    const body = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "bash", arguments: { command: `touch ${planted}` } },
    };
    const method = raw.method ?? "POST";
    const response = await fetch(new URL(`${server.url.pathname}${raw.query ?? ""}`, server.url), {
      method,
      headers: {
        "content-type": raw.type ?? "application/json",
        accept: "application/json, text/event-stream",
        ...headers(server),
      },
      ...(method === "POST" ? { body: JSON.stringify(body) } : {}),
    });
    await response.text();
    must(response.status >= 400, `it was let in with ${response.status}`);
    must(response.headers.get("access-control-allow-origin") === null, "a web page may read the answer");
    must(!existsSync(planted), "its command ran");
  },
}));

const lastCaller: Variant = {
  name: "the holder of the token is let in",
  async attempt(arena) {
    const server = await open(arena);
    const session = await server.session(GOOD);
    must((await session.text("bash", { command: "echo in" })).includes("in\n"), "it was not let in");
    shared.delete(arena);
    await server[Symbol.asyncDispose]();
  },
};

const elsewhere: Variant = {
  name: "all addresses without a token: refused at the start",
  async attempt(arena) {
    const server = await arena.ownHttp(["--host", "0.0.0.0"]);
    must(server.process.exitCode !== null && server.process.exitCode !== 0, "it listens to everybody");
    await server[Symbol.asyncDispose]();
  },
};

type Meeting = readonly [name: string, meet: (one: Session, two: Session, server: HttpServer) => Promise<void>];
const MEETINGS: readonly Meeting[] = [
  [
    "another's directory",
    async (one, two) => {
      await one.text("bash", { command: "mkdir -p deep && cd deep" });
      must(!(await two.text("bash", { command: "pwd" })).includes("deep"), "the directory crossed");
    },
  ],
  [
    "another's variables and temporary files",
    async (one, two) => {
      await one.text("bash", { command: 'export MINE=1; echo crossing > "${TMPDIR:-/tmp}/of-one"' });
      must(!(await two.text("bash", { command: "env; echo $MINE" })).includes("MINE"), "a variable crossed");
    },
  ],
  [
    "another's task",
    async (one, two) => {
      const started = await one.text("bash", { command: "echo of-one; sleep 20", run_in_background: true });
      const id = /[0-9a-f-]{8,}/.exec(started)?.[0] ?? "none";
      const said = JSON.stringify(await two.call("task_output", { task_id: id }));
      must(!said.includes("of-one"), "another's output was read");
    },
  ],
  [
    "guessed tasks",
    async (one, two) => {
      await one.text("bash", { command: "echo of-one", run_in_background: true });
      for (const id of ["1", "0", "task-1", "../1", "*", "", "00000000-0000-0000-0000-000000000000"]) {
        const said = JSON.stringify(await two.call("task_output", { task_id: id }));
        must(!said.includes("of-one"), `task ${id} was read`);
      }
    },
  ],
  [
    "a view before an edit by another",
    async (one, two) => {
      await one.text("create_file", { path: "of-one.txt", content: "first\n" });
      await one.text("view", { path: "of-one.txt" });
      const said = await two.call("str_replace", { path: "of-one.txt", old_str: "first", new_str: "second" });
      must(said.isError === true, "another's view counted");
    },
  ],
  [
    "a session that was ended",
    async (one, two) => {
      await one.text("bash", { command: "true" });
      await one.delete();
      const answer = await one.post({ jsonrpc: "2.0", id: 9, method: "tools/list" });
      must(answer.status === 404, `an ended session answers with ${answer.status}`);
      must((await two.text("bash", { command: "echo on" })).includes("on"), "the other ended with it");
    },
  ],
  [
    "a session that was never opened",
    async (one, _two, server) => {
      for (const id of ["x", "1", one.headers["mcp-session-id"]?.slice(0, -1) ?? ""]) {
        const headers = { ...one.headers, "mcp-session-id": id };
        const answer = await server.post({ jsonrpc: "2.0", id: 9, method: "tools/list" }, headers);
        must(answer.status === 404, `session ${id} answers with ${answer.status}`);
      }
    },
  ],
  [
    "the same request ids, interleaved",
    async (one, two) => {
      const ask = (session: Session, word: string): Promise<Response> =>
        session.post({
          jsonrpc: "2.0",
          id: 77,
          method: "tools/call",
          params: { name: "bash", arguments: { command: `sleep 0.2; echo ${word}` } },
        });
      const [first, second] = await Promise.all([ask(one, "alpha"), ask(two, "beta")]);
      const [a, b] = [await first.text(), await second.text()];
      must(a.includes("alpha") && !a.includes("beta") && b.includes("beta") && !b.includes("alpha"), "answers crossed");
    },
  ],
  [
    "cancelling another's call",
    async (one, two) => {
      const call = {
        jsonrpc: "2.0",
        id: 78,
        method: "tools/call",
        params: { name: "bash", arguments: { command: "sleep 1; echo finished" } },
      };
      const answer = one.post(call);
      await two.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 78 } });
      must((await (await answer).text()).includes("finished"), "it was cancelled by another");
    },
  ],
];

const meetings: Variant[] = MEETINGS.map(([name, meet]) => ({
  name,
  async attempt(arena) {
    await using server = await arena.ownHttp(["--token", TOKEN, "--require-view-before-edit", "true"]);
    const [one, two] = await Promise.all([server.session(GOOD), server.session(GOOD)]);
    await meet(one, two, server);
  },
}));

export const HTTP_CALLERS: readonly Attack[] = [
  { row: "S13", title: "a browser, or somebody without the token", variants: [...callers, lastCaller, elsewhere] },
  { row: "S14", title: "another client's ids, handles, jobs", variants: meetings, independent: true },
];

function open(arena: Arena): Promise<HttpServer> {
  const known = shared.get(arena) ?? arena.ownHttp(["--token", TOKEN]);
  shared.set(arena, known);
  return known;
}
