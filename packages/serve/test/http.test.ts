// The HTTP side as the contract has it: sessions, routes, tokens, hosts, isolation.
import { afterAll, beforeAll, expect } from "bun:test";
import { mkdirSync } from "node:fs";
import { announceRows, row, rows, together } from "./harness/contract.ts";
import { HttpServer, resultIn } from "./harness/http.ts";
import { BUN, cleanEnvironment, eventually, MAIN, processesWith, scratch } from "./harness/server.ts";

announceRows();

const TOKEN = "correct horse battery staple";
let open: HttpServer;
let closed: HttpServer;
beforeAll(async () => {
  [open, closed] = await Promise.all([
    HttpServer.start({ args: ["--sandbox", "off", "--session-idle-timeout", "2"] }),
    HttpServer.start({ args: ["--sandbox", "off", "--token", TOKEN], files: { "a.txt": "hello\n" } }),
  ]);
});
afterAll(async () => {
  await Promise.all([open[Symbol.asyncDispose](), closed[Symbol.asyncDispose]()]);
});

row("server", "/health answers everybody", async () => {
  for (const server of [open, closed]) {
    const response = await fetch(new URL("/health", server.url));
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual({ status: "ok" });
  }
});

row("server", "there are no other routes", async () => {
  for (const route of ["/", "/mcp/x", "/healthz", "/metrics"])
    expect((await fetch(new URL(route, open.url))).status).toBe(404);
});

rows(
  "server",
  [
    ["no token", {}, 401],
    ["a wrong token", { authorization: "Bearer wrong" }, 401],
    ["a prefix of it", { authorization: `Bearer ${TOKEN.slice(0, -1)}` }, 401],
    ["one character more", { authorization: `Bearer ${TOKEN}x` }, 401],
    ["another scheme", { authorization: `Basic ${TOKEN}` }, 401],
    ["the token without a scheme", { authorization: TOKEN }, 401],
    ["the token", { authorization: `Bearer ${TOKEN}` }, 200],
    ["the scheme in any case", { authorization: `bEARER ${TOKEN}` }, 200],
  ] satisfies [string, Record<string, string>, number][],
  async (_, headers, status) => {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    const response = await closed.post({ jsonrpc: "2.0", id: 1, method: "initialize", params }, headers);
    expect(response.status).toBe(status);
    if (status === 401) {
      expect(await response.json()).toMatchObject({ error: "invalid_token" });
      const isWrong = new Headers(headers).get("authorization")?.startsWith("Bearer ") === true;
      const problem = 'error="invalid_token", error_description="the token is not known"';
      expect(response.headers.get("www-authenticate")).toBe(isWrong ? `Bearer ${problem}` : "Bearer");
    }
  },
);

rows(
  "server",
  [
    ["another Host", { host: "evil.example" }, 403],
    ["a rebinding name", { host: "127.0.0.1.evil.example" }, 403],
    ["another Origin", { origin: "https://evil.example" }, 403],
    ["an opaque Origin", { origin: "null" }, 403],
    ["an Origin on another port", { origin: "http://127.0.0.1:1" }, 403],
  ] satisfies [string, Record<string, string>, number][],
  async (_, headers, status) => {
    const response = await open.post({ jsonrpc: "2.0", id: 1, method: "ping" }, headers);
    expect(response.status).toBe(status);
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
  },
);

row("server", "a web page's preflight is refused, unless its origin is allowed", async () => {
  const preflight = (server: HttpServer, origin: string): Promise<Response> =>
    fetch(server.url, { method: "OPTIONS", headers: { origin, "access-control-request-method": "POST" } });
  expect((await preflight(open, "https://evil.example")).status).toBe(403);
  await using friendly = await HttpServer.start({
    args: ["--sandbox", "off", "--allow-origin", "https://app.example"],
  });
  const allowed = await preflight(friendly, "https://app.example");
  expect(allowed.status).toBe(204);
  expect(allowed.headers.get("access-control-allow-origin")).toBe("https://app.example");
  for (const name of ["mcp-protocol-version", "last-event-id", "mcp-session-id", "authorization"]) {
    expect(allowed.headers.get("access-control-allow-headers")?.toLowerCase()).toContain(name);
  }
  expect((await preflight(friendly, "https://evil.example")).status).toBe(403);
});

