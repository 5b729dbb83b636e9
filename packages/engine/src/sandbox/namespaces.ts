// The boundary by util-linux alone, where bubblewrap is not installed: user, PID, mount, IPC, UTS and network
// namespaces, a root of our own built from the plan, then no capability left and no way to gain one.
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { plainly } from "../process/sandbox-words.ts";
import { withVariables } from "../process/environment.ts";
import type { Confinement } from "../process/sandbox-words.ts";
import { holds } from "./boundary.ts";
import { readMounts, tableLine } from "./mount-table.ts";
import type { Mounted } from "./mount-table.ts";
import { mountConfinement } from "./mount-confinement.ts";
import { SCRATCH } from "./mount-plan.ts";
import type { Boundary } from "./boundary.ts";
import type { MountedOptions } from "./mount-confinement.ts";
import type { NamespaceTools } from "./system-programs.ts";
import type { Mount, MountPlan } from "./mount-plan.ts";

/** No capability left, and no way to gain one. */
const POWERLESS = ["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all"];
const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"];
const DEVICE_LINKS = [
  ["fd", "/proc/self/fd"],
  ["stdin", "/proc/self/fd/0"],
  ["stdout", "/proc/self/fd/1"],
  ["stderr", "/proc/self/fd/2"],
] as const;

export function namespaceConfinement(tools: NamespaceTools, boundary: Boundary, options: MountedOptions): Confinement {
  const enter = entering(tools, boundary.network);
  const scripts = new Map<string, { readonly plan: MountPlan; readonly script: string }>();
  const scriptFor = (plan: MountPlan, scratch: string): string => {
    const known = scripts.get(scratch);
    if (known?.plan === plan) return known.script;
    const script = prepare(plan, scratch);
    scripts.set(scratch, { plan, script });
    return script;
  };
  const shared = mountConfinement(boundary, options, (plan, argv, { cwd, env, scratch }) => {
    const setup = scriptFor(plan, scratch);
    const inside = withVariables(plan.unscoped ? env : { ...env, TMPDIR: SCRATCH }, argv);
    return plainly([...enter, "--", "/bin/sh", "-c", setup, "bosun-sandbox", tools.setpriv, cwd, ...inside]);
  });
  return Object.assign(shared, {
    forget: (scratch: string) => {
      scripts.delete(scratch);
      rmSync(besides(scratch), { recursive: true, force: true });
    },
  });
}

/** A command in the same namespaces, without a boundary. unshare mounts /proc itself: that is refused in some containers. */
export function bareNamespaces(tools: NamespaceTools, network: boolean, argv: readonly string[]): string[] {
  return [...entering(tools, network), "--mount-proc", "--", tools.setpriv, ...POWERLESS, "--", ...argv];
}

function entering(tools: NamespaceTools, network: boolean): string[] {
  return [
    // unshare's own --kill-child ties the tree to unshare; the death signal ties unshare to us.
    tools.setpriv,
    "--pdeathsig",
    "KILL",
    "--",
    tools.unshare,
    "--user",
    "--map-root-user",
    "--mount",
    "--pid",
    "--ipc",
    "--uts",
    ...(network ? [] : ["--net"]),
    "--fork",
    "--kill-child=KILL",
  ];
}

// Beside the session's temporary folder, not in it: commands can write there.
function besides(scratch: string): string {
  return `${scratch}.root`;
}

/**
 * Writes what the script works off: mount points to copy, and mount tables. A program for each of them would cost every
 * command a millisecond each.
 */
