// A real server process over stdio, and the plainest client there is: one JSON line per message.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

export const BUN = [process.execPath, "--no-env-file", "--config=/dev/null"];
export const MAIN = path.resolve(import.meta.dir, "../../src/main.ts");

export type Block = { type: string; text?: string; data?: string; mimeType?: string };
export type Result = {
  content: Block[];
  isError?: boolean;
  structuredContent?: Record<string, unknown>;
  is_error?: boolean;
  metadata?: Record<string, unknown>;
  _meta?: Record<string, unknown>;
};
export type Message = {
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
  result?: Result & Record<string, unknown>;
  error?: { code: number; message: string };
};

export type Tool = { name: string; description: string; inputSchema: Record<string, unknown> };

export type Options = {
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
  readonly files?: Record<string, string | Uint8Array>;
  /** Use this folder instead of a new one. */
  readonly root?: string;
  readonly capabilities?: Record<string, unknown>;
  readonly initialize?: boolean;
  /** Words before the server's own, such as those that make it another user's. */
  readonly as?: readonly string[];
};

const made = new Set<string>();

/** What scratch() made and nobody removed, such as folders of servers that refused to start. */
export function removeScratch(): void {
  for (const base of made) rmSync(base, { recursive: true, force: true });
  made.clear();
}

/** A folder of its own for everything: workspace, state, home. Removed by removeScratch() at the latest. */
export function scratch(files: Record<string, string | Uint8Array> = {}): { base: string; root: string } {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), "bosun-serve-")));
  made.add(base);
  const root = path.join(base, "work");
  mkdirSync(root);
  mkdirSync(path.join(base, "home"));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), content);
  }
  return { base, root };
}

/** What a server started in that folder sees: nothing of the person who runs the tests but PATH. */
export function cleanEnvironment(base: string): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: path.join(base, "home"),
    XDG_STATE_HOME: path.join(base, "state"),
    XDG_CONFIG_HOME: path.join(base, "config"),
    XDG_DATA_HOME: path.join(base, "data"),
    LANG: "C.UTF-8",
  };
}

export class TestServer implements AsyncDisposable {
  readonly base: string;
  readonly root: string;
  readonly process: Bun.Subprocess<"pipe", "pipe", "pipe">;
  readonly notifications: Message[] = [];
  stderr = "";
  onRequest: (message: Message) => Record<string, unknown> | undefined = () => undefined;
  #pending = new Map<number | string, (message: Message) => void>();
  #next = 0;
  #gone = false;

  static async start(options: Options = {}): Promise<TestServer> {
    const folders =
      options.root === undefined ? scratch(options.files) : { base: path.dirname(options.root), root: options.root };
    const server = new TestServer(folders, options);
    if (options.initialize !== false) await server.initialize(options.capabilities);
    return server;
  }

  private constructor({ base, root }: { base: string; root: string }, options: Options) {
    this.base = base;
    this.root = root;
    this.process = Bun.spawn([...(options.as ?? []), ...BUN, MAIN, "--transport", "stdio", ...(options.args ?? [])], {
      cwd: root,
      env: { ...cleanEnvironment(base), ...options.env },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    void this.#read();
    void this.#readErrors();
  }

  async initialize(capabilities: Record<string, unknown> = {}): Promise<Message> {
    const answer = await this.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities,
      clientInfo: { name: "test", version: "1" },
    });
    if (answer.result === undefined) throw new Error(answer.error?.message);
    this.notify("notifications/initialized", {});
    return answer;
  }

  request(method: string, params: Record<string, unknown>, id: number | string = this.#next++): Promise<Message> {
    if (this.#gone) return Promise.resolve(this.#farewell());
    const answer = new Promise<Message>((resolve) => this.#pending.set(id, resolve));
    this.send({ jsonrpc: "2.0", id, method, params });
    return answer;
  }

  notify(method: string, params: Record<string, unknown>): void {
    this.send({ jsonrpc: "2.0", method, params });
  }

  send(message: unknown): void {
    // A server that was killed on purpose takes no more: that shows in what it does not answer.
    void Promise.resolve(this.process.stdin.write(`${JSON.stringify(message)}\n`)).catch(() => {});
    void Promise.resolve(this.process.stdin.flush()).catch(() => {});
  }

  /** The result of a tool call; a JSON-RPC error fails the test. */
  async call(name: string, args: unknown = {}, meta?: Record<string, unknown>): Promise<Result> {
    const answer = await this.request("tools/call", {
      name,
      arguments: args,
      ...(meta === undefined ? {} : { _meta: meta }),
    });
    if (answer.result === undefined) throw new Error(`${name}: ${JSON.stringify(answer.error)}`);
    return answer.result;
  }

  /** The text of the first block. */
  async text(name: string, args: unknown = {}): Promise<string> {
    return (await this.call(name, args)).content[0]?.text ?? "";
  }

  async tools(): Promise<Tool[]> {
    const { result } = await this.request("tools/list", {});
    return (result?.["tools"] ?? []) as Tool[];
  }

  async toolNames(): Promise<string[]> {
    return (await this.tools()).map(({ name }) => name);
  }

  async bash(command: string, more: Record<string, unknown> = {}): Promise<string> {
    return this.text("bash", { command, ...more });
  }

  at(name: string): string {
    return path.join(this.root, name);
  }

  async close(): Promise<number> {
    this.process.stdin.end();
    return this.process.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    rmSync(this.base, { recursive: true, force: true });
  }

  async #read(): Promise<void> {
    let open = "";
    const decoder = new TextDecoder();
    for await (const chunk of this.process.stdout) {
      const lines = (open + decoder.decode(chunk, { stream: true })).split("\n");
      open = lines.pop() ?? "";
      for (const line of lines) this.#take(JSON.parse(line) as Message);
    }
    this.#gone = true;
    await this.process.exited;
    for (const resolve of this.#pending.values()) resolve(this.#farewell());
  }

  #farewell(): Message {
    return { error: { code: 0, message: `the server has gone: ${this.stderr}` } };
  }

  #take(message: Message): void {
    if (message.method !== undefined && message.id !== undefined) {
      const result = this.onRequest(message);
      if (result !== undefined) this.send({ jsonrpc: "2.0", id: message.id, result });
    } else if (message.method !== undefined) this.notifications.push(message);
    else if (message.id !== undefined) {
      this.#pending.get(message.id)?.(message);
      this.#pending.delete(message.id);
    }
  }

  async #readErrors(): Promise<void> {
    for await (const chunk of this.process.stderr) this.stderr += new TextDecoder().decode(chunk);
  }
}

/** Waits until something holds, or fails after long enough for any machine. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = 20_000,
): Promise<void> {
  const until = performance.now() + withinMs;
  while (performance.now() < until) {
    if (await holds()) return;
    await Bun.sleep(25);
  }
  throw new Error(`never happened: ${what}`);
}

/** Processes whose command line holds this text. */
export function processesWith(mark: string): number[] {
  const { stdout } = Bun.spawnSync(["pgrep", "-f", mark]);
  return stdout
    .toString()
    .split("\n")
    .filter(Boolean)
    .map(Number)
    .filter((pid) => pid !== process.pid);
}
