// What of the machine commands see, read-only, beside the allowed folders: the system, and the programs that PATH names.
// The rules, in order, for a folder of PATH that is not the system's:
//   1. It is resolved without passing through a folder that agents can write; one that does brings nothing. (A folder on
//      PATH inside the boundary needs no mount: commands have it anyway, and may write it.)
//   2. In a version manager's folder of the home (~/.cargo, ~/.pyenv, …): all of that folder; of those in which people keep
//      other things, too (~/go), the parts that programs are made of.
//   3. In an installation that says it is one (a JDK, a Go tree, a Python or Conda environment): all of it.
//   4. Else the folder itself, and, for PREFIX/bin, what programs are installed into beside it: PREFIX/lib, PREFIX/share, ….
//      Never PREFIX: a project's bin folder on PATH would show the project.
//   5. A link in such a folder brings what it leads to by rules 2 and 3, else that one executable file and nothing beside it.
import { accessSync, constants, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { heldBy, holds } from "./boundary.ts";
import { entryStat } from "./entry-stat.ts";
import { resolveOutside, untrustedFolders } from "./resolve-outside.ts";
import { systemSecrets } from "./system-secrets.ts";
import type { Boundary } from "./boundary.ts";
import type { Untrusted } from "./resolve-outside.ts";

/** Read-only parts of the system that programs are made of. Not /var, /run, /mnt, /srv: data lives there; not /sys: ten
 * mounts of its own, each of which would cost every command. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt"];
const SYSTEM_STORES = ["/nix/store", "/gnu/store", "/run/current-system", "/snap"];
/** Part of a toolchain, but not of its programs. */
const TOOLCHAIN_SECRETS = [
  "credentials credentials.toml credentials.json .credentials .git-credentials .netrc .npmrc .pypirc auth.json auth.toml",
  "hosts.yml keystores",
].flatMap((line) => line.split(" "));

/** Folders of the home in which version managers and languages keep nothing but programs and libraries. */
const MANAGERS = [
  ".asdf .bun .cabal .cargo .conda .deno .dotnet .elan .fnm .foundry .gem .ghcup .goenv .jabba .jenv .juliaup .krew .linuxbrew",
  ".local/lib .local/pipx .local/share/fnm .local/share/mise .local/share/pipx .local/share/pnpm .local/share/uv .luarocks",
  ".mix .moon .nix-profile .nodenv .npm-global .nvm .opam .phpenv .pixi .plenv .poetry .proto .pub-cache .pyenv .rbenv .rustup",
  ".rvm .rye .sdkman .swiftly .tfenv .volta .wasmer .wasmtime .yarn anaconda3 go google-cloud-sdk mambaforge miniconda3",
  "miniforge3",
].flatMap((line) => line.split(" "));
/** Of these only what programs are made of: people keep their own work, keys and settings in the rest. */
const MANAGER_PARTS: Readonly<Record<string, readonly string[]>> = {
  go: ["bin", "pkg"],
  ".foundry": ["bin", "versions"],
  ".dotnet": ["dotnet", "host", "packs", "sdk", "sdk-manifests", "shared", "templates", "tools"],
  ".pub-cache": ["bin", "global_packages", "hosted"],
};
/** What a version manager's programs need besides their own folder. */
const COMPANIONS: Readonly<Record<string, readonly string[]>> = {
  ".cargo": [".rustup"],
  ".local/bin": [".local/lib", ".local/pipx", ".local/share/mise", ".local/share/pipx", ".local/share/uv"],
};
/** A folder with all of these files in it is an installation, and nothing else. */
const INSTALLATIONS: readonly (readonly string[])[] = [
  ["pyvenv.cfg"],
  ["conda-meta/history"],
  ["release", "lib/modules"], // a JDK
  ["VERSION", "pkg/tool"], // Go
];
const PREFIX_FOLDERS = ["lib", "lib32", "lib64", "libexec", "share", "include", "conf", "boot", "jmods"];
const PROGRAM_FOLDER = /^(?:s?bin|\.bin|shims|libexec)$/;
const LINKS_LOOKED_AT = 500;
const GIT_SECRET = /token|password|extraheader|:\/\/[^/\s]*@/i;

export type Toolchains = { readonly visible: readonly string[]; readonly secrets: readonly string[] };

/** The folders and files to show, and what to hide inside them. Real paths that exist, none in what agents can write. */
export function findToolchains({ home, path: searchPath, writable }: Boundary): Toolchains {
  const untrusted = untrustedFolders(writable);
  const finder = new Finder(home, untrusted);
  for (const folder of searchPath.split(":")) finder.addProgramFolder(folder);
  for (const file of [path.join(home, ".gitconfig"), path.join(home, ".config/git/config")]) finder.addGitConfig(file);
  const resolver = resolveOutside("/etc/resolv.conf", untrusted);
  if (resolver !== undefined) finder.add(resolver.path);
  const { visible } = finder;
  const secrets = [
    ...systemSecrets(),
    ...visible.flatMap((root) => TOOLCHAIN_SECRETS.map((name) => path.join(root, name))),
  ];
  return { visible, secrets: secrets.filter((file) => exists(file) && isReadable(file)) };
}

class Finder {
  readonly #home: string;
  readonly #untrusted: Untrusted;
  readonly #found = new Set<string>([...SYSTEM, ...SYSTEM_STORES].filter(exists));

  constructor(home: string, untrusted: Untrusted) {
    this.#home = home;
    this.#untrusted = untrusted;
  }

  /** Without what lies in another: each mount costs every command. */
  get visible(): string[] {
    const all = [...this.#found];
    return all.filter((root) => !all.some((other) => other !== root && holds(other, root)));
  }

  add(real: string): void {
    // Never the home folder itself or something above it: that would be everything.
    if (holds(real, this.#home) || heldBy([...this.#found], real)) return;
    this.#found.add(real);
  }

  addProgramFolder(named: string): void {
    const folder = resolveOutside(named, this.#untrusted);
    if (folder?.kind !== "folder" || heldBy([...this.#found], folder.path)) return;
    // Who can change a link on the way can make it lead anywhere: it must at least lead to programs.
    if (folder.linked && !PROGRAM_FOLDER.test(path.basename(folder.path)) && this.#managerOf(folder.path) === undefined)
      return;
    if (!this.#addInstallation(folder.path)) {
      this.add(folder.path);
      this.#addPrefix(folder.path);
    }
    for (const name of linksIn(folder.path)) this.#addProgram(path.join(folder.path, name));
  }

  addGitConfig(file: string): void {
    const found = resolveOutside(file, this.#untrusted);
    if (found?.kind === "file" && !found.linked && isHarmlessGitConfig(found.path)) this.add(found.path);
  }

  /** Rules 2 and 3: whether the file or folder belongs to something that is shown as a whole. */
  #addInstallation(real: string): boolean {
    const whole = this.#managerOf(real) ?? this.#installationOf(real);
    if (whole === undefined) return false;
    const name = path.relative(this.#home, whole);
    const parts = MANAGER_PARTS[name]?.map((part) => resolveOutside(path.join(whole, part), this.#untrusted));
    for (const shown of parts ?? [{ path: whole }]) if (shown !== undefined) this.add(shown.path);
    this.#addCompanions(name);
    return heldBy([...this.#found], real);
  }

  #addPrefix(folder: string): void {
    // ~/.local is no installation: its share folder holds everybody's data.
    if (this.#addCompanions(path.relative(this.#home, folder))) return;
    const prefix = path.dirname(folder);
    if (!PROGRAM_FOLDER.test(path.basename(folder)) || holds(prefix, this.#home)) return;
    for (const name of PREFIX_FOLDERS) {
      const beside = resolveOutside(path.join(prefix, name), this.#untrusted);
      if (beside?.kind === "folder" && !beside.linked) this.add(beside.path);
    }
  }

  #addCompanions(name: string): boolean {
    const companions = COMPANIONS[name];
    for (const companion of companions ?? []) {
      const found = resolveOutside(path.join(this.#home, companion), this.#untrusted);
      if (found?.kind === "folder") this.add(found.path);
    }
    return companions !== undefined;
  }

  /** Rule 5. */
  #addProgram(link: string): void {
    const program = resolveOutside(link, this.#untrusted);
    if (program?.kind !== "file" || !program.executable || this.#addInstallation(program.path)) return;
    this.add(program.path);
  }

  /** The installation whose program it is: PREFIX of PREFIX/bin or PREFIX/bin/program. */
  #installationOf(real: string): string | undefined {
    const has = (prefix: string) => (file: string) =>
      resolveOutside(path.join(prefix, file), this.#untrusted) !== undefined;
    for (const prefix of [path.dirname(real), path.dirname(path.dirname(real))]) {
      if (holds(prefix, this.#home) || prefix === "/") return undefined;
      if (INSTALLATIONS.some((files) => files.every(has(prefix)))) return prefix;
    }
    return undefined;
  }

  #managerOf(real: string): string | undefined {
    const within = MANAGERS.map((name) => path.join(this.#home, name)).find((folder) => holds(folder, real));
    return within !== undefined && entryStat(within)?.isDirectory() === true ? within : undefined;
  }
}

/** Of names that are UTF-8: no other would be found by a shell that is told them in a PATH. */
function linksIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).slice(0, LINKS_LOOKED_AT);
    return entries.filter((entry) => entry.isSymbolicLink()).map((entry) => entry.name);
  } catch {
    return []; // not ours to list
  }
}

function isHarmlessGitConfig(file: string): boolean {
  try {
    return !GIT_SECRET.test(readFileSync(file, "utf8"));
  } catch {
    return false; // not ours to read
  }
}

function exists(file: string): boolean {
  return entryStat(file) !== undefined;
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false; // then a command cannot read it either
  }
}
