// bosun start (npm start): what it prints is pasted into the official clients as it stands, and what it claims is so.
import { expect, test } from "bun:test";
import { realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { FROM_SOURCES, Place } from "./harness/bosun.ts";

const LAST_LINE = "Ctrl-C stops it";

type Entries = {
  readonly http: { readonly type: string; readonly url: string; readonly headers: Record<string, string> };
  readonly stdio: { readonly command: string; readonly args: string[] };
};

class Started implements AsyncDisposable {
  readonly child: Bun.Subprocess<"ignore", "pipe", "pipe">;
  constructor(place: Place, words: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.child = Bun.spawn([...FROM_SOURCES, "start", ...words], {
      cwd: place.work,
      env: { ...place.env, ...env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
  }

  async said(): Promise<string> {
    let text = "";
    for await (const chunk of this.child.stdout) {
      text += new TextDecoder().decode(chunk);
      if (text.includes(LAST_LINE)) return text;
    }
    throw new Error(`ended with ${await this.child.exited}: ${await new Response(this.child.stderr).text()}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGTERM");
    await this.child.exited;
  }
}

function entriesIn(said: string): Entries {
  const [http, stdio] = [...said.matchAll(/^ {2}(\{"mcpServers".*\})$/gm)].map(
    ([, json = ""]) => (JSON.parse(json) as { mcpServers: { bosun: unknown } }).mcpServers.bosun,
  );
  return { http, stdio } as Entries;
}

async function read(client: Client): Promise<unknown> {
  const { content } = await client.callTool({ name: "view", arguments: { path: "notes.txt" } });
  await client.close();
  return content;
}

test("both configurations it prints give an official client tools over this folder", async () => {
  using place = new Place();
  writeFileSync(path.join(place.work, "notes.txt"), "a needle in here\n");
  await using started = new Started(place, [], { PORT: "0" });
  const said = await started.said();
  const { http, stdio } = entriesIn(said);
  expect(said).toContain(`in ${realpathSync(place.work)}, and nowhere else`);
  expect(said).toMatch(/Commands run (in a sandbox \(\w+\)|WITHOUT a sandbox):\n {2}-/);
  const expected = [{ type: "text", text: expect.stringContaining("a needle in here") }];

  const overHttp = new Client({ name: "newcomer", version: "1" });
  await overHttp.connect(
    new StreamableHTTPClientTransport(new URL(http.url), { requestInit: { headers: http.headers } }),
  );
  expect(await read(overHttp)).toEqual(expected);

  // Started by a client from anywhere: the folder is part of the entry.
  const overStdio = new Client({ name: "newcomer", version: "1" });
  await overStdio.connect(new StdioClientTransport({ ...stdio, env: place.env, cwd: place.home, stderr: "ignore" }));
  expect(await read(overStdio)).toEqual(expected);

  const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const without = await fetch(http.url, {
    method: "POST",
    body,
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
  });
  expect(without.status).toBe(401);
});

test.each<[string, string[], RegExp[]]>([
  ["a token and a port of one's own", ["--token", "my-own"], [/token {5}my-own\n/, /"Bearer my-own"/]],
  ["tools that only look", ["--read-only"], [/a look at the files/, /^No tool runs commands\.$/m]],
  ["no sandbox, asked for", ["--sandbox=off"], [/^Commands run WITHOUT a sandbox:\n {2}-/m]],
  ["no folder limit", ["--unscoped"], [/on this whole machine/]],
])("says what is so: %s", async (_, words, expected) => {
  using place = new Place();
  await using started = new Started(place, ["--port", "0", ...words]);
  const said = await started.said();
  for (const pattern of expected) expect(said).toMatch(pattern);
  expect(entriesIn(said).http.url).not.toContain(":0/");
});

test("a port that somebody has: said in one line, and nothing that would not work is printed", async () => {
  using place = new Place();
  using other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { code, out, err } = await place.run(["start", "--port", String(other.port)]);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain(`could not listen on 127.0.0.1:${other.port}: another program has this port; --port 0 takes`);
});

test.each<[string, string[], Record<string, string>, string]>([
  ["PORT is no number", [], { PORT: "http" }, 'PORT: "http" is not a port'],
  ["PORT is too large", [], { PORT: "65536" }, 'PORT: "65536" is not a port'],
  ["over stdio", ["--transport", "stdio"], {}, "bosun serve --transport stdio"],
  ["a mistyped option", ["--prot", "1"], {}, "did you mean --port?"],
])("refuses with what to type instead: %s", async (_, words, env, said) => {
  using place = new Place();
  place.env = { ...place.env, ...env };
  const { code, out, err } = await place.run(["start", ...words]);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain(said);
});

test("a second one takes the next port and says so; a port that was chosen is that one or none", async () => {
  using place = new Place();
  await using first = new Started(place, []);
  const one = new URL(entriesIn(await first.said()).http.url);
  await using second = new Started(place, []);
  const two = new URL(entriesIn(await second.said()).http.url);
  expect(Number(two.port)).toBeGreaterThan(Number(one.port));
  second.child.kill("SIGTERM");
  const said = await new Response(second.child.stderr).text();
  expect(said).toMatch(new RegExp(`port 7717 is in use by another program, so this is port ${two.port}`));
  await using chosen = new Started(place, [], { PORT: one.port });
  expect(await chosen.child.exited).toBe(2);
  expect(await new Response(chosen.child.stderr).text()).toContain("another program has this port");
});
