#!/usr/bin/env -S bun --no-env-file --config=/dev/null
// The echo server for clients that start it themselves.
import { serveConnection, stdioTransport } from "@bosun/mcp/server";
import { echo } from "./echo.ts";

// A mistake in one call is said; the other callers keep their server.
process.on("unhandledRejection", (mistake) => console.error(mistake));

await serveConnection(echo, stdioTransport());
