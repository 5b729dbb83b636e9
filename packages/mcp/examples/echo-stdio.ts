#!/usr/bin/env -S bun --no-env-file --config=/dev/null
// The echo server for clients that start it themselves.
import { serveConnection, stdioTransport } from "@bosun/mcp/server";
import { echo } from "./echo.ts";

await serveConnection(echo, stdioTransport());
