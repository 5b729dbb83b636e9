// Which sandbox works here, remembered between starts: trying one out is most of a server's start-up time.
// The memory counts only for the same boot, kernel, user, rights and programs; it lies where no tool can write. If it is
// wrong all the same, commands fail: they never run unconfined because of it.
import { mkdirSync, readFileSync, readlinkSync, renameSync, statSync, writeFileSync } from "node:fs";
import { release } from "node:os";
import path from "node:path";
import type { Mechanism } from "@bosun/engine";

/** "unsure": what was to work did not, so that everything has to be tried out. */
export type Remembered = Mechanism | "unsure";

export type SandboxMemory = {
  /** What is known of a place (the allowed folders), else of the machine. */
  recall(place: string): Remembered | undefined;
  /** Without a place it counts for the whole machine: what was remembered of single places stays. */
  remember(what: Remembered, place?: string): void;
};

const PROGRAMS = [
  "/usr/bin/bwrap",
  "/usr/local/bin/bwrap",
  "/run/current-system/sw/bin/bwrap",
  "/usr/bin/unshare",
  "/usr/bin/setpriv",
  "/usr/bin/mount",
  "/usr/sbin/pivot_root",
];
/** What the kernel lets us do: a container with our state folder in it shares the boot and often the programs. */
const RIGHTS = /^(?:CapEff|CapBnd|NoNewPrivs|Seccomp|Seccomp_filters):.*$/gm;
const SWITCHES = [
  "/proc/self/attr/current",
  "/proc/sys/user/max_user_namespaces",
  "/proc/sys/kernel/unprivileged_userns_clone",
  "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
];
const REMEMBERED: readonly Remembered[] = ["bubblewrap", "namespaces", "landlock", "seatbelt", "none", "unsure"];
/** Places are exceptions. Beyond this the oldest is tried out again. */
const MOST_PLACES = 64;

type Memory = {
  readonly machine: string;
  readonly anywhere?: string;
  readonly places?: Readonly<Record<string, string>>;
};

export function sandboxMemory(stateFolder: string, version: string): SandboxMemory {
  const file = path.join(stateFolder, "sandbox.json");
  const machine = describeMachine(version);
  const read = (): Memory => {
    try {
      const found = JSON.parse(readFileSync(file, "utf8")) as Memory;
      return found.machine === machine ? found : { machine };
    } catch {
      return { machine }; // nothing remembered yet, or not readable: everything is tried out
    }
  };
  return {
    recall(place) {
      const { anywhere, places = {} } = read();
      const known = Object.hasOwn(places, place) ? places[place] : anywhere;
      return REMEMBERED.find((name) => name === known);
    },
    remember(what, place) {
      const { places = {}, ...rest } = read();
      const others = Object.entries(places).filter(([name]) => name !== place);
      const memory: Memory =
        place === undefined
          ? { machine, anywhere: what, places }
          : { ...rest, places: Object.fromEntries([...others, [place, what]].slice(-MOST_PLACES)) };
      try {
        mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
        const aside = `${file}.${process.pid}`;
        writeFileSync(aside, JSON.stringify(memory), { mode: 0o600 });
        renameSync(aside, file);
      } catch {
        // a start that takes longer is all that is lost
      }
    },
  };
}

function describeMachine(version: string): string {
  const rights = (orNothing(() => readFileSync("/proc/self/status", "utf8")).match(RIGHTS) ?? []).join(" ");
  return [
    version,
    release(),
    process.getuid?.() ?? "",
    orNothing(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8")),
    orNothing(() => readlinkSync("/proc/self/ns/user")),
    rights,
    ...SWITCHES.map((file) => orNothing(() => readFileSync(file, "utf8"))),
    ...PROGRAMS.map((file) => orNothing(() => stampOf(file))),
  ].join(" ");
}

function stampOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat === undefined ? "-" : `${stat.size}:${stat.mtimeMs}`;
}

function orNothing(look: () => string): string {
  try {
    return look().trim();
  } catch {
    return ""; // this kernel has no such file
  }
}
