// S15 and S16: commands that try to outlive their call, client or server, and servers that are killed while they write.
import { readFileSync, writeFileSync } from "node:fs";
import { must } from "./arena.ts";
import type { Arena, Attack, Variant } from "./arena.ts";
import { eventually, processesWith, scratch, TestServer } from "../harness/server.ts";

/** Ways to stay: % is a number that only these processes carry. */
const STAYING: readonly (readonly [name: string, command: string])[] = [
  ["a job", "sleep % & sleep %"],
  ["a session of its own", "setsid sleep % & sleep %"],
  ["a daemon", "(setsid sh -c 'sleep % & sleep %' &); sleep %"],
  ["a wiped environment", "env -i sleep % & sleep %"],
  ["deaf to being asked", "trap '' TERM HUP INT; (trap '' TERM HUP; setsid sleep %) & sleep %"],
  ["forking all the time", "f() { sleep % & sleep 0.05; f; }; f & sleep %"],
  [
    "without our limits",
    "ulimit -Sx unlimited 2>/dev/null; setsid env -i sh -c 'ulimit -x unlimited; exec sleep %' & sleep %",
  ],
  ["under another name", "cp $(command -v sleep) ./daemon; setsid -f ./daemon %; sleep %"],
];

type End = readonly [name: string, end: (server: TestServer, call: Promise<unknown>) => Promise<void>];
const ENDS: readonly End[] = [
  ["SIGKILL of the server", async (server) => server.process.kill("SIGKILL")],
  ["a client that leaves", async (server) => void server.process.stdin.end()],
];

let counter = 0;

const outliving: Variant[] = STAYING.flatMap(([name, command]) => [
  {
    name: `${name}: a time limit`,
    async attempt(arena: Arena) {
      const mark = newMark();
      await arena.server.bash(command.replaceAll("%", mark), { timeout: 1500 });
      await gone(mark);
    },
  },
  ...ENDS.map(([ending, end]) => ({
    name: `${name}: ${ending}`,
    async attempt(arena: Arena) {
      const mark = newMark();
      const server = await arena.own();
      const call = server.bash(command.replaceAll("%", mark)).catch(() => "gone");
      await eventually("it runs", () => processesWith(` ${mark}`).length > 0);
      await end(server, call);
      await server.process.exited;
      await gone(mark);
      Bun.spawnSync(["rm", "-rf", server.base]);
    },
  })),
]);

const cancelled: Variant = {
  name: "everything at once: cancelled by the client",
  async attempt(arena) {
    const mark = newMark();
    const all = STAYING.slice(0, 5)
      .map(([, command]) => `(${command.replaceAll("%", mark)}) &`)
      .join(" ");
    const call = arena.server.request(
      "tools/call",
      { name: "bash", arguments: { command: `${all} sleep ${mark}` } },
      `cancel-${mark}`,
    );
    await eventually("it runs", () => processesWith(` ${mark}`).length > 2);
    arena.server.notify("notifications/cancelled", { requestId: `cancel-${mark}` });
    void call;
    await gone(mark);
  },
};

const OLD = "old".repeat(500_000);
const NEW = "new".repeat(2_000_000);
const TORN_BY: readonly (readonly [tool: string, args: Record<string, unknown>])[] = [
  ["create_file", { path: "precious.txt", content: NEW }],
  ["write_file", { file: "precious.txt", content: NEW }],
];

const torn: Variant[] = TORN_BY.flatMap(([tool, args]) =>
  [0, 6, 12, 18, 30, 45].map((ms) => ({
    name: `${tool}: killed after ${ms} ms`,
    async attempt(arena: Arena) {
      const { base, root } = scratch({ "precious.txt": OLD });
      const server = await arena.own({ root, args: ["--tools", "coding,workspace"] });
      void server.call(tool, args).catch(() => {});
      await Bun.sleep(ms);
      server.process.kill("SIGKILL");
      await server.process.exited;
      const content = readFileSync(`${root}/precious.txt`, "utf8");
      must(content === OLD || content === NEW, `the file holds ${content.length} characters of something else`);
      Bun.spawnSync(["rm", "-rf", base]);
    },
  })),
);

const full: Variant = {
  name: "create_file, str_replace: a full disk keeps the old file",
  async attempt(arena) {
    const { server } = arena;
    writeFileSync(server.at("kept.txt"), "kept\n");
    const small = await arena.own({ root: server.root, args: ["--tools", "coding"], env: {} });
    try {
      // The limit on a file's size is what a full disk looks like to a writer, and needs no disk.
      Bun.spawnSync(["prlimit", `--pid=${small.process.pid}`, "--fsize=100000:100000"]);
      await small.request("tools/call", {
        name: "create_file",
        arguments: { path: "kept.txt", content: "x".repeat(1_000_000) },
      });
      must(readFileSync(server.at("kept.txt"), "utf8") === "kept\n", "the old file is gone");
    } finally {
      await small.close();
    }
  },
};

export const LIFETIMES: readonly Attack[] = [
  {
    row: "S15",
    title: "commands that outlive their call or server",
    variants: [...outliving, cancelled],
    independent: true,
  },
  { row: "S16", title: "a kill or a full disk in the middle of a write", variants: [...torn, full], independent: true },
];

function newMark(): string {
  counter += 1;
  return `8${counter}.${process.pid}`;
}

async function gone(mark: string): Promise<void> {
  await eventually(`nothing of ${mark} is left`, () => processesWith(` ${mark}`).length === 0, 30_000);
}
