#!/usr/bin/env -S bun --no-env-file --config=/dev/null
// The echo server over HTTP, on a free loopback port.
import { serveHttp } from "@bosun/mcp/http";
import { echo } from "./echo.ts";

// A mistake in one call is said; the other callers keep their server.
process.on("unhandledRejection", (mistake) => console.error(mistake));

const { url } = serveHttp(echo, { port: Number(process.env["PORT"] ?? 0) });
console.log(`echo listens on ${url.href}

To use it from an MCP client, add this to its configuration:

  { "mcpServers": { "echo": { "type": "http", "url": "${url.href}" } } }

Ctrl-C stops it.`);