function prepare({ unscoped, mounts }: MountPlan, scratch: string): string {
  mkdirSync(besides(scratch), { recursive: true });
  // A folder of its own each time: an earlier command may be working off the tables of an earlier plan.
  const tables = mkdtempSync(path.join(besides(scratch), "plan-"));
  const root = path.join(tables, "root");
  mkdirSync(root);
  // Where everything is the real thing, nothing may be made but among our own.
  const ownInside = unscoped ? path.join(tables, "own") : "/.bosun";
  const own = root + ownInside;
  const mounted = readMounts();
  // Folders that later mounts stand on come first, then what stands on them.
  const isBase = (mount: Mount): boolean => mount.kind === "fresh" || mount.kind === "scratch";
  const base = mounts.filter(isBase);
  const rest = mounts.filter((mount) => !isBase(mount) && mount.kind !== "link");
  const inWritable = (mount: Mount): boolean =>
    mounts.some((over) => over.kind === "writable" && over !== mount && holds(over.at, mount.at));
  const inFresh = (mount: Mount): boolean =>
    mounts.some((over) => over.kind === "fresh" && over !== mount && holds(over.at, mount.at));
  const toMake = unscoped ? [] : mounts.filter((mount) => mount.kind === "link" || !inWritable(mount));
  const [points, pointsInFresh] = [path.join(tables, "points"), path.join(tables, "points-in-fresh")];
  for (const folder of ["old", "empty"])
    mkdirSync(path.join(unscoped ? ownInside : points + ownInside, folder), { recursive: true });
  for (const folder of unscoped ? [] : ["/proc", "/dev/shm"]) mkdirSync(points + folder, { recursive: true });
  const devices = unscoped ? [] : DEVICES;
  for (const name of devices) writeFileSync(`${points}/dev/${name}`, "");
  for (const [name, to] of unscoped ? [] : DEVICE_LINKS) symlinkSync(to, `${points}/dev/${name}`);
  for (const mount of toMake) {
    if (inFresh(mount)) makePlace(pointsInFresh, mount.at, mount);
    // What stands in the temporary folder is made in it: to copy it would leave a trace of every command there.
    else if (mount.at !== SCRATCH && holds(SCRATCH, mount.at))
      makePlace(scratch, `/${path.relative(SCRATCH, mount.at)}`, mount);
    else makePlace(points, mount.at, mount);
  }

  // Root may write there without any capability, and what core_pattern names the kernel runs outside of everything.
  const sealed = process.getuid?.() === 0;
  const lines = (mounts: readonly Mount[]): string[] =>
    mounts.flatMap((mount) => [
      lineFor(mount, { root, own, scratch, mounted }),
      ...(mount.kind === "readable"
        ? mounted.below(mount.at).map((at) => tableLine(at, root + at, "none", `bind,ro${mounted.locked(at)}`))
        : []),
    ]);
  const system: Mount[] = unscoped && sealed ? [{ kind: "readable", at: "/sys", source: undefined }] : [];
  const first = [
    tableLine("proc", `${root}/proc`, "proc", `nosuid,nodev,noexec${sealed ? ",ro" : ""}`),
    ...devices.map((name) => tableLine(`/dev/${name}`, `${root}/dev/${name}`, "none", "bind")),
    ...lines(base),
  ];
  const second = lines([...system, ...rest]);
  const isTwice = existsSync(pointsInFresh);
  writeFileSync(path.join(tables, "first"), [...first, ...(isTwice ? [] : second)].join(""));
  writeFileSync(path.join(tables, "second"), second.join(""));

  return [
    "set -e",
    "path=$PATH; PATH=/usr/sbin:/usr/bin:/sbin:/bin",
    unscoped ? `mount --rbind / ${quote(root)}` : `mount -t tmpfs -o mode=755 bosun ${quote(root)}`,
    ...(unscoped ? [] : [`cp -dR ${quote(`${points}/.`)} ${quote(root)}`]),
    ...(mounts.some(({ kind }) => kind === "hidden-folder")
      ? [`mount -t tmpfs -o mode=000 bosun ${quote(`${own}/empty`)}`]
      : []),
    `mount -a -T ${quote(path.join(tables, "first"))}`,
    ...(isTwice
      ? [`cp -dR ${quote(`${pointsInFresh}/.`)} ${quote(root)}`, `mount -a -T ${quote(path.join(tables, "second"))}`]
      : []),
    ...sameSources(mounts, root),
    "ip link set lo up 2>/dev/null || ifconfig lo up 2>/dev/null || :",
    `cd ${quote(root)}; pivot_root . ${quote(`.${ownInside}/old`)}; umount -l ${quote(`${ownInside}/old`)}`,
    ...(unscoped ? [] : ["mount -o remount,bind,ro /"]),
    `setpriv=$1; cd -- "$2"; shift 2; set +e; PATH=$path`,
    // Not this shell: the first process of a PID namespace ignores signals, so it must not be the command itself.
    // And quietly: when a signal ends the command, it would say so in the command's name.
    `exec 9>&2 2>/dev/null; (exec "$setpriv" ${POWERLESS.join(" ")} -- "$@" 2>&9 9>&-)`,
    "exit $?",
  ].join("\n");
}

/** Mounts are made by names; before anything runs, what was mounted is compared with what was checked. */
function sameSources(mounts: readonly Mount[], root: string): string[] {
  const known = mounts.flatMap((mount) =>
    "source" in mount && mount.source !== undefined && mount.at.isWellFormed()
      ? [{ at: mount.at, id: mount.source.id }]
      : [],
  );
  if (known.length === 0) return [];
  const paths = known.map(({ at }) => quote(root + at)).join(" ");
  const refuse = "echo 'bosun sandbox: a folder was replaced while the command started' >&2; exit 125";
  return [`[ "$(stat -c %d:%i -- ${paths})" = ${quote(known.map(({ id }) => id).join("\n"))} ] || { ${refuse}; }`];
}

/** What a mount stands on, or the link itself. */
function makePlace(within: string, at: string, mount: Mount): void {
  const place = within + at;
  const isFolder = mount.kind !== "link" && !isFile(mount);
  mkdirSync(isFolder ? place : path.dirname(place), { recursive: true });
  if (isFolder || existsSync(place)) return;
  if (mount.kind === "link") symlinkSync(mount.to, place);
  else writeFileSync(place, "");
}

type Place = { readonly root: string; readonly own: string; readonly scratch: string; readonly mounted: Mounted };

function lineFor(mount: Mount, { root, own, scratch, mounted }: Place): string {
  const at = root + mount.at;
  switch (mount.kind) {
    case "readable":
      return tableLine(mount.at, at, "none", `rbind,ro${mounted.locked(mount.at)}`);
    case "writable":
      return tableLine(mount.at, at, "none", "rbind");
    case "scratch":
      return tableLine(scratch, at, "none", "bind");
    case "fresh":
      return tableLine("bosun", at, "tmpfs", "mode=700");
    case "hidden-file":
      return tableLine("/dev/null", at, "none", `bind,ro,nodev${mounted.locked("/dev/null")}`);
    case "hidden-folder":
      return tableLine(`${own}/empty`, at, "none", "bind,ro");
    case "absent":
      return tableLine("bosun", at, "tmpfs", "ro,mode=755");
    case "fixed-file":
      return tableLine(mount.file, at, "none", "bind,ro");
    case "link":
      return "";
  }
}

function isFile(mount: Mount): boolean {
  if (mount.kind === "hidden-file" || mount.kind === "fixed-file") return true;
  if (mount.kind !== "readable" && mount.kind !== "writable") return false;
  return mount.source === undefined ? !statSync(mount.at).isDirectory() : mount.source.kind === "file";
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
