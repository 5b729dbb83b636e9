// S11: settings, approvals, pins, audit and start-up files, inside the scope on purpose: made, linked, replaced, moved.
// A project file that a person agreed to cannot be touched; one that is not there may be made, and is not obeyed.
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { must } from "./arena.ts";
import type { Arena, Attack, Variant } from "./arena.ts";
import { eventually, scratch, type TestServer } from "../harness/server.ts";

const TARGETS = [
  ".bosun.toml",
  "../config/bosun/config.toml",
  "../config/bosun/config.json",
  "../state/bosun/approvals.json",
  "../state/bosun/audit/audit.jsonl",
  "../state/bosun/sandbox.json",
  "../state/bosun/trusted.json",
  "../data/bosun/x",
];

const PROJECT_FILE = ".bosun.toml";
const AGREED = '[paths]\ndeny = ["**/agreed-secret"]\n';

type Try = readonly [name: string, tool: string, args: (target: string) => Record<string, unknown>];
const BY_TOOL: readonly Try[] = [
  ["created", "create_file", (at) => ({ path: at, content: 'planted = "x"\n' })],
  ["edited", "str_replace", (at) => ({ path: at, old_str: "n", new_str: "m" })],
];

/** Shell words with the target in place of %. */
const BY_COMMAND: readonly (readonly [name: string, command: string])[] = [
  ["a redirect", "echo planted > %"],
  ["a link over it", "echo planted > /tmp/x; ln -sf /tmp/x %"],
  ["a hard link over it", "echo planted > h; ln -f h %; rm -f h"],
  ["a move over it", "echo planted > m; mv -f m %; rm -f m"],
  ["a folder in its place", "mkdir -p %/planted"],
  ["a FIFO in its place", "mkfifo %"],
  ["removing it", "rm -rf %"],
  ["its folder moved away and made anew", 'd=$(dirname %); mv "$d" "$d.away" && mkdir -p "$d" && echo planted > %'],
  [
    "its folder linked elsewhere",
    'd=$(dirname %); rm -rf "$d"; mkdir -p /tmp/own; echo planted > /tmp/own/$(basename %); ln -s /tmp/own "$d"',
  ],
  ["another name for its folder", "ln -sfn $(dirname %) alias; echo planted > alias/$(basename %); rm -f alias"],
  [
    "a mount over it",
    "echo planted > /tmp/p; mount --bind /tmp/p %; unshare -Urm sh -c 'umount -l %; echo planted > %'",
  ],
  ["its mode opened", "chmod -R 777 $(dirname %); chattr -i %; echo planted >> %"],
];

const OFF_REASON =
  "a running command has the rights of the server's user; the file tools are refused without a sandbox, too";

export const POLICY: readonly Attack[] = [
  {
    row: "S11",
    title: "policy by file tools",
    variants: [...BY_TOOL.map(byTool), workspaceTools()],
    independent: true,
  },
  {
    row: "S11",
    title: "policy by commands",
    offReason: OFF_REASON,
    variants: [...BY_COMMAND.map(byCommand), besideAnother()],
    independent: true,
  },
];

function byTool([name, tool, args]: Try): Variant {
  return {
    name: `${name} where ${TARGETS.length} files are or are not`,
    attempt: (arena) =>
      inside(arena, async (server) => {
        for (const target of TARGETS) {
          const mayBe = target === PROJECT_FILE && !existsSync(path.join(server.root, PROJECT_FILE));
          const result = await server.call(tool, args(target));
          must(result.isError === true || mayBe, `${target} was ${name}`);
        }
      }),
  };
}

function workspaceTools(): Variant {
  return {
    name: "written, moved, removed by the workspace's tools",
    attempt: (arena) =>
      inside(arena, async (server) => {
        if (!existsSync(path.join(server.root, PROJECT_FILE))) return; // it may be made, and is looked at below
        await server.call("create_file", { path: "mine.txt", content: "planted" });
        for (const call of [
          ["write_file", { file: ".bosun.toml", content: "planted" }],
          ["move_file", { from: "mine.txt", to: ".bosun.toml" }],
          ["mkdir", { dir: ".bosun.toml" }],
          ["delete_file", { path: ".bosun.toml" }],
          ["write_file", { file: "./dir/../.bosun.toml", content: "planted" }],
        ] as const) {
          const result = await server.call(call[0], call[1]);
          must(result.isError === true, `${call[0]} was not refused`);
        }
      }),
  };
}

