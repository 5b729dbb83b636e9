// The proxy over HTTP: in front of clients, and in front of servers that are reached over it.
import { afterAll, expect, test } from "bun:test";
import { connectHttp } from "@bosun/mcp/client";
import type { Client } from "@bosun/mcp/client";
import { bun, cleanUp, countIn, faulty, json, listed, reasonOf, record, shown, start, tool } from "./proxy-process.ts";
import { listening } from "./proxy-over-http.ts";

afterAll(cleanUp);

const legacy = { name: "t", version: "1", era: "legacy" } as const;

test.concurrent("each client has servers and originals of its own", async () => {
  const log = record();
  await using proxy = await listening([], ["--", ...bun, faulty, log]);
  const clients = await Promise.all([connectHttp(proxy.url, legacy), connectHttp(proxy.url, legacy)]);
  await clients[1]?.callTool("ok");
  const tree = await clients[0]?.callTool("tree");
  const handle = String(tree?._meta?.["bosun/original"]);
  const read = async (client: Client | undefined): Promise<boolean | undefined> =>
    (await client?.callTool("read_original", { handle }))?.isError;
  expect([await read(clients[0]), await read(clients[1])]).toEqual([undefined, true]);
  expect(countIn(log, "start")).toBe(2);
  await Promise.all(clients.map((client) => client.close()));
});

test.concurrent(
  "--max-clients bounds how many servers run, and nobody's who listens are ended for a newcomer",
  async () => {
    const log = record();
    await using proxy = await listening(["--max-clients", "2"], ["--", ...bun, faulty, log]);
    const clients: Client[] = [];
    for (let n = 0; n < 2; n++) clients.push(await connectHttp(proxy.url, legacy));
    const tree = await clients[0]?.callTool("tree");
    for (let n = 0; n < 12; n++) expect(await reasonOf(connectHttp(proxy.url, legacy))).toMatch(/too many/);
    // Nothing was started for those who were turned away, and who only listened has what it had.
    expect(countIn(log, "start")).toBe(2);
    const handle = String(tree?._meta?.["bosun/original"]);
    expect((await clients[0]?.callTool("read_original", { handle }))?.isError).toBeUndefined();
    await clients[1]?.close();
    await (await connectHttp(proxy.url, legacy)).close();
    await clients[0]?.close();
  },
);

test.concurrent("a server over HTTP and one over stdio, side by side", async () => {
  await using remote = await listening(
    ["--pins", "off", "--originals", "list"],
    ["--", ...bun, listed, json({ name: "far", tools: [tool("fetch")] })],
  );
  const [command = "", ...flags] = bun;
  const servers = json({
    mcpServers: {
      far: { url: remote.url.href, headers: { "x-test": "1" } },
      near: { command, args: [...flags, listed, json({ name: "near", tools: [tool("look")] })] },
      dead: { url: "http://127.0.0.1:1/mcp" },
    },
  });
  for (const era of ["legacy", "modern"] as const) {
    await using proxied = await start({ servers, client: { era } });
    expect(await proxied.names()).toEqual(["fetch", "read_original", "look"]); // the far one's
    expect(shown(await proxied.client.callTool("fetch"))).toContain("far");
    expect(shown(await proxied.client.callTool("look"))).toContain("near");
  }
});
