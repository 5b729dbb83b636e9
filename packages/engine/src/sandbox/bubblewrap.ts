// The boundary by bubblewrap: its own PID, mount, IPC, UTS and network namespaces, dead with its parent.
import fs from "node:fs";
import type { Confinement, Wrapped, WrapOptions } from "../process/sandbox-words.ts";
import { closeQuietly, openNamelessFile, temporaryFolder } from "../process/private-files.ts";
import { openFilter } from "./filter-file.ts";
import { MountBatch } from "./mount-batch.ts";
import { SCRATCH } from "./mount-plan.ts";
import { mountConfinement } from "./mount-confinement.ts";
import { bytesOfPath } from "./path-text.ts";
import { findNamespaceTools } from "./system-programs.ts";
import type { Boundary } from "./boundary.ts";
import type { Mount, MountPlan } from "./mount-plan.ts";
import type { MountedOptions } from "./mount-confinement.ts";

const WHERE_SHELLS_ARE = ["/usr", "/bin", "/lib", "/lib64", "/nix/store", "/gnu/store"];

export type BubblewrapOptions = MountedOptions & {
  /** Whether it mounts what a descriptor stands for, and looks whether it did (0.10, or Debian's 0.8). Older ones go by names:
   * a folder that is replaced in the moment a command starts is then not noticed. */
  readonly bindsDescriptors: boolean;
};

export function bubblewrapConfinement(program: string, boundary: Boundary, options: BubblewrapOptions): Confinement {
  const isRoot = process.getuid?.() === 0;
  // What root may write in /proc and /sys needs no capability: core_pattern and uevent_helper there name programs that the
  // kernel runs outside of everything.
  const sealed = isRoot ? ["--remount-ro", "/proc"] : [];
  const sealedSystem = isRoot ? ["--ro-bind-try", "/sys", "/sys"] : [];
  const enter = entering(program, boundary.network);
  const many = new MountBatch(findNamespaceTools());
  const argumentFiles = new ArgumentFiles();
  const assemble = (plan: MountPlan, argv: readonly string[], wrap: WrapOptions): Wrapped => {
    const ahead = many.ahead(plan, wrap.scratch);
    const mounts = ahead?.left ?? plan.mounts;
    const filterFd = openFilter();
    const [filterAt, argumentsAt] = [wrap.firstFd, wrap.firstFd + (filterFd === undefined ? 0 : 1)];
    const variables = Object.entries(wrap.env);
    const sources = options.bindsDescriptors ? descriptorsOf(mounts) : [];
    const words = (): string[] => [
      ...(plan.unscoped ? ["--bind", "/", "/", ...sealedSystem] : []),
      "--dev",
      "/dev",
      "--proc",
      "/proc",
      ...sealed,
      ...(filterFd === undefined ? [] : ["--seccomp", String(filterAt)]),
      ...mounts.flatMap((mount) => optionsFor(mount, wrap.scratch, sources, argumentsAt + 1)),
      ...variables.flatMap(([name, value]) => ["--setenv", name, value]),
      ...(plan.unscoped ? [] : ["--setenv", "TMPDIR", SCRATCH, "--remount-ro", "/"]),
    ];
    const key = [wrap.scratch, wrap.firstFd, ...variables.flat()].join("\0");
    const argumentsFd = argumentFiles.open(plan, key, words);
    return {
      argv: [
        ...(ahead?.words ?? []),
        ...enter,
        ...(ahead === undefined || isRoot ? [] : sameUser()),
        "--args",
        String(argumentsAt),
        "--chdir",
        wrap.cwd,
        "--",
        ...argv,
      ],
      env: {},
      fds: [...(filterFd === undefined ? [] : [filterFd]), argumentsFd, ...sources],
      release: () => {
        closeQuietly(argumentsFd);
        if (filterFd !== undefined) closeQuietly(filterFd);
      },
    };
  };
  const shared = mountConfinement(boundary, options, assemble);
  const closeMounts = shared.close;
  return Object.assign(shared, {
    forget: (scratch: string) => many.forget(scratch),
    close: () => {
      argumentFiles.close();
      closeMounts?.();
    },
  });
}

/**
 * Words as bubblewrap reads them from a descriptor: names in them need not be UTF-8, which no argument can be here. Written
 * once for each plan; each command gets a descriptor of its own, since those that are handed on share their position.
 */
class ArgumentFiles {
  #plan: MountPlan | undefined;
  readonly #files = new Map<string, number>();

  open(plan: MountPlan, key: string, words: () => readonly string[]): number {
    if (this.#plan !== plan) {
      this.close();
      this.#plan = plan;
    }
    let file = this.#files.get(key);
    if (file === undefined) {
      file = openNamelessFile(temporaryFolder());
      this.#files.set(key, file);
      fs.writeSync(file, Buffer.concat(words().flatMap((word) => [bytesOfPath(word), Buffer.of(0)])));
    }
    return fs.openSync(`/proc/self/fd/${file}`, "r");
  }

  close(): void {
    for (const fd of this.#files.values()) fs.closeSync(fd);
    this.#files.clear();
  }
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

function descriptorsOf(mounts: readonly Mount[]): number[] {
  return mounts.flatMap((mount) => ("source" in mount && mount.source !== undefined ? [mount.source.fd] : []));
}

function optionsFor(mount: Mount, scratch: string, sources: readonly number[], firstSource: number): string[] {
  switch (mount.kind) {
    case "readable":
    case "writable": {
      const option = mount.kind === "readable" ? "--ro-bind" : "--bind";
      const index = mount.source === undefined ? -1 : sources.indexOf(mount.source.fd);
      return index < 0
        ? [`${option}-try`, mount.at, mount.at]
        : [`${option}-fd`, String(firstSource + index), mount.at];
    }
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
    case "fixed-file":
      return ["--ro-bind", mount.file, mount.at];
  }
}
