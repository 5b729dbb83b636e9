// The boundary by macOS Seatbelt: a profile in its own language, run by sandbox-exec. Denies by default; later rules win.
import { plainly } from "../process/sandbox-words.ts";
import { withVariables } from "../process/environment.ts";
import type { Confinement } from "../process/sandbox-words.ts";
import { heldBy } from "./boundary.ts";
import { folderOf } from "./path-text.ts";
import { findToolchains } from "./toolchains.ts";
import type { Boundary, HeldPlace } from "./boundary.ts";
import type { Toolchains } from "./toolchains.ts";

const SYSTEM_READ = [
  "/usr",
  "/bin",
  "/sbin",
  "/System",
  "/Library",
  "/Applications/Xcode.app",
  "/opt",
  "/private/etc",
  "/private/var/db/timezone",
  "/dev",
];

/** `findHeld` is asked before each command: repositories come and go. */
export function seatbeltConfinement(
  boundary: Boundary,
  findHeld: () => readonly HeldPlace[] = () => boundary.held ?? [],
): Confinement {
  // Once: what is shown of the machine does not change because of what commands do.
  const toolchains = findToolchains(boundary);
  let held = findHeld();
  let changes = 0;
  const holdAgain = (): readonly HeldPlace[] => {
    const now = findHeld();
    if (now !== held) changes += 1;
    held = now;
    return held;
  };
  return {
    prepare: async () => void holdAgain(),
    // A shell that was started before the list changed holds the old one.
    state: () => String(changes),
    wrap: (argv, { env, scratch, open }) =>
      plainly([
        "/usr/bin/sandbox-exec",
        "-p",
        seatbeltProfile({ ...boundary, held: holdAgain() }, scratch, toolchains, open),
        ...withVariables({ ...env, TMPDIR: scratch }, argv),
      ]),
    outside: (directory) => directory,
    namespaced: false,
    hidesSignals: false,
  };
}

/** The profile text. Paths are quoted as the language wants it; what is denied comes last and so beats what is allowed. */
export function seatbeltProfile(
  boundary: Boundary,
  scratch: string,
  { visible, secrets }: Toolchains = findToolchains(boundary),
  open: readonly string[] = [],
): string {
  const unscoped = boundary.writable.length === 0;
  const denied = [...boundary.denied, ...(unscoped ? [] : secrets)];
  const readable = unscoped ? ["/"] : [...SYSTEM_READ, ...visible, ...boundary.writable, ...boundary.readOnly, scratch];
  const held = (boundary.held ?? []).map((place) => place.path).filter((file) => !open.includes(file));
  const unwritable = [...boundary.readOnly, ...held];
  // Whoever moves a folder above a held place away can make another in its place.
  const above = held.flatMap((file) => foldersAbove(file, boundary.writable));
  const writable = unscoped ? ["/"] : [...boundary.writable, scratch];
  return [
    "(version 1)",
    "(deny default)",
    "(allow process-exec process-fork process-info*)",
    "(allow signal (target same-sandbox))",
    "(allow sysctl-read)",
    '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo") (global-name "com.apple.trustd.agent"))',
    "(allow file-read-metadata)",
    '(allow file-ioctl file-read* file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/dtracehelper"))',
    '(allow file-read* (literal "/") (literal "/dev/random") (literal "/dev/urandom"))',
    `(allow file-read* ${subpaths(readable)})`,
    `(allow file-write* ${subpaths(writable)})`,
    ...(unwritable.length > 0 ? [`(deny file-write* ${subpaths(unwritable)})`] : []),
    ...(above.length > 0 ? [`(deny file-write-unlink ${literals(above)})`] : []),
    ...(denied.length > 0 ? [`(deny file-read* file-write* file-read-metadata ${subpaths(denied)})`] : []),
    boundary.network ? "(allow network*)" : '(allow network* (local ip "localhost:*") (remote ip "localhost:*"))',
    "",
  ].join("\n");
}

function subpaths(paths: readonly string[]): string {
  return [...new Set(paths)].map((file) => `(subpath ${quote(file)})`).join(" ");
}

function literals(paths: readonly string[]): string {
  return [...new Set(paths)].map((file) => `(literal ${quote(file)})`).join(" ");
}

/** Down from the allowed folder, itself included; of an unscoped boundary all of them. */
function foldersAbove(file: string, roots: readonly string[]): string[] {
  const folders: string[] = [];
  for (let folder = folderOf(file); folder !== "/"; folder = folderOf(folder)) {
    if (roots.length === 0 || heldBy(roots, folder)) folders.push(folder);
  }
  return folders;
}

function quote(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
