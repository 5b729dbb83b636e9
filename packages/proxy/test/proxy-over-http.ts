// The proxy behind a port, and raw requests of 2026-07-28 to it, from whoever the test says they are from.
import { proxyCommand, stateIn } from "./proxy-process.ts";

export async function listening(options: string[], server: string[]): Promise<AsyncDisposable & { url: URL }> {
  const child = Bun.spawn([...proxyCommand, "--listen", "0", ...options, ...server], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    lazy: true,
    env: { ...process.env, ...stateIn() },
  });
  const reader = child.stderr.getReader();
  let said = "";
  while (!/http:\S+/.test(said)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(said);
    said += new TextDecoder().decode(value);
  }
  void (async () => {
    while (!(await reader.read()).done);
  })();
  return {
    url: new URL(/http:\S+/.exec(said)?.[0] ?? ""),
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
    },
  };
}

type Result = {
  resultType?: string;
  isError?: boolean;
  content?: { text: string }[];
  inputRequests?: { [key: string]: { method: string; params?: { message?: string } } };
  requestState?: string;
  _meta?: { [key: string]: unknown };
};
export type Answer = { status: number; result: Result; error?: { code: number; message: string } };

export type Caller = {
  capabilities?: object;
  meta?: object;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

/** One call of a tool, with nothing around it that would say who calls. */
export async function callTool(url: URL, name: string, params: object = {}, from: Caller = {}): Promise<Answer> {
  const prefix = "io.modelcontextprotocol/";
  const _meta = {
    [`${prefix}protocolVersion`]: "2026-07-28",
    [`${prefix}clientCapabilities`]: from.capabilities ?? {},
    ...from.meta,
  };
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name,
      ...from.headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, ...params, _meta } }),
    ...(from.signal ? { signal: from.signal } : {}),
  });
  const body = await response.text();
  const event = body.split("\n").findLast((line) => line.startsWith("data:"));
  const { result = {}, error } = JSON.parse(event?.slice("data:".length) ?? body) as Omit<Answer, "status">;
  return { status: response.status, result, ...(error ? { error } : {}) };
}
