// aish in a real pseudo-terminal, and the screen a person would see: a small terminal that follows the sequences aish
// may use and reports any other.
import { AISH } from "./home.ts";
import type { Home } from "./home.ts";

export type Pty = {
  /** Everything that came, byte for byte. */
  bytes(): string;
  /** What a person sees, scrollback included. */
  screen(): string;
  type(text: string): void;
  /** Waits until the screen shows it, from a mark on. */
  until(text: string | RegExp, from?: number): Promise<void>;
  /** The same without drawing the screen: for output that is too long to draw again and again. */
  untilBytes(text: string, from?: number): Promise<void>;
  /** Length of the output so far: a mark for `until`. */
  mark(): number;
  resize(columns: number, rows: number): void;
  signal(signal: NodeJS.Signals): void;
  /** Closes the terminal, as a window is closed: no byte gets out or in any more. */
  hangUp(): void;
  exited: Promise<number>;
  pid: number;
  stop(): Promise<void>;
};

export type PtyOptions = {
  columns?: number;
  rows?: number;
  env?: Record<string, string>;
  /** Another entry point that is aish in the end. */
  program?: readonly string[];
};

export const PROMPT = /aish>$/;
export const CTRL_C = "\u0003";
export const CTRL_D = "\u0004";
const HANG_MS = 20_000;

/**
 * Types a line once the prompt is there: what is typed before stands on the line and waits for its Enter. Gives the mark
 * before it.
 */
export async function say(screen: Pty, line: string): Promise<number> {
  await screen.until(PROMPT);
  const mark = screen.mark();
  screen.type(`${line}\r`);
  await screen.until(line.slice(0, 20).trimEnd(), mark); // its echo: from now on an old prompt is an old prompt
  return mark;
}

/** Types an answer once the question can hear. */
export async function answer(screen: Pty, said: string): Promise<void> {
  await Bun.sleep(260);
  screen.type(`${said}\r`);
}

export function startPty(home: Home, args: string[] = [], options: PtyOptions = {}): Pty {
  const program = options.program ?? [AISH];
  return startIn(home, [process.execPath, "--no-env-file", "--config=/dev/null", ...program, ...args], options);
}

/** A shell with job control instead. */
export function startShell(home: Home): Pty {
  return startIn(home, ["bash", "--norc", "-i"], { env: { PS1: "$ " } });
}

function startIn(home: Home, argv: string[], options: PtyOptions): Pty {
  let output = "";
  const columns = options.columns ?? 100;
  const decoder = new TextDecoder();
  const child = Bun.spawn(argv, {
    cwd: home.work,
    env: { ...home.env, ...options.env },
    terminal: {
      cols: columns,
      rows: options.rows ?? 30,
      data: (_terminal: unknown, data: Uint8Array) => {
        output += decoder.decode(data, { stream: true });
      },
    },
  });
  const terminal = child.terminal;
  if (terminal === undefined) throw new Error("no terminal");
  const pty: Pty = {
    bytes: () => output,
    screen: () => render(output, columns),
    type: (text) => void terminal.write(text),
    mark: () => output.length,
    resize: (columns, rows) => terminal.resize(columns, rows),
    signal: (signal) => child.kill(signal),
    hangUp: () => terminal.close(),
    exited: child.exited,
    pid: child.pid,
    async until(text, from = 0) {
      const startedAt = Date.now();
      for (;;) {
        const seen = render(output.slice(from), columns);
        if (typeof text === "string" ? seen.includes(text) : text.test(seen)) return;
        if (Date.now() - startedAt > HANG_MS)
          throw new Error(`never saw ${String(text)}; the screen:\n${render(output, columns)}`);
        await Bun.sleep(15);
      }
    },
    async untilBytes(text, from = 0) {
      const startedAt = Date.now();
      while (output.indexOf(text, from) < 0) {
        if (Date.now() - startedAt > HANG_MS) throw new Error(`never saw ${text}; the end: ${output.slice(-2000)}`);
        await Bun.sleep(15);
      }
    },
    async stop() {
      child.kill("SIGKILL");
      await child.exited;
      if (!terminal.closed) terminal.close();
    },
  };
  return pty;
}

/** Rows of the screen, wrapped at its edge as a terminal does; knows exactly what aish is allowed to send. */
export function render(bytes: string, columns = Number.POSITIVE_INFINITY): string {
  const lines: string[][] = [[]];
  let row = 0;
  let column = 0;
  const line = (): string[] => (lines[row] ??= []);
  // eslint-disable-next-line no-control-regex -- the sequences themselves
  const sequence = /\u001b\[(\??[0-9;]*)([A-Za-z])/y;
  for (let at = 0; at < bytes.length;) {
    const character = String.fromCodePoint(bytes.codePointAt(at) ?? 0);
    if (character === "\u001b") {
      sequence.lastIndex = at;
      const found = sequence.exec(bytes);
      if (found === null) {
        at += 1;
        continue;
      }
      at = sequence.lastIndex;
      const many = Number(found[1]) || 1;
      if (found[2] === "A") row = Math.max(0, row - many);
      else if (found[2] === "C") column += many;
      else if (found[2] === "K") line().length = Math.min(line().length, column);
      else if (found[2] === "J") {
        line().length = Math.min(line().length, column);
        lines.length = row + 1;
      }
      continue;
    }
    at += character.length;
    if (character === "\r") column = 0;
    else if (character === "\n") {
      row += 1;
      line();
    } else {
      const wide = Math.max(1, Bun.stringWidth(character));
      if (column + wide > columns) {
        row += 1;
        column = 0;
      }
      const cells = line();
      while (cells.length < column) cells.push(" ");
      cells[column] = character;
      for (let extra = 1; extra < wide; extra += 1) cells[column + extra] = "";
      column += wide;
    }
  }
  return lines
    .map((cells) =>
      Array.from(cells, (cell) => cell ?? " ")
        .join("")
        .trimEnd(),
    )
    .join("\n");
}

// eslint-disable-next-line no-control-regex -- the sequences themselves
const OURS = /\u001b\[(?:\?2004[hl]|[0-9]*[ACJK]|H|(?:0|1|2|7|22|27|31|32|33|36|39)m)|\r|\n/g;

/** What came that could act on a terminal and is not ours. */
export function strangers(bytes: string): string[] {
  const rest = bytes.replace(OURS, "");
  // eslint-disable-next-line no-control-regex -- exactly what must not be there
  return rest.match(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b-\u200f\ufeff]/g) ?? [];
}
