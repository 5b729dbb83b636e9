// Which folders the programs on PATH need: the system's own, and the roots of toolchains elsewhere, also under the home
// folder. Everything else of the home folder stays out.
import { accessSync, constants, lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import { heldBy, holds } from "./boundary.ts";
import { systemSecrets } from "./system-secrets.ts";

/** Read-only parts of the system that programs are made of. Not /var, /run, /mnt, /srv: data lives there; not /sys: ten
 * mounts of its own, each of which would cost every command. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt"];
const SYSTEM_STORES = ["/nix/store", "/gnu/store", "/run/current-system", "/snap"];
/** Part of a toolchain, but not of its programs. */
const TOOLCHAIN_SECRETS = ["credentials", "credentials.toml", ".npmrc", "auth.json", "hosts.yml"];
const COMPANIONS: Readonly<Record<string, readonly string[]>> = {
  ".cargo": [".rustup"],
  ".local": [".local/lib", ".local/share/pipx", ".local/pipx", ".local/share/uv", ".local/share/mise"],
};
const LINKS_LOOKED_AT = 500;
const GIT_SECRET = /token|password|extraheader|:\/\/[^/\s]*@/i;

export type Toolchains = { readonly visible: readonly string[]; readonly secrets: readonly string[] };

/** The folders and files to show read-only, and what to hide inside them. Real paths that exist. */
export function findToolchains(home: string, searchPath: string, extra: readonly string[] = []): Toolchains {
  const system = [...SYSTEM, ...SYSTEM_STORES].filter(exists);
  const roots = new Set<string>(system);
  const add = (folder: string): void => {
    const real = realOrUndefined(folder);
    // Never the home folder itself or something above it: that would be everything.
    if (real === undefined || holds(real, home) || heldBy([...roots], real)) return;
    roots.add(real);
  };
  for (const folder of searchPath.split(":").filter((entry) => entry.startsWith("/"))) {
    for (const root of rootsOf(folder, home)) add(root);
    if (holds(home, folder))
      for (const target of linkTargets(folder)) for (const root of rootsOf(path.dirname(target), home)) add(root);
  }
  for (const folder of extra) add(folder);
  for (const file of [path.join(home, ".gitconfig"), path.join(home, ".config/git/config")])
    if (isHarmlessGitConfig(file)) roots.add(file);
  const resolver = realOrUndefined("/etc/resolv.conf");
  if (resolver !== undefined) add(resolver);
  const secrets = [
    ...systemSecrets(),
    ...[...roots].flatMap((root) => TOOLCHAIN_SECRETS.map((name) => path.join(root, name))),
  ];
  // What came first may lie in what came later; each mount costs every command.
  const visible = [...roots].filter((root) => ![...roots].some((other) => other !== root && holds(other, root)));
  return { visible, secrets: secrets.filter((file) => exists(file) && isReadable(file)) };
}

// ~/.pyenv/shims needs ~/.pyenv, ~/.nvm/versions/node/v20/bin its version; ~/bin needs only itself.
function rootsOf(folder: string, home: string): string[] {
  const parent = path.dirname(folder);
  const isBin = /^(s?bin|shims)$/.test(path.basename(folder));
  if (!isBin || holds(parent, home) || parent === "/") return [folder];
  const name = path.relative(home, parent);
  if (name === ".local") return [folder, ...(COMPANIONS[name] ?? []).map((companion) => path.join(home, companion))];
  return [parent, ...(COMPANIONS[name] ?? []).map((companion) => path.join(home, companion))];
}

function linkTargets(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).slice(0, LINKS_LOOKED_AT);
    return entries.flatMap((entry) =>
      entry.isSymbolicLink() ? (realOrUndefined(path.join(folder, entry.name)) ?? []) : [],
    );
  } catch {
    return [];
  }
}

function isHarmlessGitConfig(file: string): boolean {
  try {
    return !GIT_SECRET.test(readFileSync(file, "utf8"));
  } catch {
    return false;
  }
}

function realOrUndefined(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}

function exists(file: string): boolean {
  try {
    lstatSync(file);
    return true;
  } catch {
    return false;
  }
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
