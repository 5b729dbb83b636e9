// A host and a folder for one test file, and short words for commands.
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ProcessHost } from "../../src/process/process-host.ts";
import type { Command } from "../../src/process/command-checks.ts";
import type { HostOptions } from "../../src/process/process-host.ts";

export const CAP = { cap: { max: 30_000, unit: "chars" } } as const;
export const ENV = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: "/nonexistent", LANG: "C.UTF-8" };

export type Deck = {
  readonly host: ProcessHost;
  readonly folder: string;
  shell(text: string, more?: Partial<Command>): Command;
  argv(words: readonly string[], more?: Partial<Command>): Command;
  close(): Promise<void>;
};

export function openDeck(options: HostOptions = {}): Deck {
  const host = new ProcessHost(options);
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "deck-")));
  const tags = host.newSession();
  const base = { cwd: folder, env: ENV, tags, nonce: "c0ffee11", stdout: CAP, stderr: CAP };
  return {
    host,
    folder,
    shell: (text, more = {}) => ({ ...base, what: { kind: "shell", text }, ...more }),
    argv: (words, more = {}) => ({ ...base, what: { kind: "argv", argv: words }, ...more }),
    close: async () => {
      await host.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Live processes with `mark` as one of their words; the shell that holds it in a longer text does not count. */
export function running(mark: string): number[] {
  return readdirSync("/proc").flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) return [];
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0");
      return words.includes(mark) ? [pid] : [];
    } catch {
      return [];
    }
  });
}

/** Waits until `holds`, or gives up after a generous while. */
export async function eventually(holds: () => boolean, forMs = 20_000): Promise<boolean> {
  const end = performance.now() + forMs;
  while (performance.now() < end) {
    if (holds()) return true;
    await Bun.sleep(20);
  }
  return holds();
}

let marks = 0;

/** A number of seconds nobody else sleeps, to find one's own sleepers by. */
export function uniqueSeconds(): string {
  marks += 1;
  return `7${process.pid}.${String(marks).padStart(4, "0")}`;
}

/** A tree that tries to get away: same group, own session, double fork, wiped environment. */
export function runawayTree(seconds: string): string {
  return [
    `sleep ${seconds} &`,
    `setsid sleep ${seconds} &`,
    `(setsid sh -c 'sleep ${seconds} & sleep ${seconds}' >/dev/null 2>&1 &)`,
    `(env -i setsid /bin/sh -c '/bin/sleep ${seconds} & exit' >/dev/null 2>&1 </dev/null &)`,
    `(trap "" TERM; exec env -i setsid /bin/sleep ${seconds} >/dev/null 2>&1) &`,
  ].join("\n");
}
export const RUNAWAYS = 6;
