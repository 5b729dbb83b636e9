// The command line in this process, its streams collected.

import { runBcp } from "../src/index.ts";
import type { BcpIo } from "../src/index.ts";

export type Run = {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly bytes: Uint8Array;
};

export async function runCollected(
  argv: readonly string[],
  setting: { cwd: string; stdin?: Uint8Array | string } & Partial<
    Pick<BcpIo, "interactive" | "fixedOptions" | "limits" | "resolvePath" | "signal">
  >,
): Promise<Run> {
  const out: Uint8Array[] = [];
  const errors: string[] = [];
  const { cwd, stdin, ...rest } = setting;
  const exit = await runBcp(argv, {
    cwd,
    stdin: given(stdin),
    stdout: (chunk) => void out.push(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk.slice()),
    stderr: (text) => void errors.push(text),
    ...rest,
  });
  const bytes = new Uint8Array(Buffer.concat(out));
  return { exit, stdout: new TextDecoder().decode(bytes), stderr: errors.join(""), bytes };
}

async function* given(stdin: Uint8Array | string | undefined): AsyncGenerator<Uint8Array, void> {
  if (stdin !== undefined) yield typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin;
}
