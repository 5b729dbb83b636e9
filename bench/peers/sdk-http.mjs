// The official SDK's echo server over HTTP, on Bun.serve or node:http.
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { createServer } from "node:http";
import { z } from "zod";

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: "sdk-echo", version: "1.0.0" });
  server.registerTool(
    "echo",
    { description: "Says it again.", inputSchema: z.object({ text: z.string() }) },
    async ({ text }) => ({
      content: [{ type: "text", text }],
    }),
  );
  return server;
});
if (globalThis.Bun) {
  const listening = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: (request) => handler.fetch(request),
  });
  console.log(`http://127.0.0.1:${listening.port}/mcp`);
} else {
  const listening = createServer(async (incoming, outgoing) => {
    const pieces = [];
    for await (const piece of incoming) pieces.push(piece);
    const request = new Request(`http://127.0.0.1${incoming.url}`, {
      method: incoming.method,
      headers: incoming.headers,
      ...(pieces.length > 0 ? { body: Buffer.concat(pieces) } : {}),
    });
    const response = await handler.fetch(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(Buffer.from(await response.arrayBuffer()));
  });
  listening.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${listening.address().port}/mcp`));
}
