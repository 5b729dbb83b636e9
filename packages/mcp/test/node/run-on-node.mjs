// Runs the tests of the runtime-neutral code on Node:  node run-on-node.mjs [/path/to/node24]
// What touches Bun (stdio, child processes, the listener, and tests that start programs or sockets) is left to Bun.
import { spawnSync } from "node:child_process";
import path from "node:path";

const TESTS = [
  "ask",
  "asked",
  "auth/authorization-code",
  "auth/authorized-fetch",
  "auth/base64url",
  "auth/client-authentication",
  "auth/client-identity",
  "auth/discovery",
  "auth/dpop",
  "auth/fetch-json",
  "auth/grants",
  "auth/jwt-verifier",
  "auth/refresh",
  "auth/resource-server",
  "auth/safe-url",
  "auth/scopes",
  "auth/www-authenticate",
  "batches",
  "client",
  "client-reconnect",
  "connection",
  "connection-calls",
  "context",
  "fuzz",
  "headers",
  "http-handler",
  "http-modern",
  "http-session",
  "http-sessions",
  "line-splitter",
  "lists",
  "running-calls",
  "message",
  "request-state",
  "schema",
  "shared-budget",
  "sse",
  "subscriptions",
  "tasks",
  "tasks-extension",
  "tasks-legacy",
  "downgrade",
];

const here = import.meta.dirname;
const node = process.argv[2] ?? process.execPath;
const files = TESTS.map((name) => path.join(here, "..", `${name}.test.ts`));
const register = path.join(here, "register.mjs");
const flags = [
  "--no-warnings",
  "--import",
  register,
  "--import",
  path.join(here, "bun-serve.mjs"),
  "--test",
  "--test-reporter=tap",
  // One process: half of the time would go into starting forty and loading the same sources in each.
  "--test-isolation=none",
];
const { status, stdout, stderr } = spawnSync(node, [...flags, ...files], { encoding: "utf8", maxBuffer: 1 << 28 });
const count = (what) => Number(new RegExp(`^# ${what} (\\d+)$`, "m").exec(stdout)?.[1] ?? Number.NaN);
const failures = stdout.split("\n").filter((line) => /^\s*not ok/.test(line));
if (status !== 0) console.error([...failures, stdout.slice(-3000), stderr.slice(-3000)].join("\n"));
console.log(`node: ${count("pass")} passed, ${count("fail")} failed`);
process.exitCode = status ?? 1;
