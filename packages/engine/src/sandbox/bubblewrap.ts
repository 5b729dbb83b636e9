// The boundary by bubblewrap: its own PID, mount, IPC, UTS and network namespaces, dead with its parent.
import type { Confinement } from "../process/confinement.ts";
import { openFilter } from "./filter-file.ts";
import { ManyMounts } from "./many-mounts.ts";
import { mountedConfinement } from "./mounted.ts";
import { findNamespaceTools } from "./system-programs.ts";
import { SCRATCH } from "./view.ts";
import type { Boundary } from "./boundary.ts";
import type { Mount } from "./view.ts";

const WHERE_SHELLS_ARE = ["/usr", "/bin", "/lib", "/lib64", "/nix/store", "/gnu/store"];

export function bubblewrapConfinement(program: string, boundary: Boundary): Confinement {
  const isRoot = process.getuid?.() === 0;
  // What root may write in /proc and /sys needs no capability: core_pattern and uevent_helper there name programs that the
  // kernel runs outside of everything.
  const sealed = isRoot ? ["--remount-ro", "/proc"] : [];
  const sealedSystem = isRoot ? ["--ro-bind-try", "/sys", "/sys"] : [];
  const enter = entering(program, boundary.network);
  const many = new ManyMounts(findNamespaceTools());
  const shared = mountedConfinement(boundary, (view, argv, cwd, scratch, filterFd) => {
    const ahead = many.ahead(view, scratch);
    return [
      ...(ahead?.words ?? []),
      ...enter,
      ...(ahead === undefined || isRoot ? [] : sameUser()),
      ...(view.unscoped ? ["--bind", "/", "/", ...sealedSystem] : []),
      "--dev",
      "/dev",
      "--proc",
      "/proc",
      ...sealed,
      ...(filterFd === undefined ? [] : ["--seccomp", String(filterFd)]),
      ...(ahead?.left ?? view.mounts).flatMap((mount) => optionsFor(mount, scratch)),
      ...(view.unscoped ? [] : ["--setenv", "TMPDIR", SCRATCH, "--remount-ro", "/"]),
      "--chdir",
      cwd,
      "--",
      ...argv,
    ];
  });
  return Object.assign(shared, { openFilter, forget: (scratch: string) => many.forget(scratch) });
}

/** Who mounts things in a namespace around it appears as root there. */
function sameUser(): string[] {
  return ["--uid", String(process.getuid?.() ?? 0), "--gid", String(process.getgid?.() ?? 0)];
}

/** A command in the same namespaces, with nothing to see but what a shell is made of. */
export function bareBubblewrap(program: string, network: boolean, argv: readonly string[]): string[] {
  const system = WHERE_SHELLS_ARE.flatMap((folder) => ["--ro-bind-try", folder, folder]);
  return [...entering(program, network), ...system, "--proc", "/proc", "--", ...argv];
}

function entering(program: string, network: boolean): string[] {
  // As root no user namespace is needed, and it is the dearer half of the cost: the capabilities go instead.
  const privileges = process.getuid?.() === 0 ? ["--cap-drop", "ALL"] : ["--unshare-user"];
  return [
    program,
    ...privileges,
    ...(network ? [] : ["--unshare-net"]),
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--die-with-parent",
  ];
}

function optionsFor(mount: Mount, scratch: string): string[] {
  switch (mount.kind) {
    case "readable":
      return ["--ro-bind-try", mount.at, mount.at];
    case "writable":
      return ["--bind-try", mount.at, mount.at];
    case "link":
      return ["--symlink", mount.to, mount.at];
    case "fresh":
      return ["--tmpfs", mount.at];
    case "scratch":
      return ["--bind", scratch, mount.at];
    // A device on a mount that allows none: opening it is refused, and git does not even list it.
    case "hidden-file":
      return ["--ro-bind", "/dev/null", mount.at];
    case "hidden-folder":
      return ["--perms", "0000", "--tmpfs", mount.at, "--remount-ro", mount.at];
    case "absent":
      return ["--perms", "0755", "--tmpfs", mount.at, "--remount-ro", mount.at];
  }
}
