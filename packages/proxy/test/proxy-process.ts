// The proxy as a process, with a client in front of it and servers of the test's choice behind it.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { connectChild } from "@bosun/mcp/client";
import type { Client, ClientOptions } from "@bosun/mcp/client";
import { ORIGINAL_KEY } from "@bosun/shrink";
import { unfoldLines } from "../src/unfold-lines.ts";

/** Where clients' configurations find the reader, and the proxy with its tools. */
export const entry = path.resolve(import.meta.dir, "../../bcp-mcp-server/src/index.ts");
export const faulty = path.resolve(import.meta.dir, "fixtures/faulty-server.ts");
export const listed = path.resolve(import.meta.dir, "fixtures/listed-server.ts");
export const bun = [process.execPath, "--no-env-file", "--config=/dev/null"];
/** bosun proxy */
export const proxyCommand = [...bun, path.resolve(import.meta.dir, "../../cli/src/main.ts"), "proxy"];
/** Everything the tests write; emptied after each file of them, removed after the last. */
export const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "bosun-proxy-")));
let next = 0;

process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

export function cleanUp(): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
}

export type Proxied = AsyncDisposable & {
  client: Client;
  call(name: string, args?: object): Promise<{ failed: boolean; text: string }>;
  names(): Promise<string[]>;
  /** How often the faulty server did that. */
  ran(what: string): number;
};

export type Start = {
  options?: string[];
  /** Of the faulty server. */
  mode?: string;
  server?: string[];
  /** The program, instead of bosun proxy. */
  program?: string[];
  /** Instead of a server: everything after the options. */
  servers?: string;
  behind?: string[];
  state?: string;
  env?: Record<string, string>;
  client?: Partial<ClientOptions>;
  /** What the proxy logs. */
  onStderr?: (text: string) => void;
};

export async function start(given: Start = {}): Promise<Proxied> {
  const [command = "", ...program] = given.program ?? proxyCommand;
  const log = record();
  const server = given.server ?? [...bun, faulty, log, given.mode ?? "legacy"];
  const behind = given.behind ?? (given.servers === undefined ? ["--", ...server] : ["--servers", given.servers]);
  const client = await connectChild(
    {
      command,
      args: [...program, ...(given.options ?? []), ...behind],
      env: { ...stateIn(given.state), ...given.env },
      ...(given.onStderr ? { onStderr: given.onStderr } : {}),
    },
    { name: "test", version: "1", era: "legacy", ...given.client },
  );
  return {
    client,
    async call(name, args = {}) {
      const result = await client.callTool(name, { ...args });
      return { failed: result.isError === true, text: shown(result) };
    },
    names: async () => (await client.listTools()).map(({ name }) => name),
    ran: (what) => countIn(log, what),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** A state folder; each test its own, unless it names one. */
export function stateIn(name = `state-${next++}`): { XDG_STATE_HOME: string } {
  return { XDG_STATE_HOME: path.join(folder, name) };
}

export function record(): string {
  const file = path.join(folder, `record-${next++}`);
  writeFileSync(file, "");
  return file;
}

export function countIn(log: string, what: string): number {
  return readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line === what).length;
}

/** A file of JSON, made anew or changed. */
export function json(value: object, file = path.join(folder, `json-${next++}`)): string {
  writeFileSync(file, JSON.stringify(value));
  return file;
}

export function tool(
  name: string,
  description = `Does ${name}.`,
): { name: string; description: string; inputSchema: object } {
  return { name, description, inputSchema: { type: "object", properties: { text: { type: "string" } } } };
}

/** The program run to its end. */
export async function run(args: string[], state?: string): Promise<{ code: number; out: string; err: string }> {
  const child = Bun.spawn([...proxyCommand, ...args], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, ...stateIn(state) },
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, out, err };
}

export function shown({ content }: { content: { type: string; text?: unknown }[] }): string {
  const [block] = content;
  return typeof block?.text === "string" ? block.text : "";
}

export async function original(proxied: Proxied, { _meta }: { _meta?: { [key: string]: unknown } }): Promise<string> {
  return (await proxied.call("read_original", { handle: String(_meta?.[ORIGINAL_KEY]) })).text;
}

export async function unfolded(emitted: object[]): Promise<string[]> {
  const out: string[] = [];
  async function* lines(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode(emitted.map((one) => `${JSON.stringify(one)}\n`).join(""));
  }
  await unfoldLines(lines(), async (line) => void out.push((JSON.parse(line) as { text: string }).text));
  return out;
}

/** For what comes by itself; whoever waits says afterwards what should have come. */
export async function until(holds: () => boolean): Promise<void> {
  for (let round = 0; round < 400 && !holds(); round++) await Bun.sleep(25);
}

/**
 * Why something failed. Not expect().rejects: Bun turns the event loop inside it, and whatever another test was waiting
 * for at that moment may be lost, so that it waits for ever.
 */
export async function reasonOf(failing: Promise<unknown>): Promise<string> {
  return failing.then(
    () => "it did not fail",
    (error: unknown) => String(error),
  );
}
