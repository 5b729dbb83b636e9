// A real server process over HTTP, on any free port, and plain requests to it.
import { rmSync } from "node:fs";
import path from "node:path";
import type { Message, Result } from "./server.ts";
import { BUN, cleanEnvironment, eventually, MAIN, scratch } from "./server.ts";

export type HttpOptions = {
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
  readonly files?: Record<string, string>;
  readonly root?: string;
};

export class HttpServer implements AsyncDisposable {
  readonly base: string;
  readonly root: string;
  readonly process: Bun.Subprocess<"ignore", "ignore", "pipe">;
  stderr = "";

  static async start(options: HttpOptions = {}): Promise<HttpServer> {
    const made =
      options.root === undefined ? scratch(options.files) : { base: path.dirname(options.root), root: options.root };
    const server = new HttpServer(made, options);
    await eventually("it listens", () => server.stderr.includes("listening") || server.process.exitCode !== null);
    return server;
  }

  private constructor({ base, root }: { base: string; root: string }, options: HttpOptions) {
    this.base = base;
    this.root = root;
    this.process = Bun.spawn([...BUN, MAIN, "--port", "0", ...(options.args ?? [])], {
      cwd: root,
      env: { ...cleanEnvironment(base), ...options.env },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    });
    void this.#readErrors();
  }

  get url(): URL {
    return new URL(/url="([^"]+)"/.exec(this.stderr)?.[1] ?? "http://unknown");
  }

  get token(): string {
    return /^bearer token: (.*)$/m.exec(this.stderr)?.[1] ?? "";
  }

  post(message: unknown, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
    return fetch(this.url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: typeof message === "string" ? message : JSON.stringify(message),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  /** A legacy session; what it returns are the headers of everything that follows. */
  async session(headers: Record<string, string> = {}): Promise<Session> {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    const response = await this.post({ jsonrpc: "2.0", id: 1, method: "initialize", params }, headers);
    const id = response.headers.get("mcp-session-id") ?? "";
    await response.text();
    const session = new Session(this, { ...headers, "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" });
    await session.post({ jsonrpc: "2.0", method: "notifications/initialized" });
    return session;
  }

  /** A tool call of 2026-07-28, which knows no session. */
  async sessionless(name: string, args: unknown): Promise<Result> {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name };
    const params = { name, arguments: args, _meta };
    const response = await this.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, headers);
    return resultIn(await response.text());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.process.kill("SIGTERM");
    await this.process.exited;
    rmSync(this.base, { recursive: true, force: true });
  }

  async #readErrors(): Promise<void> {
    for await (const chunk of this.process.stderr) this.stderr += new TextDecoder().decode(chunk);
  }
}

export class Session {
  readonly headers: Record<string, string>;
  readonly #server: HttpServer;
  #next = 2;

  constructor(server: HttpServer, headers: Record<string, string>) {
    this.#server = server;
    this.headers = headers;
  }

  post(message: unknown, signal?: AbortSignal): Promise<Response> {
    return this.#server.post(message, this.headers, signal);
  }

  async call(name: string, args: unknown, signal?: AbortSignal): Promise<Result> {
    const response = await this.post(
      { jsonrpc: "2.0", id: this.#next++, method: "tools/call", params: { name, arguments: args } },
      signal,
    );
    return resultIn(await response.text());
  }

  async text(name: string, args: unknown): Promise<string> {
    return (await this.call(name, args)).content[0]?.text ?? "";
  }

  delete(): Promise<Response> {
    return fetch(this.#server.url, { method: "DELETE", headers: this.headers });
  }
}

/** The result in a body, whether it came as JSON or as events. */
export function resultIn(body: string): Result {
  const lines = body.startsWith("{")
    ? [body]
    : body
        .split("\n")
        .filter((line) => line.startsWith("data: {"))
        .map((line) => line.slice(6));
  const answer = lines
    .map((line) => JSON.parse(line) as Message)
    .find(({ result, error }) => result !== undefined || error !== undefined);
  if (answer?.result === undefined) throw new Error(`no result in ${body.slice(0, 500)}`);
  return answer.result;
}
