// Our echo server beside the official SDK's, on the same Bun and on Node, over stdio and HTTP.
import path from "node:path";
import { httpLoad } from "../http-load.ts";
import { median, quantile } from "../report.ts";
import type { Row, Section } from "../report.ts";
import { memoryOf, StdioClient } from "../stdio-client.ts";

const ROUNDS = 7;
const CALLS = 400;
const PIPELINED = 2000;
const HTTP_SECONDS = 2;

const root = path.resolve(import.meta.dir, "../..");
const bun = [process.execPath, "--no-env-file", "--config=/dev/null"];
const STDIO = {
  bosun: [...bun, path.join(root, "packages/mcp/examples/echo-stdio.ts")],
  "SDK v2 on Bun": [...bun, path.join(root, "bench/peers/sdk-stdio.mjs")],
  "SDK v2 on Node": ["node", path.join(root, "bench/peers/sdk-stdio.mjs")],
};
const HTTP = {
  bosun: [...bun, path.join(root, "packages/mcp/examples/echo-http.ts")],
  "SDK v2 on Bun": [...bun, path.join(root, "bench/peers/sdk-http.mjs")],
  "SDK v2 on Node": ["node", path.join(root, "bench/peers/sdk-http.mjs")],
};
type Measured = { [contender: string]: { [metric: string]: number[] } };

export const mcp: Section = {
  name: "mcp",
  about: "an echo server on packages/mcp beside the official TypeScript SDK's",
  async run(progress) {
    const measured: Measured = {};
    for (let round = 0; round < ROUNDS; round++) {
      progress(`stdio, round ${round + 1} of ${ROUNDS}`);
      for (const [name, command] of Object.entries(STDIO)) await measureStdio(command, (measured[name] ??= {}));
    }
    for (let round = 0; round < 3; round++) {
      progress(`HTTP, round ${round + 1} of 3`);
      for (const [name, command] of Object.entries(HTTP)) await measureHttp(command, (measured[name] ??= {}));
    }
    return [
      row(measured, "start to first tools/list", "ms", 5),
      row(measured, "echo over stdio, p50", "ms"),
      row(measured, "echo over stdio, p99", "ms"),
      row(measured, "echo over stdio, pipelined", "calls/s"),
      row(measured, "memory, idle", "MB"),
      row(measured, "memory, after the calls", "MB"),
      row(measured, "echo over HTTP", "calls/s", 5),
      row(measured, "echo over HTTP, p50 of 32 connections", "ms"),
      row(measured, "memory after the HTTP calls", "MB"),
    ];
  },
};

async function measureStdio(command: readonly string[], into: { [metric: string]: number[] }): Promise<void> {
  const client = new StdioClient(command);
  add(into, "start to first tools/list", await client.open());
  add(into, "memory, idle", client.memoryMb());
  const echo = (): Promise<unknown> => client.call("echo", { text: "hello" });
  for (let i = 0; i < CALLS; i++) await echo();
  const latencies: number[] = [];
  for (let i = 0; i < CALLS; i++) {
    const started = performance.now();
    await echo();
    latencies.push(performance.now() - started);
  }
  add(into, "echo over stdio, p50", median(latencies));
  add(into, "echo over stdio, p99", quantile(latencies, 0.99));
  const started = performance.now();
  await Promise.all(Array.from({ length: PIPELINED }, echo));
  add(into, "echo over stdio, pipelined", PIPELINED / ((performance.now() - started) / 1000));
  add(into, "memory, after the calls", client.memoryMb());
  await client.close();
}

async function measureHttp(command: readonly string[], into: { [metric: string]: number[] }): Promise<void> {
  const child = Bun.spawn([...command], { stdout: "pipe", stderr: "ignore", env: process.env });
  try {
    const url = new URL(await addressIn(child.stdout));
    const version = "2026-07-28";
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": version,
      "mcp-method": "tools/call",
      "mcp-name": "echo",
    };
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": version,
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
    };
    const params = { name: "echo", arguments: { text: "hello" }, _meta };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    await httpLoad(url, headers, body, 0.5);
    const load = await httpLoad(url, headers, body, HTTP_SECONDS);
    add(into, "echo over HTTP", load.perSecond);
    add(into, "echo over HTTP, p50 of 32 connections", load.p50);
    add(into, "memory after the HTTP calls", memoryOf(child.pid));
  } finally {
    child.kill();
    await child.exited;
  }
}

async function addressIn(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stream) {
    text += new TextDecoder().decode(chunk);
    const address = /http:\/\/\S+/.exec(text)?.[0];
    if (address !== undefined && text.includes("\n")) return address;
  }
  throw new Error("the server ended before it listened");
}

function add(into: { [metric: string]: number[] }, metric: string, value: number): void {
  (into[metric] ??= []).push(value);
}

/** `atLeast`: how many times better than the SDK on the same Bun we mean to be. */
function row(measured: Measured, what: string, unit: string, atLeast?: number): Row {
  const { bosun, ...others } = measured;
  const ours = median(bosun?.[what] ?? []);
  const theirs = Object.fromEntries(
    Object.entries(others).map(([name, metrics]) => [name, median(metrics[what] ?? [])]),
  );
  const peer = theirs["SDK v2 on Bun"] ?? Number.NaN;
  const better = unit === "calls/s" ? ours / peer : peer / ours;
  const target = atLeast === undefined ? undefined : { text: `≥ ${atLeast}× SDK on Bun`, reached: better >= atLeast };
  return { what, unit, ours, theirs, ...(target ? { target } : {}) };
}
