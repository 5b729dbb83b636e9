// S4: a folder is swapped with a link to outside while file tools work in it: by us, and by a command of the same client.
import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import type { Arena, Attack, Variant } from "./arena.ts";

// More rounds find more; each is four calls at once.
const ROUNDS = process.env["BOSUN_FUZZ"] === "full" ? 60 : 12;

type Operation = readonly [tool: string, args: Record<string, unknown>];
const OPERATIONS: readonly Operation[] = [
  ["view", { path: "swap/secret.txt" }],
  ["view", { path: "swap" }],
  ["create_file", { path: "swap/new", content: "x" }],
  ["str_replace", { path: "swap/secret.txt", old_str: "canary", new_str: "gone" }],
  ["read_file", { file: "swap/secret.txt" }],
  ["write_file", { file: "swap/written", content: "x" }],
  ["move_file", { from: "swap/secret.txt", to: "swap/moved" }],
  ["delete_file", { path: "swap/secret.txt" }],
  ["mkdir", { dir: "swap/made/deep" }],
  ["grep", { pattern: "canary", path: "swap", output_mode: "content" }],
  ["glob", { pattern: "**/*", path: "swap" }],
  ["list_dir", { dir: "swap" }],
];

const byUs: Variant[] = OPERATIONS.map((operation) => ({
  name: `${operation[0]} ${Object.values(operation[1])[0]}: swapped from outside`,
  attempt: (arena) => underSwaps(arena, operation, () => swapping(arena)),
}));

const byCommand: Variant[] = OPERATIONS.map((operation) => ({
  name: `${operation[0]} ${Object.values(operation[1])[0]}: swapped by a command`,
  attempt: (arena) => underSwaps(arena, operation, () => swappingByCommand(arena)),
}));

export const RACES: readonly Attack[] = [
  { row: "S4", title: "a folder swapped with a link while we work", variants: [...byUs, ...byCommand] },
];

async function underSwaps(
  arena: Arena,
  [tool, args]: Operation,
  start: () => Promise<() => Promise<void>>,
): Promise<void> {
  const { server } = arena;
  rmSync(server.at("swap"), { recursive: true, force: true });
  mkdirSync(server.at("swap"));
  writeFileSync(server.at("swap/secret.txt"), "mine");
  const stop = await start();
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => server.request("tools/call", { name: tool, arguments: args })),
      );
      arena.unharmed(JSON.stringify(answers));
    }
  } finally {
    await stop();
    rmSync(server.at("swap"), { recursive: true, force: true });
    rmSync(server.at("aside"), { recursive: true, force: true });
  }
}

async function swapping({ server, outside }: Arena): Promise<() => Promise<void>> {
  const swap = { running: true };
  const swaps = (async () => {
    while (swap.running) {
      try {
        renameSync(server.at("swap"), server.at("aside"));
        symlinkSync(outside, server.at("swap"));
        await Bun.sleep(0);
        unlinkSync(server.at("swap"));
        renameSync(server.at("aside"), server.at("swap"));
      } catch {
        // the server made the folder anew in between
      }
      await Bun.sleep(0);
    }
  })();
  return async () => {
    swap.running = false;
    await swaps;
  };
}

async function swappingByCommand({ server }: Arena): Promise<() => Promise<void>> {
  const loop =
    "touch swapping; while [ -e swapping ]; do mv swap aside; ln -s ../outside swap; rm -f swap; mv aside swap; done 2>/dev/null";
  const loops = server.call("bash", { command: loop });
  return async () => {
    rmSync(server.at("swapping"), { force: true });
    // The loop may not have begun to look for its file yet.
    while ((await Promise.race([loops.then(() => true), Bun.sleep(50).then(() => false)])) === false)
      rmSync(server.at("swapping"), { force: true });
  };
}
