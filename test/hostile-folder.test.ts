// Bun runs the `preload` of a bunfig.toml in the current folder and loads its .env, unless told not to. Everything that
// can be started is started here inside a folder that tries.
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const root = path.resolve(import.meta.dir, "..");
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "bosun-hostile-")));
const mark = path.join(folder, "ran");
writeFileSync(path.join(folder, "evil.ts"), `require("node:fs").writeFileSync(${JSON.stringify(mark)}, "ran");`);
writeFileSync(path.join(folder, "bunfig.toml"), 'preload = ["./evil.ts"]\n[test]\npreload = ["./evil.ts"]\n');
writeFileSync(path.join(folder, ".env"), "BOSUN_HOSTILE=1\nBUN_OPTIONS=--preload=./evil.ts\n");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bun = process.execPath;
const entries = readdirSync(path.join(root, "packages"), { recursive: true, encoding: "utf8" })
  .filter((name) => /^[^/]+\/(src|examples)\/.*\.ts$/.test(name))
  .map((name) => path.join(root, "packages", name))
  .filter((file) => readFileSync(file, "utf8").startsWith("#!"));

test("the folder is really hostile: plain Bun falls for it", async () => {
  await start([bun, "-e", "0"], {});
  expect(existsSync(mark)).toBe(true);
  rmSync(mark);
});

const SHOW = ["-e", `console.log(process.env.BOSUN_HOSTILE ?? "not set")`];

test.each<[string, string[], string]>([
  ["plain Bun loads it", [bun], "1"],
  ["scripts/bun.mjs does not", ["node", path.join(root, "scripts/bun.mjs")], "not set"],
  ...entries.map((entry): [string, string[], string] => [
    `the first line of ${path.relative(root, entry)} does not`,
    [bun, ...(shebangFlags(entry) ?? [])],
    "not set",
  ]),
])("the folder's .env: %s", async (_, command, expected) => {
  expect(await start([...command, ...SHOW], {})).toBe(`${expected}\n`);
  rmSync(mark, { force: true });
});

test("there are entry points to try", () => {
  expect(entries.length).toBeGreaterThan(0);
});

test.each(entries.map((entry) => [path.relative(root, entry), entry]))("%s does not run it", async (_, entry) => {
  await start(["node", path.join(root, "scripts/bun.mjs"), entry, "--help"], { BUN_OPTIONS: "--preload=./evil.ts" });
  expect(existsSync(mark)).toBe(false);
  // As an executable file, through its own first line.
  await start([bun, ...(shebangFlags(entry) ?? []), entry, "--help"], {});
  expect(existsSync(mark)).toBe(false);
});

/** The first it said. Then it is ended: a server would not end by itself, and what comes first ran before it spoke. */
async function start(command: string[], env: Record<string, string>): Promise<string> {
  const child = Bun.spawn(command, {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  });
  const timer = setTimeout(() => child.kill("SIGTERM"), 20_000);
  const { value } = await child.stdout.getReader().read();
  // Not SIGKILL: the launcher passes this one on, so that nothing is left running behind it.
  child.kill("SIGTERM");
  await child.exited;
  clearTimeout(timer);
  return new TextDecoder().decode(value);
}

function shebangFlags(file: string): string[] | undefined {
  return /^#!\/usr\/bin\/env -S bun (.*)\n/.exec(readFileSync(file, "utf8"))?.[1]?.split(" ");
}