row("server", "a session keeps its directory; another client has its own", async () => {
  mkdirSync(`${open.root}/sub`, { recursive: true });
  const [one, two] = await Promise.all([open.session(), open.session()]);
  await one.call("bash", { command: "cd sub" });
  expect(await one.text("bash", { command: "pwd" })).toContain(`${open.root}/sub`);
  expect(await two.text("bash", { command: "pwd" })).toBe(`exit_code: 0\n\nstdout:\n${open.root}\n`);
});

row("server", "another client's tasks and handles do not exist", async () => {
  const [one, two] = await Promise.all([open.session(), open.session()]);
  const started = await one.text("bash", { command: "sleep 30", run_in_background: true });
  const task_id = /task_id: (\w+)/.exec(started)?.[1] ?? "";
  const cut = await one.call("bash", { command: "seq 1 20000" });
  const handle = /task_id "(\w+)"/.exec(cut.content[0]?.text ?? "")?.[1] ?? "";
  for (const id of [task_id, handle]) {
    expect(await two.text("task_output", { task_id: id, offset: 0 })).toBe(
      `[BASH_TASK_NOT_FOUND] task not found: ${id}`,
    );
    expect(await one.text("task_output", { task_id: id, offset: 0 })).toMatch(/^status: /);
  }
  expect(await two.text("task_output", { task_id, stop: true })).toMatch(/^\[BASH_TASK_NOT_FOUND\]/);
});

row("server", "two clients with the same request ids do not meet", async () => {
  const [one, two] = await Promise.all([open.session(), open.session()]);
  const ask = (session: typeof one, word: string): Promise<string> =>
    session
      .post({
        jsonrpc: "2.0",
        id: 7,
        method: "tools/call",
        params: { name: "bash", arguments: { command: `sleep 0.3; echo ${word}` } },
      })
      .then(async (response) => resultIn(await response.text()).content[0]?.text ?? "");
  const said = await Promise.all([ask(one, "first"), ask(two, "second")]);
  expect(said.map((text) => /first|second/.exec(text)?.[0])).toEqual(["first", "second"]);
});

rows(
  "server",
  [
    ["DELETE is answered when a task that ignores TERM is gone", true],
    ["DELETE is answered when a call that ignores TERM is gone", false],
  ] satisfies [string, boolean][],
  async (_, run_in_background) => {
    const mark = `607.${process.pid}${run_in_background ? 1 : 2}`;
    const session = await open.session();
    const command = `trap '' TERM HUP INT; while :; do sleep ${mark}; done`;
    const call = session.call("bash", { command, run_in_background }).catch(() => undefined);
    await eventually("it runs", () => processesWith(`sleep ${mark}`).length > 0);
    expect((await session.delete()).status).toBe(204);
    expect(processesWith(`sleep ${mark}`)).toEqual([]);
    await call;
  },
);

row("server", "DELETE ends the session and its tasks; its id is then unknown", async () => {
  const mark = `606.${process.pid}`;
  const session = await open.session();
  await session.call("bash", { command: `sleep ${mark}`, run_in_background: true });
  await eventually("it runs", () => processesWith(`sleep ${mark}`).length > 0);
  expect((await session.delete()).status).toBe(204);
  expect((await session.post({ jsonrpc: "2.0", id: 9, method: "ping" })).status).toBe(404);
  await eventually("it is dead", () => processesWith(`sleep ${mark}`).length === 0);
});

together(() => {
  row("server", "an idle session is forgotten", async () => {
    const session = await open.session();
    await session.call("bash", { command: "true" });
    await eventually("it is gone", async () => {
      await Bun.sleep(2500); // asking counts as use
      return (await session.post({ jsonrpc: "2.0", id: 9, method: "ping" })).status === 404;
    });
  });

  row("server", "a running task is activity: its session is not forgotten meanwhile", async () => {
    const session = await open.session();
    const started = await session.text("bash", { command: "sleep 5; echo built", run_in_background: true });
    const task_id = /task_id: (\w+)/.exec(started)?.[1] ?? "";
    await Bun.sleep(5000); // more than twice the idle limit, without a word
    expect(await session.text("task_output", { task_id, wait: 10_000 })).toContain("built");
  });
});

row("server", "a dropped connection does not cancel a call of the 2025 revisions", async () => {
  const session = await open.session();
  const away = new AbortController();
  const lost = session.call("bash", { command: "sleep 0.6; touch finished" }, away.signal).catch(() => "lost");
  await Bun.sleep(200); // until the call is on its way; nothing tells the client
  away.abort();
  expect(await lost).toBe("lost");
  await eventually("it finished all the same", async () =>
    (await session.text("bash", { command: "ls finished" })).includes("exit_code: 0"),
  );
});

