// A home of its own for each test: settings, state and sessions in a temporary folder; and aish as a real process in it.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { runAish } from "../src/main.ts";
import type { HostOptions } from "../src/program.ts";
import type { Io, Output } from "../src/screen/program-io.ts";

const HANG_MS = 20_000;

export const ROOT = path.resolve(import.meta.dir, "../../..");
export const AISH = path.join(import.meta.dir, "../src/main.ts");

export type Home = {
  folder: string;
  work: string;
  env: Record<string, string>;
  settings(text: string): void;
  /** Every file below, with its text: for looking whether something is there that must not be. */
  files(): { file: string; text: string; mode: number }[];
  remove(): void;
};

export function makeHome(): Home {
  const folder = mkdtempSync(path.join(tmpdir(), "aish-test-"));
  const work = path.join(folder, "work");
  mkdirSync(work);
  const config = path.join(folder, "config", "bosun");
  mkdirSync(config, { recursive: true, mode: 0o700 });
  return {
    folder,
    work,
    env: {
      PATH: process.env["PATH"] ?? "/usr/bin:/bin",
      HOME: folder,
      LANG: "C.UTF-8",
      TERM: "xterm-256color",
      SHELL: "/bin/bash",
      XDG_CONFIG_HOME: path.join(folder, "config"),
      XDG_STATE_HOME: path.join(folder, "state"),
      XDG_DATA_HOME: path.join(folder, "data"),
    },
    settings: (text) => writeFileSync(path.join(config, "config.toml"), text, { mode: 0o600 }),
    files: () => walk(folder),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Settings for a scripted model. */
export function modelSettings(url: string, more = ""): string {
  return `default_model = "local"\n[models.local]\nbase_url = "${url}"\nmodel = "scripted"\ncontext_window = 32768\n${more}\n`;
}

export type Ran = { code: number; stdout: string; stderr: string };

/** aish as a real process, with pipes. */
export async function aishProcess(
  home: Home,
  args: string[],
  options: {
    stdin?: string;
    env?: Record<string, string>;
    signalAfter?: { when: () => Promise<void>; signal: NodeJS.Signals };
  } = {},
): Promise<Ran> {
  const child = Bun.spawn([process.execPath, "--no-env-file", "--config=/dev/null", AISH, ...args], {
    cwd: home.work,
    env: { ...home.env, ...options.env },
    stdin: new Blob([options.stdin ?? ""]),
    stdout: "pipe",
    stderr: "pipe",
  });
  if (options.signalAfter) void options.signalAfter.when().then(() => child.kill(options.signalAfter?.signal));
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, stderr };
}

/** aish in this process, with the same files, servers and sockets; only the streams are ours. */
export async function aish(
  home: Home,
  args: string[],
  options: { stdin?: string; env?: Record<string, string>; host?: HostOptions } = {},
): Promise<Ran> {
  const ran: Ran = { code: -1, stdout: "", stderr: "" };
  const io = quietIo(home, {
    env: { ...home.env, ...options.env },
    stdin: options.stdin ?? "",
    onWrite: (name, text) => void (ran[name] += text),
  });
  ran.code = await runAish(args, io, { waitScale: 0.01, usualModels: [], ...options.host });
  return ran;
}

/** Surroundings without a terminal: what is written goes to whoever wants it. */
export function quietIo(
  home: Home,
  options: {
    env?: Record<string, string>;
    stdin?: string;
    onWrite?: (stream: "stdout" | "stderr", text: string) => void;
  } = {},
): Io {
  const output = (name: "stdout" | "stderr"): Output => ({
    write: (text) => options.onWrite?.(name, text),
    isTerminal: false,
    columns: () => 80,
    drained: async () => {},
  });
  return {
    stdout: output("stdout"),
    stderr: output("stderr"),
    stdinText: async () => options.stdin ?? "",
    keyboard: undefined,
    env: options.env ?? home.env,
    home: home.folder,
    cwd: () => home.work,
    chdir: () => {},
    onSignal: () => () => {},
    onClosedPipe: () => {},
    endChildren: () => {},
    exit: () => {},
  };
}

export const FILESYSTEM = path.join(ROOT, "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");
export const EVERYTHING = path.join(ROOT, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");

/** A stdio server in the settings. */
export function stdioServer(alias: string, command: string, args: string[]): string {
  return `[mcp.servers.${alias}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`;
}

/** Command lines of the processes that were started in this folder, aish itself left out. */
export function processesIn(folder: string): string[] {
  return commandsIn(folder)
    .map(({ line }) => line)
    .filter((line) => line !== "" && !line.includes(AISH));
}

/** Ends what a chat that was killed could not end: a server that never answers and never ends. */
export function endProcessesIn(folder: string): void {
  for (const { pid } of commandsIn(folder)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // gone in the meantime
    }
  }
}

function commandsIn(folder: string): { pid: number; line: string }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        if (readlinkSync(`/proc/${pid}/cwd`) !== folder) return [];
        const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
        return [{ pid: Number(pid), line }];
      } catch {
        return []; // gone in the meantime, or somebody else's
      }
    });
}

/** Waits for the last of them to be gone, and says which ones stay. */
export async function untilNoProcessIn(folder: string): Promise<void> {
  const startedAt = Date.now();
  while (processesIn(folder).length > 0) {
    if (Date.now() - startedAt > HANG_MS) throw new Error(`still running: ${processesIn(folder).join(" | ")}`);
    await Bun.sleep(25);
  }
}

function walk(folder: string): { file: string; text: string; mode: number }[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return walk(file);
    if (!entry.isFile()) return [];
    return [{ file, text: readFileSync(file, "utf8"), mode: statSync(file).mode & 0o777 }];
  });
}
