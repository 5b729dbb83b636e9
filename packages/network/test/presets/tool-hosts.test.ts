// What package tools say of their hosts: the tools are small programs here, and one real npm.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "bun:test";
import { PresetHosts } from "@bosun/network";
import { personOutside } from "../../src/presets/run-tool.ts";

const root = realpathSync(mkdtempSync(path.join(tmpdir(), "bosun-presets-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const home = folder("home");
const bin = folder("bin");
program(
  "npm",
  `echo '{"registry":"http://npm.mirror.test:4873/","@own:registry":"https://own.test/x/","replace-registry-host":"a"}'`,
);
program(
  "pip",
  `[ "$1" = install ] && echo "  -i, --index-url <url> Base URL of the Index (default https://pip.mirror.test/simple). Should" || echo "global.extra-index-url='https://more.test/simple'"`,
);
program("go", `printf 'https://go.mirror.test:8443/x,direct\\nsums.test+abc+key\\n'`);
program("apt-get", `printf 'http://deb.mirror.test/debian\\nhttp://deb.mirror.test/debian\\n'`);
write(
  ".cargo/config.toml",
  '[source.crates-io]\nreplace-with = "m"\n[source.m]\nregistry = "sparse+https://crates.mirror.test/i/"\n',
);
write(
  ".m2/settings.xml",
  "<mirror><!-- <url>https://old.test/</url> --><url> http://10.1.2.3:8081/repo </url></mirror>",
);

const person = { home, path: `${bin}:/usr/bin:/bin`, writable: [] };

test.each<[string, string[]]>([
  ["npm", ["npm.mirror.test:4873", "own.test:443"]],
  ["pypi", ["pip.mirror.test:443", "more.test:443"]],
  ["go", ["go.mirror.test:8443", "sums.test:443"]],
  ["crates", ["crates.mirror.test:443"]],
  ["debian", ["deb.mirror.test:80"]],
  ["maven", ["10.1.2.3:8081"]],
])("%s", async (preset, expected) => {
  const hosts = await new PresetHosts(person).of(preset);
  // Of Maven and apt the system's own files count, too.
  expect(hosts.map(({ host, port }) => `${host}:${port}`)).toEqual(expect.arrayContaining(expected));
  expect(hosts.every(({ isOwnSetting }) => isOwnSetting)).toBe(true);
});

test("registries are all of them, asked once", async () => {
  let asked = 0;
  const presets = new PresetHosts(person, async () => (asked++, []));
  await Promise.all([presets.of("registries"), presets.of("npm"), presets.of("registries")]);
  expect(asked).toBe(6);
});

test("git hosts are known, and no person's own setting", async () => {
  const hosts = await new PresetHosts(person).of("github");
  expect(hosts).toContainEqual({ host: "github.com", port: 22, preset: "github", isOwnSetting: false });
});

test("a tool that is not there, fails or babbles names no host", async () => {
  const odd = folder("odd");
  program("npm", "head -c 1000000 /dev/zero", odd);
  program("go", "exit 3", odd);
  const presets = new PresetHosts({ home: undefined, path: `${odd}:/usr/bin:/bin`, writable: [] });
  expect(await presets.of("npm")).toEqual([]);
  expect(await presets.of("go")).toEqual([]);
});

test.each<[string, string[], string | undefined, string[]]>([
  ["nothing", [], home, [bin]],
  ["the folder with programs", [bin], home, []],
  ["the home", [home], undefined, [bin]],
  ["all of it", [root], undefined, []],
])("where commands can write %s, what lies there is not asked", (_, writable, expectedHome, folders) => {
  const found = personOutside({ home, path: `${bin}:relative:/not/there`, writable });
  expect(found).toEqual({ home: expectedHome, folders });
});

test.skipIf(Bun.which("npm") === null)("npm itself: the person's .npmrc counts, the project's does not", async () => {
  const own = folder("own");
  const project = folder("project");
  writeFileSync(path.join(own, ".npmrc"), "registry=http://mine.test:4873/\n");
  writeFileSync(path.join(project, ".npmrc"), "registry=http://evil.test/\n");
  const before = process.cwd();
  process.chdir(project);
  try {
    const hosts = await new PresetHosts({ home: own, path: process.env["PATH"], writable: [project] }).of("npm");
    expect(hosts.map(({ host, port }) => `${host}:${port}`)).toEqual(["mine.test:4873"]);
  } finally {
    process.chdir(before);
  }
});

function folder(name: string): string {
  const made = path.join(root, name);
  mkdirSync(made);
  return made;
}

function write(name: string, text: string): void {
  mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
  writeFileSync(path.join(home, name), text);
}

function program(name: string, text: string, within = bin): void {
  writeFileSync(path.join(within, name), `#!/bin/sh\n${text}\n`);
  chmodSync(path.join(within, name), 0o755);
}
