// What a command costs: beside a bare posix_spawn, in each sandbox that works here, and in memory under a flood.
// Ratios within one run; functions return rows for whoever prints them.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { ProcessHost } from "../src/process/process-host.ts";
import { chooseSandbox } from "../src/sandbox/select-mechanism.ts";
import { parseShell } from "../src/shell-syntax/grammar.ts";
import type { Command } from "../src/process/command-checks.ts";
import type { Confinement } from "../src/process/sandbox-words.ts";

export type Row = {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly against?: string;
  readonly limit?: number;
};

const ROUNDS = 8;
const PER_ROUND = 15;

/** `bash true` against a bare posix_spawn of `bash -c true`, interleaved, and what each sandbox adds. */
export async function benchCommands(): Promise<Row[]> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "bench-")));
  const bare = buildBareSpawn(folder);
  const boundary = {
    writable: [folder],
    readOnly: [],
    denied: [],
    network: false,
    home: homedir(),
    path: process.env["PATH"] ?? "",
  };
  const lanes: Lane[] = [{ name: "host", ...lane(folder, undefined) }];
  for (const mechanism of ["bubblewrap", "namespaces", "landlock"] as const) {
    const sandbox = await chooseSandbox(boundary, { mode: "auto", mechanisms: [mechanism] });
    if (sandbox.mechanism === mechanism) lanes.push({ name: mechanism, ...lane(folder, sandbox.confinement) });
  }
  // Back to back, and with the pause that any agent makes: only then is the next shell ready when it is asked for.
  lanes.push(
    ...lanes.map((each) => ({ ...each, name: `${each.name}, paced`, pauseMs: 40, close: async () => undefined })),
  );
  const samples = new Map<string, number[]>();
  const note = (name: string, ms: number): void =>
    void (samples.get(name) ?? samples.set(name, []).get(name))?.push(ms);
  for (let round = 0; round < ROUNDS; round++) {
    if (bare !== undefined) for (const ms of await bare(PER_ROUND)) note("posix_spawn", ms);
    for (const { name, run, pauseMs = 0 } of lanes) {
      for (let i = 0; i < PER_ROUND; i++) {
        if (pauseMs > 0) await Bun.sleep(pauseMs);
        note(name, await timed(run));
      }
    }
  }
  for (const { close } of lanes) await close();
  rmSync(folder, { recursive: true, force: true });
  const p50 = new Map([...samples].map(([name, values]) => [name, median(values)]));
  const host = p50.get("host") ?? Number.NaN;
  const floor = p50.get("posix_spawn");
  return [
    ...[...p50].map(([name, value]) => ({ name: `command true: ${name}`, value, unit: "ms" })),
    ...(floor === undefined
      ? []
      : [
          {
            name: "command true: ratio",
            value: host / floor,
            unit: "×",
            against: "posix_spawn bash -c true",
            limit: 1.5,
          },
        ]),
    ...lanes
      .filter(({ name }) => !name.startsWith("host"))
      .map(({ name }) => ({
        name: `sandbox adds: ${name}`,
        value: (p50.get(name) ?? Number.NaN) - host,
        unit: "ms",
        against: "host, back to back",
        ...(name.startsWith("bubblewrap") ? { limit: 4 } : {}),
      })),
  ];
}

/** How memory grows while a command prints that much. */
export async function benchFlood(bytes = 10e9): Promise<Row[]> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "bench-")));
  const { host, command } = lane(folder, undefined);
  await host.run(command("true"));
  const before = process.memoryUsage().rss;
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 25);
  const startedAt = performance.now();
  const run = await host.run(command(`head -c ${bytes} /dev/zero`));
  clearInterval(watch);
  const seconds = (performance.now() - startedAt) / 1000;
  await host.close();
  rmSync(folder, { recursive: true, force: true });
  return [
    { name: `flood of ${bytes / 1e9} GB: growth`, value: (peak - before) / 1e6, unit: "MB", limit: 64 },
    { name: `flood of ${bytes / 1e9} GB: speed`, value: run.stdout.totalBytes / 1e6 / seconds, unit: "MB/s" },
  ];
}

/** Judging must stay below a millisecond; parsing is most of it. */
export async function benchShellSyntax(): Promise<Row[]> {
  const text = `cd src && for f in *.ts; do grep -n "x y" "$f" | sed 's/a/b/' > "out/$f" || exit 1; done; sh -c 'echo $(date)'`;
  for (let i = 0; i < 500; i++) parseShell(text);
  const startedAt = performance.now();
  for (let i = 0; i < 2000; i++) parseShell(text);
  return [{ name: "parse a shell command", value: (performance.now() - startedAt) / 2000, unit: "ms", limit: 1 }];
}

type Lane = { readonly name: string; readonly pauseMs?: number; run(): Promise<unknown>; close(): Promise<void> };

function lane(folder: string, confinement: Confinement | undefined) {
  const host = new ProcessHost(confinement === undefined ? {} : { confinement });
  const plan = { cap: { max: 30_000, unit: "chars" } } as const;
  const env = { PATH: process.env["PATH"] ?? "", HOME: homedir() };
  const shared = { cwd: folder, env, tags: host.newSession(), nonce: "00000000", stdout: plan, stderr: plan };
  const command = (text: string): Command => ({ ...shared, what: { kind: "shell", text } });
  return { host, command, run: () => host.run(command("true")), close: () => host.close() };
}

// In C: anything else would measure itself. Undefined where there is no compiler.
export function buildBareSpawn(folder: string): ((count: number) => Promise<number[]>) | undefined {
  const compiler = Bun.which("cc") ?? Bun.which("gcc");
  if (compiler === null) return undefined;
  const source = path.join(folder, "bare.c");
  const program = path.join(folder, "bare");
  writeFileSync(source, BARE_SPAWN);
  if (Bun.spawnSync([compiler, "-O2", source, "-o", program]).exitCode !== 0) return undefined;
  return async (count) => {
    const child = Bun.spawn([program, String(count)], { stdout: "pipe", env: { PATH: process.env["PATH"] ?? "" } });
    return (await new Response(child.stdout).text()).trim().split("\n").map(Number);
  };
}

const BARE_SPAWN = `#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
extern char **environ;
int main(int argc, char **argv) {
  char *words[] = {"/bin/bash", "-c", "true", NULL};
  for (int i = atoi(argv[1]); i > 0; i--) {
    struct timespec a, b;
    pid_t pid;
    int status;
    clock_gettime(CLOCK_MONOTONIC, &a);
    if (posix_spawn(&pid, words[0], NULL, NULL, words, environ)) return 1;
    waitpid(pid, &status, 0);
    clock_gettime(CLOCK_MONOTONIC, &b);
    printf("%f\\n", (b.tv_sec - a.tv_sec) * 1e3 + (b.tv_nsec - a.tv_nsec) / 1e6);
  }
}
`;

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

if (import.meta.main) {
  for (const bench of [benchCommands, benchShellSyntax, benchFlood]) {
    for (const row of await bench()) {
      const limit = row.limit === undefined ? "" : `   (≤ ${row.limit})`;
      console.log(`${row.name.padEnd(36)} ${row.value.toFixed(2).padStart(9)} ${row.unit}${limit}`);
    }
  }
}
