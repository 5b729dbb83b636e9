// Transport over a server that we start: one process, its stdin and stdout.
import { childEnvironment } from "@bosun/platform/environment";
import { descendantsOf, killProcesses } from "@bosun/platform/process-tree";
import type { ProcessRow } from "@bosun/platform/process-tree";
import { settlesWithin } from "./deadline.ts";
import { LineWriter, MAX_MESSAGE_BYTES, messagesIn } from "./stdio.ts";
import { ConnectionError } from "./rpc-error.ts";
import type { Transport } from "./transport.ts";

const GRACE_MS = 2000;
/** A message so many times over the limit will not end: its server is not read any further. */
const ENDLESS = 4;

export type ChildOptions = {
  command: string;
  args?: readonly string[];
  /** Added to the variables that children are handed on, unless `inherits` is false: then it is all there is. */
  env?: Readonly<Record<string, string>>;
  inherits?: boolean;
  cwd?: string;
  /** The server's diagnostics, as they come. Never a sign of failure. */
  onStderr?: (text: string) => void;
  maxMessageBytes?: number;
  /** How a message begins that is over the limit, as soon as it is. */
  onOverlong?: (beginning: string) => void;
  /** How long each step of ending it may take: it closes by itself, it is asked to, it is made to. */
  graceMs?: number;
};

type SpawnOptions = Bun.SpawnOptions.SpawnOptions<"pipe", "pipe", "pipe" | "ignore">;
type Child = Bun.Subprocess<"pipe", "pipe", "pipe" | "ignore">;

export type ChildTransport = Transport & {
  readonly pid: number;
  /** How it ended: "exit 1", "SIGKILL". */
  readonly ended: Promise<string>;
};

export function startServer(options: ChildOptions): ChildTransport {
  const { command, args = [], cwd, onStderr } = options;
  const child = spawn([command, ...args], {
    // Not through a shell: metacharacters in a configuration are just characters.
    stdin: "pipe",
    stdout: "pipe",
    stderr: onStderr ? "pipe" : "ignore",
    env: environmentOf(options),
    ...(cwd === undefined ? {} : { cwd }),
    lazy: true, // an unread pipe would be buffered without limit
    detached: process.platform !== "win32", // leads its group, so that its own children can be ended with it
  });
  const writer = new LineWriter(child.stdin);
  if (onStderr && child.stderr) void relay(child.stderr, onStderr);
  const ended = child.exited.then(() => String(child.signalCode ?? `exit ${child.exitCode}`));
  const maxBytes = options.maxMessageBytes ?? MAX_MESSAGE_BYTES;
  let closing: Promise<void> | undefined;
  return {
    pid: child.pid,
    ended,
    incoming: messagesIn(child.stdout, maxBytes, {
      endlessBytes: ENDLESS * maxBytes,
      ...(options.onOverlong ? { onOverlong: options.onOverlong } : {}),
    }),
    send: (text) => writer.line(text),
    close: () => (closing ??= endChild(child, writer, options.graceMs ?? GRACE_MS)),
  };
}

async function endChild(child: Bun.Subprocess, writer: LineWriter, graceMs: number): Promise<void> {
  void writer.end().catch(() => {}); // it has gone already
  const left: ProcessRow[] = [];
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (await settlesWithin(child.exited, graceMs)) break;
    // One that does not end by itself does not end what it started, either; and once it is gone nobody knows what that was.
    left.push(...descendantsOf(child.pid));
    signalGroup(child, signal);
  }
  await child.exited;
  // Children of the server that outlived it. Those of a server that ended by itself may have left its group on purpose.
  signalGroup(child, "SIGKILL");
  killProcesses(left);
}

function signalGroup(child: Bun.Subprocess, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(process.platform === "win32" ? child.pid : -child.pid, signal);
  } catch {
    // gone already
  }
}

async function relay(stream: ReadableStream<Uint8Array>, onText: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  try {
    for await (const chunk of stream) {
      try {
        onText(decoder.decode(chunk, { stream: true }));
      } catch (error) {
        console.error(error); // reading goes on: a full pipe would stop the server
      }
    }
  } catch {
    // ended with the process
  }
}

/** Bun names the command in every failure, also when it is the folder that is missing. */
function spawn(argv: string[], options: SpawnOptions): Child {
  try {
    return Bun.spawn(argv, options);
  } catch (error) {
    // what Bun throws does not tell the folder from the command
    const where = options.cwd === undefined ? "" : ` in ${options.cwd}`;
    const why = error instanceof Error ? error.message : String(error);
    throw new ConnectionError("closed", `could not start ${argv[0]}${where}: ${why}`);
  }
}

function environmentOf({ inherits = true, env = {} }: ChildOptions): Record<string, string> {
  return inherits ? childEnvironment(process.env, { set: env }) : { ...env };
}
