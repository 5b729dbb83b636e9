// The executable alone, in an empty folder that tries to run code first, on a machine without Node: it does every job.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { build, ownTarget, profileOf } from "../../../scripts/build.ts";
import { layOut } from "../npm/lay-out.ts";
import { Place, ROOT } from "./harness/bosun.ts";
import { StdioClient } from "./harness/stdio-client.ts";

const folder = mkdtempSync(path.join(tmpdir(), "bosun-built-"));
const bosun = path.join(folder, "bosun");

beforeAll(async () => {
  const first = path.join(folder, "first");
  await build(ownTarget(), first);
  await build(ownTarget(), bosun, { profile: await profileOf(first, path.join(folder, "order")) });
  rmSync(first);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Nothing on PATH, and a folder whose files would run code in a Bun that reads them. */
class HostilePlace extends Place {
  readonly mark = path.join(this.folder, "ran");
  constructor() {
    super();
    mkdirSync(path.join(this.folder, "bin"));
    this.env = { PATH: path.join(this.folder, "bin"), HOME: this.home };
    const evil = `require("node:fs").writeFileSync(${JSON.stringify(this.mark)}, "ran");`;
    writeFileSync(path.join(this.work, "evil.ts"), evil);
    writeFileSync(path.join(this.work, "bunfig.toml"), 'preload = ["./evil.ts"]\n');
    writeFileSync(path.join(this.work, ".env"), "BOSUN_TOOLS=workspace\nHOME=/nowhere\n");
    writeFileSync(path.join(this.work, "package.json"), '{"type":"commonjs","imports":{"#x":"./evil.ts"}}');
    writeFileSync(path.join(this.work, "tsconfig.json"), '{"compilerOptions":{"paths":{"*":["./evil.ts"]}}}');
    writeFileSync(path.join(this.work, "notes.txt"), "a needle in here\n");
  }
}

test("serve: tools are listed, search and commands work", async () => {
  using place = new HostilePlace();
  {
    await using client = new StdioClient([bosun, "serve", "--transport", "stdio"], place.work, place.env);
    await client.greet();
    expect(await client.toolNames()).toContain("grep");
    expect(await client.call("grep", { pattern: "needle", output_mode: "content" })).toContain("a needle in here");
    expect(await client.call("bash", { command: "echo $((6 * 7))" })).toContain("42");
  }
  expect(existsSync(place.mark)).toBe(false);
});

test("ripgrep is unpacked once, private, and put right when it is not what it was", async () => {
  using place = new HostilePlace();
  const search = async (): Promise<string> => {
    await using client = new StdioClient([bosun, "serve", "--transport", "stdio"], place.work, place.env);
    await client.greet();
    return client.call("grep", { pattern: "needle", output_mode: "content" });
  };
  await search();
  const bin = path.join(place.home, ".local/state/bosun/bin");
  const [name = "", ...others] = readdirSync(bin);
  expect(others).toEqual([]);
  const file = path.join(bin, name);
  const [before, bytes] = [statSync(file), readFileSync(file)];
  expect(before.mode & 0o777).toBe(0o700);
  await search();
  expect(statSync(file).ino).toBe(before.ino);
  writeFileSync(file, "#!/bin/sh\necho hijacked\n");
  expect(await search()).toContain("a needle in here");
  expect(readFileSync(file).equals(bytes)).toBe(true);
});

test("where ripgrep cannot be kept it is unpacked for one run, and nothing of it is left", async () => {
  using place = new HostilePlace();
  const temporary = path.join(place.folder, "tmp");
  mkdirSync(temporary);
  mkdirSync(path.join(place.home, ".local/state/bosun"), { recursive: true, mode: 0o700 });
  writeFileSync(path.join(place.home, ".local/state/bosun/bin"), "in the way");
  const unpacked = (): string[] => readdirSync(temporary).filter((name) => name.startsWith("bosun-rg-"));
  {
    const env = { ...place.env, TMPDIR: temporary };
    await using client = new StdioClient([bosun, "serve", "--transport", "stdio"], place.work, env);
    await client.greet();
    expect(await client.call("grep", { pattern: "needle", output_mode: "content" })).toContain("a needle in here");
    // On Linux its name is gone while it runs: no command can change it.
    expect(unpacked().length).toBe(process.platform === "linux" ? 0 : 1);
    expect(await client.call("grep", { pattern: "needle", output_mode: "count" })).toContain("1");
  }
  expect(unpacked()).toEqual([]);
});

test.skipIf(!existsSync("/usr/bin/bwrap"))(
  "no command can put another program in ripgrep's place, even without a folder limit (needs bubblewrap)",
  async () => {
    using place = new HostilePlace();
    const words = [bosun, "serve", "--transport", "stdio", "--unscoped", "--sandbox", "require"];
    await using client = new StdioClient(words, place.work, place.env);
    await client.greet();
    await client.call("grep", { pattern: "needle" });
    const bin = path.join(place.home, ".local/state/bosun/bin");
    const [name = ""] = readdirSync(bin);
    const before = readFileSync(path.join(bin, name));
    await client.call("bash", {
      command: `cd '${bin}'; echo x > '${name}'; /bin/mv '${name}' y; /bin/rm -f '${name}'; echo z > new`,
    });
    expect(readdirSync(bin)).toEqual([name]);
    expect(readFileSync(path.join(bin, name)).equals(before)).toBe(true);
  },
);

test("proxy in front of itself: the same tools, the same answers", async () => {
  using place = new HostilePlace();
  {
    const words = [bosun, "proxy", "--", bosun, "serve", "--transport", "stdio"];
    await using client = new StdioClient(words, place.work, place.env);
    await client.greet();
    expect(await client.toolNames()).toContain("bash");
    expect(await client.call("grep", { pattern: "needle", output_mode: "content" })).toContain("a needle in here");
  }
  expect(existsSync(place.mark)).toBe(false);
});

test("bcp: encode and inspect, also by its own name", async () => {
  using place = new HostilePlace();
  const manifest = { blocks: [{ type: "code", lang: "rust", path: "main.rs", content: "fn main() {}" }] };
  writeFileSync(path.join(place.work, "m.json"), JSON.stringify(manifest));
  const encoded = await place.run(["bcp", "encode", "m.json", "-o", "x.bcp"], "", [bosun]);
  expect(encoded).toMatchObject({ code: 0 });
  symlinkSync(bosun, path.join(place.folder, "bin/bcp"));
  const inspected = await place.run(["inspect", "x.bcp"], "", [path.join(place.folder, "bin/bcp")]);
  expect(inspected.out).toContain("main.rs");
  expect(existsSync(place.mark)).toBe(false);
});

test("doctor: every sandbox that works from the sources works from the executable", async () => {
  using place = new HostilePlace();
  using other = new Place();
  type Report = { sandbox: { attempts: { mechanism: string; works: boolean }[] }; ripgrep: { what: string } };
  const [built, sources] = await Promise.all([
    place.run(["doctor", "--json"], "", [bosun]),
    other.run(["doctor", "--json"]),
  ]);
  const [mine, theirs] = [JSON.parse(built.out) as Report, JSON.parse(sources.out) as Report];
  expect(mine.sandbox.attempts).toEqual(theirs.sandbox.attempts);
  expect(mine.ripgrep.what).toContain(place.home);
  expect(existsSync(place.mark)).toBe(false);
});

test("chat: the scripted stand-in answers, also as aish", async () => {
  using place = new HostilePlace();
  symlinkSync(bosun, path.join(place.folder, "bin/aish"));
  const { code, out } = await place.run(["--demo", "-p", "hello"], "", [path.join(place.folder, "bin/aish")]);
  expect(code).toBe(0);
  expect(out.trim()).not.toBe("");
  expect(existsSync(place.mark)).toBe(false);
});

describe("npm packages", () => {
  const node = Bun.which("node");
  const npm = Bun.which("npm");
  test.skipIf(node === null || npm === null)(
    "packed, installed into an empty project, they run (needs node and npm)",
    async () => {
      using place = new Place();
      // Away from this repository: npm puts the bin folders of every ancestor on PATH.
      place.env = { ...place.env, npm_config_cache: path.join(place.folder, "cache"), npm_config_loglevel: "error" };
      const packages = layOut([{ target: ownTarget(), executable: bosun }], path.join(folder, "npm"));
      for (const each of packages) {
        const manifest = JSON.parse(readFileSync(path.join(each, "package.json"), "utf8")) as { scripts?: object };
        expect(manifest.scripts).toBeUndefined();
      }
      const archives = await packedFrom(packages, place);
      writeFileSync(path.join(place.work, "package.json"), '{"name":"empty","private":true}');
      const words = ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", ...archives];
      expect(await place.run(words, "", [npm ?? "npm"])).toMatchObject({ code: 0 });
      const said = await place.run(["--no-install", "bosun", "version"], "", [Bun.which("npx") ?? "npx"]);
      const { version } = JSON.parse(readFileSync(path.join(ROOT, "packages/cli/package.json"), "utf8")) as {
        version: string;
      };
      expect(said).toMatchObject({ code: 0, out: expect.stringMatching(new RegExp(`^bosun ${version} `)) });
      const bcp = await place.run(["--version"], "", [path.join(place.work, "node_modules/.bin/bcp")]);
      expect(bcp).toMatchObject({ code: 0, out: expect.stringMatching(/^bcp |^\d/) });
      // A signal to the launcher ends what it started.
      const server = Bun.spawn([path.join(place.work, "node_modules/.bin/bosun"), "serve", "--transport", "stdio"], {
        cwd: place.work,
        env: place.env,
        stdin: "pipe",
        stdout: "pipe",
        stderr: "ignore",
      });
      server.stdin.write(`{"jsonrpc":"2.0","id":1,"method":"ping"}\n`);
      await server.stdin.flush();
      const reader = server.stdout.getReader();
      await reader.read();
      server.kill("SIGTERM");
      expect(await server.exited).toBe(0);
      expect((await reader.read()).done).toBe(true);
      const wrong = await place.run(["srve"], "", [path.join(place.work, "node_modules/.bin/bosun")]);
      expect(wrong.code).toBe(2);
    },
  );
});

/**
 * npm squeezes the executable for twenty seconds: by default only the launcher is packed by npm itself, and the files it
 * would take for the other are packed without squeezing.
 */
async function packedFrom(packages: readonly string[], place: Place): Promise<string[]> {
  const archives: string[] = [];
  for (const folder of packages) {
    const isLauncher = path.basename(folder) === "cli";
    if (!isLauncher && process.env["BOSUN_FUZZ"] !== "full") {
      const file = path.join(place.folder, `${path.basename(folder)}.tgz`);
      const words = ["-C", folder, "--transform", "s,^,package/,", "-cf", file, "LICENSE", "bosun", "package.json"];
      expect(await place.run(words, "", ["tar"])).toMatchObject({ code: 0 });
      archives.push(file);
      continue;
    }
    const { out } = await place.run(["pack", "--json", "--pack-destination", place.folder, folder], "", ["npm"]);
    const [packed] = JSON.parse(out) as { filename: string; files: { path: string }[] }[];
    const launchers = ["aish", "bcp-mcp-server", "bcp", "bosun"].map((name) => `bin/${name}.mjs`);
    expect(packed?.files.map((file) => file.path).sort()).toEqual(
      ["LICENSE", "package.json", ...(isLauncher ? ["README.md", ...launchers] : ["bosun"])].sort(),
    );
    archives.push(path.join(place.folder, packed?.filename ?? ""));
  }
  return archives;
}
