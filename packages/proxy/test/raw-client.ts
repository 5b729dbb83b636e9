// A client of raw lines in front of the proxy, for what a client library would already have decoded.
import path from "node:path";
import { bun, proxyCommand, json, record, stateIn } from "./proxy-process.ts";

export const scripted = path.resolve(import.meta.dir, "fixtures/scripted-server.ts");

export type RawClient = AsyncDisposable & {
  /** One line, as it is. */
  say(line: string): void;
  /** A request with these params, as they are; the line that answers it. */
  ask(method: string, params?: string): Promise<string>;
  call(name: string): Promise<string>;
  /** The first line that has come or comes and holds this. */
  heard(part: string): Promise<string>;
  /** What the server got. */
  log: string;
};

const INITIALIZE =
  '{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{},"roots":{}},"clientInfo":{"name":"t","version":"1"}}';

/** Initialized, in front of the scripted server. */
export async function rawClient(script: object, options: string[] = [], state?: string): Promise<RawClient> {
  const log = record();
  const child = Bun.spawn([...proxyCommand, ...options, "--", ...bun, scripted, json(script), log], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
    env: { ...process.env, ...stateIn(state) },
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  void (async () => {
    let held = "";
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) {
      held += decoder.decode(chunk, { stream: true });
      const whole = held.split("\n");
      held = whole.pop() ?? "";
      lines.push(...whole);
      for (const look of waiting) look();
    }
  })();
  const heard = (part: string): Promise<string> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = lines.find((line) => line.includes(part));
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  const say = (line: string): void => {
    void child.stdin.write(`${line}\n`);
    void child.stdin.flush();
  };
  let id = 0;
  const client: RawClient = {
    say,
    heard,
    ask(method, params = "{}") {
      const own = `r${++id}`;
      say(`{"jsonrpc":"2.0","id":"${own}","method":"${method}","params":${params}}`);
      return heard(`{"jsonrpc":"2.0","id":"${own}",`);
    },
    call: (name) => client.ask("tools/call", `{"name":"${name}"}`),
    log,
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
    },
  };
  await client.ask("initialize", INITIALIZE);
  say('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  return client;
}
