// What the system keeps from its users: hidden by name, and, for a server that runs as root, everything in the folders of
// settings that root alone may read. Without this a command of root would be shown host keys and tunnels' keys.
import { lstatSync, readdirSync } from "node:fs";
import path from "node:path";

const BY_NAME = [
  "/etc/shadow",
  "/etc/shadow-",
  "/etc/gshadow",
  "/etc/gshadow-",
  "/etc/sudoers",
  "/etc/sudoers.d",
  "/etc/ssl/private",
  "/etc/krb5.keytab",
  "/etc/NetworkManager/system-connections",
];
const SETTINGS = ["/etc", "/usr/local/etc", "/opt"];
const MOST_ENTRIES = 20_000;
const DEEPEST = 5;
const OTHERS_READ = 0o004;

// A walk costs milliseconds, and views are built whenever a protected file changes.
const FRESH_MS = 60_000;
let known: { readonly paths: readonly string[]; readonly at: number } | undefined;

/** Paths to hide. Those that do not exist, or that we cannot read either, are left to the caller. */
export function systemSecrets(): readonly string[] {
  if (process.getuid?.() !== 0) return BY_NAME;
  if (known === undefined || performance.now() - known.at > FRESH_MS)
    known = { paths: [...new Set([...BY_NAME, ...rootsOwn()])], at: performance.now() };
  return known.paths;
}

function rootsOwn(): string[] {
  const found: string[] = [];
  const queue = SETTINGS.map((folder) => ({ folder, depth: 0 }));
  let seen = 0;
  for (let next = queue.pop(); next !== undefined && seen < MOST_ENTRIES; next = queue.pop()) {
    for (const name of namesIn(next.folder)) {
      seen += 1;
      const file = path.join(next.folder, name);
      const stat = lstatSync(file, { throwIfNoEntry: false });
      if (stat === undefined || stat.isSymbolicLink()) continue;
      // Without capabilities root reads what is root's own or anybody's; an empty file holds nothing.
      const isClosed = stat.uid === 0 && (stat.mode & OTHERS_READ) === 0;
      if (isClosed && (stat.isDirectory() || stat.size > 0)) found.push(file);
      else if (stat.isDirectory() && next.depth < DEEPEST) queue.push({ folder: file, depth: next.depth + 1 });
    }
  }
  return found;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // this machine has no such folder
  }
}
