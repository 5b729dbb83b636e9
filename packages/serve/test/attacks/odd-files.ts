// S5: what is not a file to read, and what has no end: a bounded answer, and a server that answers others meanwhile.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { must } from "./arena.ts";
import type { Arena, Attack, Variant } from "./arena.ts";
import { scratch } from "../harness/server.ts";

type Odd = readonly [name: string, make: (at: string) => void];
const ODD: readonly Odd[] = [
  ["a FIFO", (at) => void Bun.spawnSync(["mkfifo", at])],
  ["a link to a device", (at) => symlinkSync("/dev/zero", at)],
  ["a link to a terminal", (at) => symlinkSync("/dev/tty", at)],
  ["a link into /proc", (at) => symlinkSync("/proc/kmsg", at)],
  ["a link to our own output", (at) => symlinkSync("/proc/self/fd/1", at)],
  ["a sparse terabyte", (at) => void Bun.spawnSync(["truncate", "-s", "1T", at])],
  ["one endless line", (at) => writeFileSync(at, "x".repeat(40_000_000))],
];

const read: Variant[] = ODD.map(([name, make]) => ({
  name: `eight readers of ${name}`,
  async attempt({ server }) {
    rmSync(server.at("odd"), { force: true });
    make(server.at("odd"));
    const calls = Array.from({ length: 8 }, (_, i) =>
      i % 2 === 0 ? server.call("view", { path: "odd" }) : server.call("read_file", { file: "odd" }),
    );
    await staysResponsive({ server });
    for (const result of await Promise.all(calls)) {
      const refused = result.isError === true || (result.content[0]?.text ?? "").startsWith("Binary file");
      must(refused, `it was read: ${JSON.stringify(result).slice(0, 200)}`);
    }
    rmSync(server.at("odd"), { force: true });
  },
}));

const written: Variant[] = ODD.slice(0, 5).map(([name, make]) => ({
  name: `writing and editing ${name}`,
  async attempt({ server }) {
    rmSync(server.at("odd"), { force: true });
    make(server.at("odd"));
    const calls = [
      server.call("create_file", { path: "odd", content: "x" }),
      server.call("str_replace", { path: "odd", old_str: "a", new_str: "b" }),
      server.call("write_file", { file: "odd", content: "x" }),
    ];
    await staysResponsive({ server });
    await Promise.all(calls);
    rmSync(server.at("odd"), { force: true });
  },
}));

const searched: Variant = {
  name: "searching a folder of all of them",
  async attempt({ server }) {
    mkdirSync(server.at("odds"), { recursive: true });
    for (const [index, [, make]] of ODD.entries()) make(path.join(server.at("odds"), String(index)));
    const calls = [
      server.call("grep", { pattern: "canary", path: "odds" }),
      server.call("glob", { pattern: "**/*", path: "odds" }),
      server.call("list_dir", { dir: "odds", recursive: true }),
    ];
    await staysResponsive({ server });
    await Promise.all(calls);
    rmSync(server.at("odds"), { recursive: true, force: true });
  },
};

/** A server must start where the project's own file is none: it is looked at before anything is served. */
const asProjectFile: Variant[] = [...ODD.slice(0, 5), ["a folder", (at) => mkdirSync(at)] as Odd].map(
  ([name, make]) => ({
    name: `${name} in place of the project file`,
    async attempt(arena) {
      const { root } = scratch();
      make(path.join(root, ".bosun.toml"));
      const server = await Promise.race([
        arena.own({ root }).catch(() => undefined),
        Bun.sleep(20_000).then(() => "late" as const),
      ]);
      must(server !== "late", "the server hangs at its start");
      // Refusing to start is an answer, too.
      if (server !== undefined && server !== "late") await server[Symbol.asyncDispose]();
    },
  }),
);

export const ODD_FILES: readonly Attack[] = [
  {
    row: "S5",
    title: "FIFOs, devices, /proc, sparse and endless files",
    variants: [...read, ...written, searched, ...asProjectFile],
  },
];

async function staysResponsive({ server }: Pick<Arena, "server">): Promise<void> {
  const ping = await Promise.race([server.request("ping", {}), Bun.sleep(15_000).then(() => "late" as const)]);
  must(ping !== "late", "the server does not answer others");
}
