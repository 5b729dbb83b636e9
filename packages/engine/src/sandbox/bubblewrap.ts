// The boundary by bubblewrap: its own PID, mount, IPC, UTS and network namespaces, dead with its parent.
import type { Confinement } from "../process/confinement.ts";
import { mountedConfinement } from "./mounted.ts";
import type { View } from "./view.ts";

export function bubblewrapConfinement(program: string, view: View, network: boolean): Confinement {
  // As root no user namespace is needed, and it is the dearer half of the cost: the capabilities go instead.
  const asRoot = process.getuid?.() === 0;
  const fixed = [
    program,
    ...(asRoot ? ["--cap-drop", "ALL"] : ["--unshare-user"]),
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--die-with-parent",
    ...(network ? [] : ["--unshare-net"]),
    ...(view.unscoped ? ["--bind", "/", "/"] : []),
    "--dev",
    "/dev",
    "--proc",
    "/proc",
  ];
  const after = ["--setenv", "TMPDIR", "/tmp", ...(view.unscoped ? [] : ["--remount-ro", "/"])];
  return mountedConfinement(
    view,
    (mounts, argv, cwd) => [...fixed, ...mounts, ...after, "--chdir", cwd, "--", ...argv],
    optionsFor,
  );
}

function optionsFor(mount: View["mounts"][number], scratch: string): string[] {
  switch (mount.kind) {
    case "readable":
      return ["--ro-bind", mount.at, mount.at];
    case "writable":
      return ["--bind", mount.at, mount.at];
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
