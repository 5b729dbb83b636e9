// bosun doctor as a process: what it finds, what it advises, and its exit code.
import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { installCommand, sandboxAdvice } from "../src/doctor/advice.ts";
import { FROM_SOURCES, Place } from "./harness/bosun.ts";

type Report = {
  ok: boolean;
  sandbox: { mechanism: string; attempts: { mechanism: string; works: boolean; why: string }[]; advice: string[] };
  settings: { ok: boolean; problem?: string };
  folders: { state: { ok: boolean; problem?: string } };
  ripgrep: { ok: boolean };
};

test("says which mechanism confines commands, and exits 0 exactly when one does", async () => {
  using place = new Place();
  const [text, json] = [await place.run(["doctor"]), await place.run(["doctor", "--json"])];
  const report = JSON.parse(json.out) as Report;
  expect(report.ok).toBe(report.sandbox.attempts.some(({ works }) => works));
  expect([text.code, json.code]).toEqual(report.ok ? [0, 0] : [1, 1]);
  expect(text.out).toContain(report.sandbox.mechanism === "none" ? "NONE WORKS HERE" : report.sandbox.mechanism);
  for (const { mechanism } of report.sandbox.attempts) expect(text.out).toContain(mechanism);
  expect(report.ripgrep.ok).toBe(true);
});

test("a settings file that cannot be used is named with line and column, and exits 1", async () => {
  using place = new Place();
  mkdirSync(path.join(place.home, ".config/bosun"), { recursive: true });
  const file = path.join(place.home, ".config/bosun/config.toml");
  writeFileSync(file, "[serve]\nprot = 1\n", { mode: 0o600 });
  const { code, out } = await place.run(["doctor"]);
  expect(code).toBe(1);
  expect(out).toContain(`${file}:2:1: `);
  const named = await place.run(["doctor", "--config", "missing.toml"]);
  expect({ code: named.code, said: named.out.includes("missing.toml (named by --config) does not exist") }).toEqual({
    code: 1,
    said: true,
  });
});

test("lists what is protected in a repository, says what is opened, and warns when nothing is", async () => {
  using place = new Place();
  Bun.spawnSync(["git", "init", "-q", "."], { cwd: place.work, env: place.env });
  expect((await place.run(["doctor"])).out).toMatch(/ok {2}protected +\.git\/hooks, \.git\/config, /);
  const settings = path.join(place.folder, "settings.toml");
  writeFileSync(settings, '[paths]\nopen = [".git/config"]\n', { mode: 0o600 });
  expect((await place.run(["doctor", "--config", settings])).out).toMatch(/\.git\/hooks, .*; opened: \.git\/config/);
  writeFileSync(settings, '[paths]\nprotect = "off"\n', { mode: 0o600 });
  expect((await place.run(["doctor", "--config", settings])).out).toMatch(
    /!! {2}protected +off \(paths\.protect = "off"\)/,
  );
});

test("a state folder that others can read is a finding", async () => {
  using place = new Place();
  const state = path.join(place.home, ".local/state/bosun");
  mkdirSync(state, { recursive: true });
  chmodSync(state, 0o755);
  const { out } = await place.run(["doctor", "--json"]);
  expect((JSON.parse(out) as Report).folders.state.problem).toBe(`open to others: chmod 700 ${state}`);
});

const bwrap = existsSync("/usr/bin/bwrap");
test.skipIf(!bwrap)("without bubblewrap it says how to get it (needs bubblewrap to hide it)", async () => {
  using place = new Place();
  const hidden = ["/usr/bin/bwrap", "--dev-bind", "/", "/", "--tmpfs", "/usr/local/bin"];
  writeFileSync(path.join(place.folder, "no"), "");
  const program = [...hidden, "--ro-bind", path.join(place.folder, "no"), "/usr/bin/bwrap", ...FROM_SOURCES];
  const { out, err } = await place.run(["doctor", "--json"], "", program);
  expect(err).toBe("");
  const { attempts, mechanism, advice } = (JSON.parse(out) as Report).sandbox;
  expect(attempts[0]?.works).toBe(false);
  expect(mechanism).not.toBe("bubblewrap");
  expect(advice.join("\n")).toContain("bubblewrap");
});

test.each([
  [
    "a folder of somebody else",
    "bwrap: Can't create file at /x/.bosun.toml: Permission denied",
    /cannot write to this folder/,
  ],
  ["not installed", "bwrap is not installed", /bubblewrap/],
  ["words nobody foresaw", "bwrap: the moon is full", /^$/],
])("the advice follows the reason: %s", (_, why, said) => {
  const attempts = [{ mechanism: "bubblewrap", works: false, why }] as const;
  const facts = {
    mechanism: "landlock",
    enforces: [],
    gaps: [],
    advice: "Install bubblewrap: it hides more.",
  } as const;
  expect(sandboxAdvice("landlock", attempts, facts).join("\n")).toMatch(said);
});

test.each([
  ["ID=debian\n", "sudo apt-get install bubblewrap"],
  ['NAME="Linux Mint"\nID=linuxmint\nID_LIKE="ubuntu debian"\n', "sudo apt-get install bubblewrap"],
  ['ID="rocky"\nID_LIKE="rhel centos fedora"\n', "sudo dnf install bubblewrap"],
  ["ID=arch\n", "sudo pacman -S bubblewrap"],
  ["ID=unheard-of\n", undefined],
])("the command that installs it is that of the distribution: %j", (release, expected) => {
  expect(installCommand(release)).toBe(expected);
});
