// One run of a `bcp` binary (BCP_CLI_PATH), bounded in time and output.
import type { BcpOutcome } from "./bcp-command.ts";

const GRACE_MS = 1000;

export async function runExternal(
  program: string,
  args: readonly string[],
  timeoutMs: number,
  maxChars: number,
  signal: AbortSignal,
): Promise<BcpOutcome> {
  const child = Bun.spawn([program, ...args], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    lazy: true, // an unread pipe would be buffered without limit
    env: { PATH: process.env["PATH"] ?? "", LANG: process.env["LANG"] ?? "C.UTF-8" },
  });
  let ended: "timed out" | "cancelled" | undefined;
  const end = (why: "timed out" | "cancelled"): void => {
    ended ??= why;
    child.kill("SIGTERM");
    setTimeout(() => child.kill("SIGKILL"), GRACE_MS).unref?.();
  };
  const timer = setTimeout(() => end("timed out"), timeoutMs);
  const onAbort = (): void => end("cancelled");
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const texts = Promise.all([bounded(child.stdout, maxChars, end), bounded(child.stderr, maxChars, end)]);
    const [stdout, stderr] = await texts;
    await child.exited;
    if (ended === "timed out") return { stdout, stderr: `${program} ${ended} after ${timeoutMs} ms`, exitCode: 1 };
    return { stdout, stderr, exitCode: child.exitCode ?? 1 };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

async function bounded(
  stream: ReadableStream<Uint8Array>,
  maxChars: number,
  stop: (why: "cancelled") => void,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > maxChars) {
      stop("cancelled");
      throw new Error(`the output is longer than ${maxChars} characters: set a budget`);
    }
  }
  return text;
}