function byCommand([name, command]: (typeof BY_COMMAND)[number]): Variant {
  return {
    name: `${name}: ${TARGETS.length} files`,
    attempt: (arena) =>
      inside(arena, async (server) => {
        await server.bash(TARGETS.map((target) => command.replaceAll("%", target)).join("\n"));
      }),
  };
}

// Both keep the file as it is; when the other ends, it must stay so for the command that goes on.
function besideAnother(): Variant {
  return {
    name: "tried again and again while another server of the folder ends",
    attempt: async (arena) => {
      const { base, root } = scratch({ [PROJECT_FILE]: AGREED });
      const [server, other] = [await arena.own({ root }), await arena.own({ root })];
      await other.bash("true");
      const tried = server.bash(
        "touch begun; for i in $(seq 150); do echo planted > .bosun.toml; sleep 0.01; done 2>/dev/null",
      );
      await eventually("the command has begun", () => existsSync(path.join(root, "begun")));
      await other.close();
      await tried;
      await server.close();
      must(readFileSync(path.join(root, PROJECT_FILE), "utf8") === AGREED, "it was changed");
      Bun.spawnSync(["rm", "-rf", base]);
    },
  };
}

/** A server whose settings and state lie inside its scope; afterwards nothing planted is where policy is read. */
async function inside(arena: Arena, attack: (server: TestServer) => Promise<void>): Promise<void> {
  const { base } = scratch();
  const project = path.join(base, "work", PROJECT_FILE);
  // The settings folder and an agreed project file are there in one half of all cases: each variant meets both.
  for (const made of [false, true]) {
    if (made) {
      mkdirSync(path.join(base, "config/bosun"), { recursive: true });
      rmSync(project, { recursive: true, force: true });
      writeFileSync(project, AGREED);
      trust(base, project);
    }
    const server = await arena.own({
      root: path.join(base, "work"),
      args: ["--allow-dir", base, "--tools", "coding,workspace"],
    });
    try {
      await attack(server);
    } finally {
      await server.close();
    }
    for (const target of TARGETS) if (target !== PROJECT_FILE) untouched(path.resolve(server.root, target));
    if (made) must(readFileSync(project, "utf8") === AGREED, "the agreed project file was changed");
    await notObeyed(arena, base, made);
    must(readdirSync(path.join(base, "state/bosun/audit")).length > 0, "the record is gone");
  }
  Bun.spawnSync(["rm", "-rf", base]);
}

/** The next start goes on as if nothing had been planted: it is not stopped, and only what was agreed to is in force. */
async function notObeyed(arena: Arena, base: string, agreed: boolean): Promise<void> {
  const server = await arena.own({ root: path.join(base, "work"), args: ["--allow-dir", base] });
  const { error } = await server.request("ping", {});
  const secret = await server.call("create_file", { path: "agreed-secret", content: "x" });
  await server.close();
  rmSync(path.join(base, "work/agreed-secret"), { force: true });
  must(error === undefined, `the next start was stopped: ${error?.message}`);
  must((secret.isError === true) === agreed, "another project file than the agreed one is in force");
}

function trust(base: string, file: string): void {
  const hash = new Bun.CryptoHasher("sha256").update(AGREED).digest("hex");
  const entries = { [file]: { hash, at: new Date(0).toISOString() } };
  mkdirSync(path.join(base, "state/bosun"), { recursive: true, mode: 0o700 });
  writeFileSync(path.join(base, "state/bosun/trusted-projects.json"), JSON.stringify(entries), { mode: 0o600 });
}

function untouched(file: string): void {
  if (!existsSync(file)) return;
  must(lstatSync(file).isFile(), `${file} is no plain file any more`);
  must(!/^planted/m.test(readFileSync(file, "utf8")), `${file} was planted`);
  must(lstatSync(path.dirname(file)).isDirectory(), `the folder of ${file} is a link`);
}
