// What the program needs from its surroundings, so that it can run in a process of its own or inside another program.
import { readProcessesNow } from "@bosun/platform/process-tree";
import { closeSync, constants, openSync } from "node:fs";
import { isatty, ReadStream } from "node:tty";
import { ProcessOutput } from "@bosun/platform/output";
import { homeOf } from "@bosun/settings";

export type Output = {
  write(text: string): void;
  readonly isTerminal: boolean;
  columns(): number;
  /** Resolves when everything written has left the process; `withinMs` bounds the waiting. */
  drained(withinMs?: number): Promise<void>;
};

/** The keyboard in raw mode; released while another program has the terminal. `onGone`: the terminal was closed. */
export type Keyboard = { open(onBytes: (bytes: Uint8Array) => void, onGone: () => void): void; close(): Promise<void> };

export type Io = {
  stdout: Output;
  stderr: Output;
  /** Piped input, whole; undefined when a person sits there. */
  stdinText: (() => Promise<string>) | undefined;
  keyboard: Keyboard | undefined;
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  cwd(): string;
  chdir(folder: string): void;
  /** SIGINT, SIGTERM, SIGHUP as they come; gives what takes the listener away. */
  onSignal(listener: (signal: "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGCONT" | "SIGWINCH") => void): () => void;
  /** Ends whatever still runs as a child of this process, as the last thing. */
  endChildren(): void;
  /** Ends this process at once, when an orderly end has taken too long. */
  exit(code: number): void;
  /** The reader of stdout has gone. */
  onClosedPipe(listener: () => void): void;
};

type BytesReader = {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
};

const CANCEL_MS = 100;
const MAX_STDIN_BYTES = 32 * 1024 * 1024;

export function processIo(): Io {
  const isTerminal = isatty(0);
  const closedPipe: (() => void)[] = [];
  const env: Record<string, string | undefined> = { ...process.env };
  return {
    stdout: outputOf(process.stdout, () => {
      for (const listener of closedPipe) listener();
    }),
    stderr: outputOf(process.stderr, () => {}),
    stdinText: isTerminal ? undefined : readStdin,
    keyboard: isTerminal ? ttyKeyboard() : undefined,
    env,
    home: homeOf(env),
    cwd: () => process.cwd(),
    // oxlint-disable-next-line no-restricted-properties -- the shell's own cd; its tools are served without that promise
    chdir: (folder) => process.chdir(folder),
    onSignal(listener) {
      const names = ["SIGINT", "SIGTERM", "SIGHUP", "SIGCONT", "SIGWINCH"] as const;
      const handlers = names.map((name) => [name, () => listener(name)] as const);
      for (const [name, handler] of handlers) process.on(name, handler);
      return () => {
        for (const [name, handler] of handlers) process.off(name, handler);
      };
    },
    endChildren,
    // eslint-disable-next-line no-restricted-properties -- the last resort: whatever still waits has had its time
    exit: (code) => process.exit(code),
    onClosedPipe: (listener) => void closedPipe.push(listener),
  };
}

// A server that was still starting is nobody's yet: its group ends with us all the same.
function endChildren(): void {
  for (const { pid, parent } of readProcessesNow()) {
    if (parent !== process.pid) continue;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // not the leader of a group, or gone
    }
  }
}

function outputOf(stream: NodeJS.WriteStream, onClosed: () => void): Output {
  const output = new ProcessOutput(stream, onClosed);
  return {
    write: (text) => output.write(text),
    isTerminal: stream.isTTY === true,
    columns: () => stream.columns ?? 80,
    drained: (withinMs) => output.drained(withinMs),
  };
}

// Read through a descriptor of its own that never blocks: only so a read that is under way can be given up, and a child
// gets every key. A blocking read (a paused stream included) would swallow the child's first line.
function ttyKeyboard(): Keyboard {
  let mode: ReadStream | undefined;
  let open: { descriptor: number; reader: BytesReader } | undefined;
  return {
    open(onBytes, onGone) {
      mode ??= new ReadStream(openTerminal(constants.O_RDONLY)); // for the mode alone; nobody reads from it
      mode.setRawMode(true);
      const descriptor = openTerminal(constants.O_RDONLY | constants.O_NONBLOCK);
      const reader = Bun.file(descriptor).stream().getReader();
      open = { descriptor, reader };
      void pump(reader, onBytes).then(() => {
        if (open?.reader === reader) onGone();
      });
    },
    async close() {
      try {
        mode?.setRawMode(false);
      } catch {
        // EIO: the terminal is gone, and its mode with it
      }
      const closing = open;
      open = undefined;
      if (closing === undefined) return;
      // A read that cannot be given up ends with its descriptor.
      await Promise.race([closing.reader.cancel().catch(() => {}), Bun.sleep(CANCEL_MS)]);
      closeSync(closing.descriptor);
    },
  };
}

function openTerminal(flags: number): number {
  try {
    return openSync("/dev/tty", flags);
  } catch {
    return openSync("/dev/fd/0", flags); // a terminal that is not the session's own
  }
}

async function pump(reader: BytesReader, onBytes: (bytes: Uint8Array) => void): Promise<void> {
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || value === undefined) return;
      onBytes(value);
    }
  } catch {
    // EIO: the terminal is gone
  }
}

async function readStdin(): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of Bun.stdin.stream()) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_STDIN_BYTES) throw new Error("the input is too long to be a question");
  }
  return text + decoder.decode();
}
