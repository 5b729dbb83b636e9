// The official client in front of a real server, with a person behind it who is asked and answers.
import { mkdirSync, writeFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { BUN, cleanEnvironment, MAIN } from "./server.ts";

/** Questions as requests of the server (up to 2025-11-25), or as the end of a call that comes again (2026-07-28). */
export type Era = "legacy" | "auto";
export type Reply = "allow once" | "refuse";

export type AskedClient = AsyncDisposable & {
  /** What the person was shown, in order. */
  readonly asked: readonly string[];
  call(tool: string, args: Record<string, unknown>): Promise<{ text: string; isError: boolean }>;
};

export function writeSettings(base: string, settings: string): void {
  mkdirSync(`${base}/config/bosun`, { recursive: true });
  writeFileSync(`${base}/config/bosun/config.toml`, settings, { mode: 0o600 });
}

/** `reply` may do what it likes before it answers: the question is open until then. */
export async function connectAsked(
  { base, root }: { base: string; root: string },
  options: { era: Era; args: readonly string[]; reply: (question: string) => Promise<Reply> | Reply },
): Promise<AskedClient> {
  const asked: string[] = [];
  const client = new Client(
    { name: "test", version: "1" },
    { versionNegotiation: { mode: options.era }, capabilities: { elicitation: { form: {} } } },
  );
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    asked.push(String(params.message));
    return { action: "accept" as const, content: { decision: await options.reply(String(params.message)) } };
  });
  const [command = "", ...flags] = BUN;
  await client.connect(
    new StdioClientTransport({
      command,
      args: [...flags, MAIN, "--transport", "stdio", ...options.args],
      cwd: root,
      env: cleanEnvironment(base),
      stderr: "ignore",
    }),
  );
  return {
    asked,
    async call(name, args) {
      const result = (await client.callTool({ name, arguments: args })) as {
        content: { text?: string }[];
        isError?: boolean;
      };
      return { text: result.content.map(({ text }) => text ?? "").join("\n"), isError: result.isError ?? false };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
