// The thinnest possible MCP client over a child's stdio, so that what is measured is the server.
import { readFileSync } from "node:fs";

type Answer = { result?: { [name: string]: unknown }; error?: unknown };

const NEWLINE = 0x0a;

export class StdioClient {
  private readonly child: Bun.Subprocess<"pipe", "pipe", "ignore">;
  private readonly waiting = new Map<number, (answer: Answer) => void>();
  private readonly started = performance.now();
  private next = 1;
  /** What the server says of itself. */
  instructions = "";

  constructor(command: readonly string[], cwd?: string, env: Record<string, string | undefined> = process.env) {
    this.child = Bun.spawn([...command], {
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
      env,
      ...(cwd === undefined ? {} : { cwd }),
    });
    void this.read();
  }

  /** Milliseconds from the start of the process to its first tool list. */
  async open(): Promise<number> {
    const clientInfo = { name: "bench", version: "1" };
    const { result } = await this.request("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo,
    });
    this.instructions = String(result?.["instructions"] ?? "");
    this.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    await this.request("tools/list", {});
    return performance.now() - this.started;
  }

  request(method: string, params: object): Promise<Answer> {
    const id = this.next++;
    const answer = new Promise<Answer>((resolve) => this.waiting.set(id, resolve));
    this.send({ jsonrpc: "2.0", id, method, params });
    return answer;
  }

  call(name: string, args: object): Promise<Answer> {
    return this.request("tools/call", { name, arguments: args });
  }

  memoryMb(): number {
    return memoryOf(this.child.pid);
  }

  async close(): Promise<void> {
    await this.child.stdin.end();
    const timer = setTimeout(() => this.child.kill("SIGKILL"), 2000);
    await this.child.exited;
    clearTimeout(timer);
  }

  private send(message: object): void {
    this.child.stdin.write(`${JSON.stringify(message)}\n`);
    this.child.stdin.flush();
  }

  /** Pieces of a long line are put together once. */
  private async read(): Promise<void> {
    let held: Uint8Array[] = [];
    for await (const chunk of this.child.stdout) {
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
        held.push(chunk.subarray(from, end));
        this.take(Buffer.concat(held).toString());
        held = [];
        from = end + 1;
      }
      if (from < chunk.length) held.push(chunk.subarray(from));
    }
  }

  private take(text: string): void {
    const message = JSON.parse(text) as Answer & { id?: number };
    if (message.id === undefined) return;
    this.waiting.get(message.id)?.(message);
    this.waiting.delete(message.id);
  }
}

export function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
