// The boundary by bubblewrap: its own PID, mount, IPC, UTS and network namespaces, dead with its parent.
import type { Confinement } from "../process/confinement.ts";
import { openFilter } from "./filter-file.ts";
import { mountedConfinement } from "./mounted.ts";
import { SCRATCH } from "./view.ts";
import type { Boundary } from "./boundary.ts";
import type { Mount } from "./view.ts";

export function bubblewrapConfinement(program: string, boundary: Boundary): Confinement {
  const isRoot = process.getuid?.() === 0;
  // As root no user namespace is needed, and it is the dearer half of the cost: the capabilities go instead.
  const privileges = isRoot ? ["--cap-drop", "ALL"] : ["--unshare-user"];
  // What root may write in /proc and /sys needs no capability: core_pattern and uevent_helper there name programs that the
  // kernel runs outside of everything.
  const sealed = isRoot ? ["--remount-ro", "/proc"] : [];
  const sealedSystem = isRoot ? ["--ro-bind-try", "/sys", "/sys"] : [];
  const network = boundary.network ? [] : ["--unshare-net"];
  const shared = mountedConfinement(boundary, (view, argv, cwd, scratch, filterFd) => [
    program,
    ...privileges,
    ...network,
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--die-with-parent",
    ...(view.unscoped ? ["--bind", "/", "/", ...sealedSystem] : []),
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    ...sealed,
    ...(filterFd === undefined ? [] : ["--seccomp", String(filterFd)]),
    ...view.mounts.flatMap((mount) => optionsFor(mount, scratch)),
    ...(view.unscoped ? [] : ["--setenv", "TMPDIR", SCRATCH, "--remount-ro", "/"]),
    "--chdir",
    cwd,
    "--",
    ...argv,
  ]);
  return Object.assign(shared, { openFilter });
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
  }
}
