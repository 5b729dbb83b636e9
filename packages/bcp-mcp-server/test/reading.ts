// The reader as a process, and how tests speak to it.
import path from "node:path";
import { connectChild } from "@bosun/mcp/client";
import type { Client } from "@bosun/mcp/client";

const entry = path.resolve(import.meta.dir, "../src/index.ts");
export const bun = [process.execPath, "--no-env-file", "--config=/dev/null"];
export const bcpMain = path.resolve(import.meta.dir, "../../bcp/src/main.ts");
export const INITIALIZE =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}';

export function start(args: string[] = [], env: Record<string, string> = {}): Promise<Client> {
  const [command = "", ...flags] = bun;
  return connectChild(
    { command, args: [...flags, entry, "--mode", "reader", ...args], env },
    { name: "test", version: "1" },
  );
}

export async function call(by: Client, name: string, args: object): Promise<{ failed: boolean; text: string }> {
  const { content, isError } = await by.callTool(name, { ...args });
  const [block] = content;
  return { failed: isError === true, text: block?.type === "text" ? block.text : "" };
}

export type Line = { id?: number; result?: unknown; error?: { code: number } };

export async function pipe(
  messages: string[],
  args: string[] = [],
  env: Record<string, string> = {},
  cwd = process.cwd(),
): Promise<{ lines: Line[]; stderr: string; exitCode: number; peakBytes: number }> {
  const child = Bun.spawn([...bun, entry, ...args], {
    stdin: Buffer.from(messages.map((message) => `${message}\n`).join("")),
    stdout: "pipe",
    stderr: "pipe",
    cwd,
    env: { PATH: process.env["PATH"] ?? "", ...env },
  });
  const [out, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const lines = out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
  return { lines, stderr, exitCode, peakBytes: child.resourceUsage()?.maxRSS ?? Number.NaN };
}

export function spawnReader<Out extends "ignore" | "pipe">(env: Record<string, string>, stdout: Out) {
  const stdio = { stdin: "pipe", stdout, stderr: "inherit" } as const;
  return Bun.spawn([...bun, entry], { ...stdio, env: { PATH: process.env["PATH"] ?? "", ...env } });
}
