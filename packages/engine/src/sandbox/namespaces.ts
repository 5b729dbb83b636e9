// The boundary by util-linux alone, where bubblewrap is not installed: user, PID, mount, IPC, UTS and network
// namespaces, a root of our own built from the view, then no capability left and no way to gain one.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Confinement } from "../process/confinement.ts";
import { holds } from "./boundary.ts";
import { mountedConfinement } from "./mounted.ts";
import { SCRATCH } from "./view.ts";
import type { Boundary } from "./boundary.ts";
import type { NamespaceTools } from "./system-programs.ts";
import type { Mount, View } from "./view.ts";

/** No capability left, and no way to gain one. */
const POWERLESS = ["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all"];
const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"];
const DEVICE_LINKS = ["fd:/proc/self/fd", "stdin:/proc/self/fd/0", "stdout:/proc/self/fd/1", "stderr:/proc/self/fd/2"];

export function namespaceConfinement(tools: NamespaceTools, boundary: Boundary): Confinement {
  const enter = entering(tools, boundary.network);
  const scripts = new Map<string, { readonly view: View; readonly script: string }>();
  const scriptFor = (view: View, scratch: string): string => {
    const known = scripts.get(scratch);
    if (known?.view === view) return known.script;
    const script = prepare(view, scratch);
    scripts.set(scratch, { view, script });
    return script;
  };
  const shared = mountedConfinement(boundary, (view, argv, cwd, scratch) => {
    const setup = scriptFor(view, scratch);
    return [...enter, "--", "/bin/sh", "-c", setup, "bosun-sandbox", tools.setpriv, cwd, ...argv];
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

/** Writes the mount tables, which one mount(8) each works off: a call per mount would cost a millisecond each. */
function prepare(view: View, scratch: string): string {
  mkdirSync(besides(scratch), { recursive: true });
  // A folder of its own each time: an earlier command may be working off the tables of an earlier view.
  const tables = mkdtempSync(path.join(besides(scratch), "view-"));
  const root = path.join(tables, "root");
  mkdirSync(root);
  const own = `${root}/.bosun`;
  // Folders that later mounts stand on come first, then what stands on them.
  const isBase = (mount: Mount): boolean => mount.kind === "fresh" || mount.kind === "scratch";
  const base = view.mounts.filter(isBase);
  const rest = view.mounts.filter((mount) => !isBase(mount) && mount.kind !== "link");
  const inWritable = (mount: Mount): boolean =>
    view.mounts.some((over) => over.kind === "writable" && over !== mount && holds(over.at, mount.at));
  const toMake = view.unscoped ? [] : rest.filter((mount) => !inWritable(mount));
  const links = view.mounts.flatMap((mount) =>
    mount.kind === "link" ? [`ln -s ${quote(mount.to)} ${quote(root + mount.at)}`] : [],
  );
  const linkFolders = view.mounts.flatMap((mount) => (mount.kind === "link" ? [path.dirname(root + mount.at)] : []));
  const devices = view.unscoped ? [] : DEVICES;
  // What stands in the temporary folder is made in it, here: inside it will be covered by the time it is needed.
  for (const mount of view.mounts) {
    if (
      mount.at !== SCRATCH &&
      mount.kind !== "link" &&
      holds(SCRATCH, mount.at) &&
      !isFile(mount) &&
      !inWritable(mount)
    ) {
      mkdirSync(path.join(scratch, path.relative(SCRATCH, mount.at)), { recursive: true });
    }
  }

  // Root may write there without any capability, and what core_pattern names the kernel runs outside of everything.
  const sealed = process.getuid?.() === 0;
  const first = [
    tableLine("proc", `${root}/proc`, "proc", `nosuid,nodev,noexec${sealed ? ",ro" : ""}`),
    ...devices.map((name) => tableLine(`/dev/${name}`, `${root}/dev/${name}`, "none", "bind")),
    ...base.map((mount) => lineFor(mount, root, own, scratch)),
  ];
  const system: Mount[] = view.unscoped && sealed ? [{ kind: "readable", at: "/sys" }] : [];
  const second = [...system, ...rest].flatMap((mount) => [
    lineFor(mount, root, own, scratch),
    ...(mount.kind === "readable"
      ? mountedBelow(mount.at).map((at) => tableLine(at, root + at, "none", "bind,ro"))
      : []),
  ]);
  writeFileSync(path.join(tables, "first"), first.join(""));
  writeFileSync(path.join(tables, "second"), second.join(""));

  const folders = toMake.filter((mount) => !isFile(mount)).map((mount) => root + mount.at);
  const files = toMake.filter(isFile).map((mount) => root + mount.at);
  return [
    "set -e",
    "path=$PATH; PATH=/usr/sbin:/usr/bin:/sbin:/bin",
    view.unscoped ? `mount --rbind / ${quote(root)}` : `mount -t tmpfs -o mode=755 bosun ${quote(root)}`,
    `mkdir -p ${words([`${own}/old`, `${own}/empty`, `${root}/proc`, ...(view.unscoped ? [] : [`${root}/dev/shm`]), ...base.map((mount) => root + mount.at)])}`,
    ...devices.map((name) => `: > ${quote(`${root}/dev/${name}`)}`),
    ...(view.unscoped
      ? []
      : DEVICE_LINKS.map(
          (pair) => `ln -s ${pair.slice(pair.indexOf(":") + 1)} ${quote(`${root}/dev/${pair.split(":", 1)[0]}`)}`,
        )),
    `mount -a -T ${quote(path.join(tables, "first"))}`,
    ...(folders.length + linkFolders.length > 0
      ? [`mkdir -p ${words([...folders, ...linkFolders, ...files.map((file) => path.dirname(file))])}`]
      : []),
    ...files.map((file) => `[ -e ${quote(file)} ] || : > ${quote(file)}`),
    ...links,
    `chmod 000 ${quote(`${own}/empty`)}`,
    `mount -a -T ${quote(path.join(tables, "second"))}`,
    "ip link set lo up 2>/dev/null || ifconfig lo up 2>/dev/null || :",
    `cd ${quote(root)}; pivot_root . .bosun/old; umount -l /.bosun/old`,
    ...(view.unscoped ? [] : ["mount -o remount,bind,ro /"]),
    `setpriv=$1; cd -- "$2"; shift 2; set +e; PATH=$path${view.unscoped ? "" : `; export TMPDIR=${SCRATCH}`}`,
    // Not exec: the first process of a PID namespace ignores signals, so it must not be the command itself.
    `"$setpriv" ${POWERLESS.join(" ")} -- "$@"`,
    "exit $?",
  ].join("\n");
}

function lineFor(mount: Mount, root: string, own: string, scratch: string): string {
  const at = root + mount.at;
  switch (mount.kind) {
    case "readable":
      return tableLine(mount.at, at, "none", "rbind,ro");
    case "writable":
      return tableLine(mount.at, at, "none", "rbind");
    case "scratch":
      return tableLine(scratch, at, "none", "bind");
    case "fresh":
      return tableLine("bosun", at, "tmpfs", "mode=700");
    case "hidden-file":
      return tableLine("/dev/null", at, "none", "bind,ro,nodev");
    case "hidden-folder":
      return tableLine(`${own}/empty`, at, "none", "bind,ro");
    case "link":
      return "";
  }
}

/** What is mounted in a folder: mount(8) makes only the folder itself read-only. */
function mountedBelow(folder: string): string[] {
  const places = readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .map((line) => unescapeField(line.split(" ")[1] ?? ""));
  return [...new Set(places)].filter((at) => at !== folder && holds(folder, at)).sort((a, b) => a.length - b.length);
}

function unescapeField(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

function isFile(mount: Mount): boolean {
  if (mount.kind === "hidden-file") return true;
  return mount.kind === "readable" && !statSync(mount.at).isDirectory();
}

function tableLine(source: string, target: string, type: string, options: string): string {
  return `${field(source)} ${field(target)} ${type} ${options} 0 0\n`;
}

// fstab(5): blanks, tabs, newlines and backslashes as octal; a leading # would be a comment, but paths start with /.
function field(text: string): string {
  return text.replaceAll(/[\s\\]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`);
}

function words(paths: readonly string[]): string {
  return paths.map(quote).join(" ");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
