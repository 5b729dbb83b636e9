// The packages for npm, ready for `npm pack`: one per platform that holds the executable, and one with the launcher
// that depends on them all, optionally. No install script anywhere.
import { chmodSync, copyFileSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

export type Built = { readonly target: string; readonly executable: string };

const root = path.resolve(import.meta.dir, "../../..");
const COMMON = { license: "MIT", engines: { node: ">=20" } };
/** Names on PATH; the launcher hands its own on, and the executable knows what to be. */
const NAMES = ["bosun", "aish", "bcp", "bcp-mcp-server"];

/** Gives the folders, the launcher's last: it can only be published when the others are. */
export function layOut(built: readonly Built[], into: string): string[] {
  const { version } = JSON.parse(readFileSync(path.join(root, "packages/cli/package.json"), "utf8")) as {
    version: string;
  };
  rmSync(into, { recursive: true, force: true });
  const platforms = built.map(({ target, executable }) => platformPackage(target, executable, version, into));
  return [...platforms, launcherPackage(built, version, into)];
}

function platformPackage(target: string, executable: string, version: string, into: string): string {
  const folder = path.join(into, `cli-${target}`);
  mkdirSync(folder, { recursive: true });
  const [system = "", arch = ""] = target.split("-");
  const file = system === "windows" ? "bosun.exe" : "bosun";
  place(executable, path.join(folder, file));
  chmodSync(path.join(folder, file), 0o755);
  copyFileSync(path.join(root, "LICENSE"), path.join(folder, "LICENSE"));
  writeManifest(folder, {
    name: `@bosun/cli-${target}`,
    version,
    description: `The Bosun executable for ${target}`,
    ...COMMON,
    os: [system === "windows" ? "win32" : system],
    cpu: [arch],
    files: [file],
    preferUnplugged: true,
  });
  return folder;
}

function launcherPackage(built: readonly Built[], version: string, into: string): string {
  const folder = path.join(into, "cli");
  mkdirSync(path.join(folder, "bin"), { recursive: true });
  // One file for each name: npm makes links to them, and a link's target is all the launcher sees of its name.
  for (const name of NAMES) {
    copyFileSync(path.join(import.meta.dir, "launcher.mjs"), path.join(folder, "bin", `${name}.mjs`));
    chmodSync(path.join(folder, "bin", `${name}.mjs`), 0o755);
  }
  copyFileSync(path.join(root, "LICENSE"), path.join(folder, "LICENSE"));
  copyFileSync(path.join(root, "README.md"), path.join(folder, "README.md"));
  writeManifest(folder, {
    name: "@bosun/cli",
    version,
    description: "The deck between AI agents and a machine: MCP tools, a shrinking proxy, BCP, a conversational shell",
    ...COMMON,
    type: "module",
    bin: Object.fromEntries(NAMES.map((name) => [name, `bin/${name}.mjs`])),
    files: ["bin"],
    optionalDependencies: Object.fromEntries(built.map(({ target }) => [`@bosun/cli-${target}`, version])),
  });
  return folder;
}

function writeManifest(folder: string, manifest: object): void {
  writeFileSync(path.join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/** A hundred megabytes are linked where they can be. */
function place(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}
