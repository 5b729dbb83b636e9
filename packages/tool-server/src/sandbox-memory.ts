// Which sandbox worked here, remembered between starts: trying one out is most of a server's start-up time.
// The memory counts only for the same boot, user, kernel and programs; it lies where no tool can write. If it is wrong all
// the same, commands fail: they never run unconfined because of it.
import { mkdirSync, readFileSync, statSync, writeFileSync, renameSync } from "node:fs";
import { release } from "node:os";
import path from "node:path";
import type { Mechanism } from "@bosun/engine";

const PROGRAMS = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/usr/bin/unshare", "/usr/bin/setpriv"];
const MECHANISMS: readonly Mechanism[] = ["bubblewrap", "namespaces", "landlock", "seatbelt"];

export type SandboxMemory = { recall(): Mechanism | undefined; remember(mechanism: Mechanism): void; forget(): void };

export function sandboxMemory(stateFolder: string, version: string): SandboxMemory {
  const file = path.join(stateFolder, "sandbox.json");
  const machine = describeMachine(version);
  const write = (mechanism: Mechanism | "none"): void => {
    try {
      mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
      const aside = `${file}.${process.pid}`;
      writeFileSync(aside, JSON.stringify({ mechanism, machine }), { mode: 0o600 });
      renameSync(aside, file);
    } catch {
      // a start that takes longer is all that is lost
    }
  };
  return {
    recall() {
      try {
        const known = JSON.parse(readFileSync(file, "utf8")) as { mechanism?: unknown; machine?: unknown };
        return known.machine === machine ? MECHANISMS.find((name) => name === known.mechanism) : undefined;
      } catch {
        return undefined;
      }
    },
    remember: write,
    forget: () => write("none"),
  };
}

function describeMachine(version: string): string {
  const programs = PROGRAMS.map((file) => {
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat === undefined ? "-" : `${stat.size}:${stat.mtimeMs}`;
  });
  return [version, release(), process.getuid?.() ?? "", bootId(), ...programs].join(" ");
}

function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}