row("server", "2026-07-28: no session, so no directory left behind; a handle keeps one", async () => {
  const call = async (args: unknown, more: Record<string, unknown> = {}) => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      ...more,
    };
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "bash" };
    const response = await open.post(
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "bash", arguments: args, _meta } },
      headers,
    );
    return response.text();
  };
  mkdirSync(`${open.root}/sub`, { recursive: true });
  await call({ command: "cd sub" });
  expect(resultIn(await call({ command: "pwd" })).content[0]?.text).toContain(`stdout:\n${open.root}\n`);
  const begun = resultIn(await call({ command: "cd sub" }, { "bosun/session": "new" }));
  const handle = String(begun._meta?.["bosun/session"]);
  expect(resultIn(await call({ command: "pwd" }, { "bosun/session": handle })).content[0]?.text).toContain(
    `stdout:\n${open.root}/sub\n`,
  );
  expect(await call({ command: "pwd" }, { "bosun/session": "guessed" })).toContain("not a session of yours");
});

row(
  "server",
  "2026-07-28: the first line of bash says where the next call starts, and its session goes on there",
  async () => {
    const root = open.root;
    mkdirSync(`${root}/sub/deeper`, { recursive: true });
    const moved = await open.sessionless("bash", { command: "cd sub; seq 1 20000" });
    const first = moved.content[0]?.text?.split("\n")[0] ?? "";
    const session = String(moved._meta?.["bosun/session"]);
    expect(first).toBe(`The next call starts in ${root}; to start in ${root}/sub, pass session "${session}".`);
    const there = await open.sessionless("bash", { command: "pwd; cd deeper", session });
    expect(there.content[0]?.text).toBe(`exit_code: 0\n\nstdout:\n${root}/sub\n`);
    expect((await open.sessionless("bash", { command: "pwd", session })).content[0]?.text).toContain(
      `${root}/sub/deeper\n`,
    );
    const stayed = await open.sessionless("bash", { command: "pwd" });
    expect(stayed.content[0]?.text).toBe(`exit_code: 0\n\nstdout:\n${root}\n`);
    const guessed = await open.sessionless("bash", { command: "pwd", session: "guessed" });
    expect(guessed.content[0]?.text).toStartWith("[INVALID_INPUT] session is not one of yours");
    expect(guessed.isError).toBe(true);
    // A task begun under a handle is found without it.
    const task = await open.sessionless("bash", { command: "pwd", session, run_in_background: true });
    const task_id = /task_id: (\w+)/.exec(task.content[0]?.text ?? "")?.[1] ?? "";
    expect((await open.sessionless("task_output", { task_id, wait: 10_000 })).content[0]?.text).toContain(
      "sub/deeper\n",
    );
  },
);

