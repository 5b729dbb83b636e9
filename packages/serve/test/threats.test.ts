// The server's rows of the threat table, S1 to S16, through real servers with the sandbox on and off, and the table of what
// came of them. The attacks are in attacks/; scripts/attack-table.ts prints the same table.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import path from "node:path";
import { Arena } from "./attacks/arena.ts";
import { ATTACKS, tableOf, tryAttack } from "./attacks/table.ts";
import { announceRows, row, skipped } from "./harness/contract.ts";
import { cleanEnvironment, eventually, scratch } from "./harness/server.ts";
import type { Attack, Mode } from "./attacks/arena.ts";
import type { Outcome } from "./attacks/table.ts";

announceRows();

const MODES: readonly Mode[] = ["on", "off"];
const hasSandbox = Bun.which("bwrap") !== null;
const arenas = new Map<Mode, Arena>();
const outcomes = new Map<Attack, Map<Mode, Outcome>>(ATTACKS.map((attack) => [attack, new Map()]));

beforeAll(async () => {
  for (const mode of MODES) if (mode === "off" || hasSandbox) arenas.set(mode, await Arena.open(mode));
});
afterAll(async () => {
  await Promise.all([...arenas.values()].map((arena) => arena[Symbol.asyncDispose]()));
  console.error(tableOf(outcomes));
});

for (const mode of MODES) {
  for (const attack of ATTACKS) {
    const name = `${attack.row} ${attack.title}, sandbox ${mode}: ${attack.variants.length} variants`;
    if (mode === "on" && !hasSandbox) {
      skipped("threats", name, "bwrap is missing");
      continue;
    }
    row("threats", name, async () => {
      const arena = arenas.get(mode);
      if (arena === undefined) throw new Error("no server in this mode");
      const outcome = await tryAttack(attack, arena);
      outcomes.get(attack)?.set(mode, outcome);
      expect(outcome.kind === "breached" ? outcome.breaches : []).toEqual([]);
    });
  }
}

test("all sixteen rows of the table are tried, by hundreds of variants", () => {
  expect([...new Set(ATTACKS.map((attack) => attack.row))]).toEqual(
    Array.from({ length: 16 }, (_, i) => `S${i + 1}` as const),
  );
  expect(ATTACKS.reduce((sum, { variants }) => sum + variants.length, 0)).toBeGreaterThan(150);
});

row("threats", "S7 without a sandbox the server says so loudly", () => {
  expect(arenas.get("off")?.server.stderr).toContain("commands run WITHOUT a sandbox");
});

row("threats", "S5 a client that stops reading is not a reason to stop or to grow", async () => {
  const { base, root } = scratch({ "big.txt": "0123456789\n".repeat(90_000) });
  const child = Bun.spawn(
    [
      process.execPath,
      "--no-env-file",
      "--config=/dev/null",
      path.resolve(import.meta.dir, "../src/main.ts"),
      "--transport",
      "stdio",
      "--tools",
      "workspace",
      "--sandbox",
      "off",
    ],
    { cwd: root, env: cleanEnvironment(base), stdin: "pipe", stdout: "pipe", stderr: "ignore" },
  );
  child.stdin.write(
    '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}\n',
  );
  for (let id = 1; id <= 300; id += 1)
    child.stdin.write(
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"read_file","arguments":{"file":"big.txt","maxBytes":1048576}}}\n`,
    );
  void Promise.resolve(child.stdin.flush()).catch(() => {});
  await Bun.sleep(3000); // time in which an unbounded server would have grown
  const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024;
  expect(rss).toBeLessThan(700);
  child.kill("SIGTERM");
  await eventually("it ends", () => child.exitCode !== null || child.signalCode !== null, 30_000);
});
