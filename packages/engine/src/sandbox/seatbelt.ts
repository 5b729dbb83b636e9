// The boundary by macOS Seatbelt: a profile in its own language, run by sandbox-exec. Denies by default; later rules win.
import type { Confinement } from "../process/confinement.ts";
import { findToolchains } from "./toolchains.ts";
import type { Boundary } from "./boundary.ts";

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

export function seatbeltConfinement(boundary: Boundary): Confinement {
  return {
    wrap: (argv, _cwd, scratch) => [
      "/usr/bin/sandbox-exec",
      "-p",
      seatbeltProfile(boundary, scratch),
      "/usr/bin/env",
      `TMPDIR=${scratch}`,
      ...argv,
    ],
    outside: (directory) => directory,
    namespaced: false,
    hidesSignals: false,
  };
}

/** The profile text. Paths are quoted as the language wants it; what is denied comes last and so beats what is allowed. */
export function seatbeltProfile(boundary: Boundary, scratch: string): string {
  const { visible, secrets } = findToolchains(boundary.home, boundary.path, boundary.toolchains);
  const unscoped = boundary.writable.length === 0;
  const denied = [...boundary.denied, ...(unscoped ? [] : secrets)];
  const readable = unscoped ? ["/"] : [...SYSTEM_READ, ...visible, ...boundary.writable, ...boundary.readOnly, scratch];
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
    ...(boundary.readOnly.length > 0 ? [`(deny file-write* ${subpaths(boundary.readOnly)})`] : []),
    ...(denied.length > 0 ? [`(deny file-read* file-write* file-read-metadata ${subpaths(denied)})`] : []),
    boundary.network ? "(allow network*)" : '(allow network* (local ip "localhost:*") (remote ip "localhost:*"))',
    "",
  ].join("\n");
}

function subpaths(paths: readonly string[]): string {
  return [...new Set(paths)].map((file) => `(subpath ${quote(file)})`).join(" ");
}

function quote(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
