// Commands the person typed or agreed to: in the person's shell, in its own process group, output shown as it comes,
// nothing left behind. The engine does the running.
import { randomBytes } from "node:crypto";
import type { Environment, ProcessHost, Running } from "@bosun/engine";
import { ownEnvironment, wholeEnvironment } from "@bosun/platform/environment";

const KEPT_CHARS = 2_000_000;
const AGAIN_MS = 2000;
/** Between asking a command to end (SIGTERM) and ending it (SIGKILL). */
const GRACE_MS = 3000;

export type CommandRun = {
  exit: number | string;
  output: string;
  /** Characters of output in all. */
  totalChars: number;
  ms: number;
  timedOut: boolean;
  cwdAfter: string | undefined;
};

export type RunOptions = {
  cwd: string;
  /** The model proposed it: our keys are not in its environment. */
  by: "user" | "model";
  timeoutMs: number;
  onOutput: (text: string) => void;
  onRunning?: (handle: InterruptHandle) => void;
  /** Ends it from outside, with nobody to press a key twice. */
  signal?: AbortSignal;
};

export type InterruptHandle = {
  /** What Ctrl-C does: the first time a wish, the second time an order. */
  interrupt(): void;
  /** It was not meant: a wish is not enough, and a shell that is just starting its command may lose one. */
  end(): void;
};

export class CommandRunner {
  readonly shell: string;
  readonly #env: Readonly<Record<string, string | undefined>>;
  #host: ProcessHost | undefined;

  constructor(shell: string, env: Readonly<Record<string, string | undefined>>) {
    this.shell = shell;
    this.#env = env;
  }

  async run(command: string, options: RunOptions): Promise<CommandRun> {
    const host = await this.#started();
    const decoder = new TextDecoder();
    const running = await host.start({
      what: { kind: "shell", text: command },
      cwd: options.cwd,
      env: this.environment(options.by),
      tags: host.newSession(),
      nonce: randomBytes(4).toString("hex"),
      timeoutMs: options.timeoutMs,
      merge: true,
      stdout: { cap: { max: KEPT_CHARS, unit: "chars" } },
      stderr: { cap: { max: 0, unit: "bytes" } },
      onOutput: (_stream, chunk) => options.onOutput(decoder.decode(chunk, { stream: true })),
    });
    const end = (): void => endSoon(running);
    options.onRunning?.({ interrupt: interrupter(running), end });
    if (options.signal?.aborted === true) end();
    options.signal?.addEventListener("abort", end, { once: true });
    // The engine asks it to end when its time is up.
    const last = setTimeout(() => killGroup(running), options.timeoutMs + GRACE_MS);
    const run = await running.done;
    clearTimeout(last);
    options.signal?.removeEventListener("abort", end);
    options.onOutput(decoder.decode());
    return {
      exit: run.exitCode ?? run.signal ?? "unknown",
      output: run.stdout.text,
      totalChars: run.stdout.totalChars,
      ms: Math.round(run.durationMs),
      timedOut: run.timedOut,
      cwdAfter: run.cwdAfter ?? undefined,
    };
  }

  environment(by: "user" | "model"): Environment {
    return by === "user" ? ownEnvironment(this.#env) : wholeEnvironment(this.#env, true);
  }

  // Loaded with the first command: the prompt does not wait for what most conversations never use.
  async #started(): Promise<ProcessHost> {
    const engine = await import("@bosun/engine");
    return (this.#host ??= new engine.ProcessHost({ shell: engine.shellAt(this.shell) }));
  }

  async close(): Promise<void> {
    await this.#host?.close();
  }
}

// As in a terminal: the group gets SIGINT; who insists within two seconds gets it ended.
function interrupter(running: Running): () => void {
  let last = 0;
  let isEnding = false;
  return () => {
    const now = Date.now();
    if (isEnding) killGroup(running);
    else if (now - last < AGAIN_MS) {
      isEnding = true;
      endSoon(running);
    } else if (!signalGroup(running, "SIGINT")) endSoon(running);
    last = now;
  };
}

function endSoon(running: Running): void {
  running.stop("cancel");
  const timer = setTimeout(() => killGroup(running), GRACE_MS);
  // Whoever waits for the command hears of its error; here only the timer matters.
  void running.done.catch(() => {}).finally(() => clearTimeout(timer));
}

function killGroup(running: Running): void {
  signalGroup(running, "SIGKILL");
}

/** False: there is nobody left to hear it. */
function signalGroup(running: Running, signal: "SIGINT" | "SIGKILL"): boolean {
  try {
    process.kill(-running.tree.leader, signal);
    return true;
  } catch {
    return false; // ESRCH: the group is gone
  }
}