row("server", "a body over the limit is 413; ten megabytes of file are not, however they are escaped", async () => {
  const session = await closed.session({ authorization: `Bearer ${TOKEN}` });
  for (const content of ["x".repeat(10 * 1024 * 1024), "\\u00e9".repeat(5 * 1024 * 1024)]) {
    const params = `{"name":"create_file","arguments":{"path":"ten.txt","content":"${content}"}}`;
    const response = await session.post(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":${params}}`);
    expect(await response.text()).toContain("(10485760 bytes)");
  }
  const response = await session.post(`{"x":"${"y".repeat(34 * 1024 * 1024)}"}`).catch(() => undefined);
  expect([413, undefined]).toContain(response?.status);
});

row("server", "without a token it says what that means and what to do, and with one it does not", async () => {
  await using open = await HttpServer.start({ args: ["--sandbox", "off"] });
  const warned = open.stderr.split("\n").filter((line) => line.includes("no token is set"));
  expect(warned).toHaveLength(1);
  expect(warned[0]).toMatch(/can call the tools, with your rights.*--generate-token.*BOSUN_TOKEN/);
  await using closed = await HttpServer.start({ args: ["--sandbox", "off"], env: { BOSUN_TOKEN: TOKEN } });
  expect(closed.stderr).toContain("listening");
  expect(closed.stderr).not.toContain("no token is set");
});

row("server", "a generated token is printed whatever the log level, and lets in", async () => {
  const { base, root } = scratch();
  const child = Bun.spawn(
    [...BUN, MAIN, "--port", "0", "--generate-token", "--log-level", "error", "--sandbox", "off"],
    {
      cwd: root,
      env: cleanEnvironment(base),
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    },
  );
  const reader = child.stderr.getReader();
  const first = new TextDecoder().decode((await reader.read()).value);
  expect(first).toMatch(/^bearer token: [0-9a-f]{64}\n/);
  child.kill("SIGTERM");
  await child.exited;
});

rows(
  "server",
  [
    [
      "a host that nobody knows",
      ["--host", "nobody.invalid", "--token", TOKEN],
      /--host "nobody\.invalid": no machine/,
    ],
    ["an empty token", ["--token", "", "--port", "0"], /the token is empty/],
    ["a blank one on an open address", ["--host", "0.0.0.0", "--token", " ", "--port", "0"], /the token is empty/],
    ["a deny pattern that is empty", ["--deny-dir", ""], /--deny-dir needs a value: --deny-dir GLOB/],
    ["both token flags", ["--token", "x", "--generate-token"], /exclude each other/],
    [
      "an issuer and a token",
      ["--auth-issuer", "https://auth.example", "--auth-audience", "https://t.example/mcp", "--token", "x"],
      /--auth-issuer and --token exclude each other/,
    ],
    ["an issuer without an audience", ["--auth-issuer", "https://auth.example"], /--auth-issuer needs --auth-audience/],
    [
      "an audience without an issuer",
      ["--auth-audience", "https://t.example/mcp"],
      /--auth-audience needs --auth-issuer/,
    ],
    [
      "an issuer that is no address",
      ["--auth-issuer", "auth.example", "--auth-audience", "https://t.example/mcp"],
      /"auth\.example" is not an http\(s\) address/,
    ],
    [
      "an issuer over plain http",
      ["--auth-issuer", "http://auth.example", "--auth-audience", "https://t.example/mcp"],
      /plain http is only allowed on this machine/,
    ],
    [
      "a non-loopback address without a token",
      ["--host", "0.0.0.0"],
      /refusing to listen on 0\.0\.0\.0 without a token/,
    ],
    ["an unknown transport", ["--transport", "tcp"], /--transport must be http or stdio; got "tcp"/],
    ["an unknown flag suggests the nearest", ["--sandbx", "off"], /unknown option --sandbx; did you mean --sandbox\?/],
    ["an unknown tool to disable", ["--disable-tools", "bsah"], /unknown tool "bsah"; valid names: bash, /],
    ["a missing workdir", ["--workdir", "none"], /--workdir: folder none does not exist/],
    ["a missing allowed folder", ["--allow-dir", "none"], /--allow-dir: folder none does not exist/],
    ["an invalid deny pattern", ["--deny-dir", "a/["], /invalid glob pattern/],
    ["a size with a fraction", ["--max-file-size", "10.5MB"], /"10\.5MB" is not a size/],
    ["a size with a tail", ["--max-file-size", "10MBx"], /"10MBx" is not a size/],
    ["a negative size", ["--max-file-size", "-1"], /"-1" is not a size/],
    ["a size that overflows", ["--max-file-size", "99999999999GB"], /is not a size/],
    ["a port out of range", ["--port", "70000"], /--port must be a whole number from 0 to 65535, got "70000"/],
    ["a settings file that is not there", ["--config", "none.toml"], /none\.toml .*does not exist/],
    ["an unknown surface", ["--tools", "editor"], /unknown tool surface "editor"; valid: coding, workspace, shell/],
  ] satisfies [string, string[], RegExp][],
  async (_, args, expected) => {
    const { base, root } = scratch();
    const child = Bun.spawn([...BUN, MAIN, ...args], {
      cwd: root,
      env: cleanEnvironment(base),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    expect(err).toMatch(expected);
    expect(out).toBe("");
    expect(code).toBe(2);
  },
);

row("server", "a port that is taken is said to be", async () => {
  const { base, root } = scratch();
  const child = Bun.spawn([...BUN, MAIN, "--port", open.url.port, "--sandbox", "off"], {
    cwd: root,
    env: cleanEnvironment(base),
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  expect(await new Response(child.stderr).text()).toMatch(/could not listen on 127\.0\.0\.1:\d+/);
  expect(await child.exited).toBe(2);
});
