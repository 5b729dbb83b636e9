// What to type on this very machine to get a sandbox, or a better one.
import { existsSync, readFileSync } from "node:fs";
import type { Attempt, Mechanism, SandboxDescription } from "@bosun/engine";

/** By the ID or ID_LIKE of /etc/os-release. */
const INSTALL: Readonly<Record<string, string>> = {
  debian: "sudo apt-get install bubblewrap",
  ubuntu: "sudo apt-get install bubblewrap",
  fedora: "sudo dnf install bubblewrap",
  rhel: "sudo dnf install bubblewrap",
  suse: "sudo zypper install bubblewrap",
  opensuse: "sudo zypper install bubblewrap",
  arch: "sudo pacman -S bubblewrap",
  alpine: "sudo apk add bubblewrap",
  nixos: "nix-env -iA nixos.bubblewrap",
};

export function sandboxAdvice(
  mechanism: Mechanism,
  attempts: readonly Attempt[],
  { advice }: SandboxDescription,
): string[] {
  if (mechanism === "bubblewrap" || mechanism === "seatbelt") return [];
  if (process.platform !== "linux") {
    return ["No sandbox exists for this platform: run Bosun in a container or a virtual machine, or with --no-bash."];
  }
  const why = attempts.find((attempt) => attempt.mechanism === "bubblewrap")?.why ?? "";
  const lines = /not installed/.test(why)
    ? [`${installCommand() ?? "Install bubblewrap"}   (${reason(advice)})`]
    : failureAdvice(why);
  if (mechanism === "none" && lines.length === 0 && advice !== undefined) lines.push(advice);
  return lines;
}

function failureAdvice(why: string): string[] {
  // What bwrap says when it must hold a place for a file that is not there, in a folder that is not ours.
  if (/Can't (create|mkdir|make)/.test(why)) {
    return ["This user cannot write to this folder: try in the folder the agent will work in."];
  }
  return /namespace|uid map|not permitted|clone|unshare|denied/i.test(why) ? kernelAdvice() : [];
}

export function installCommand(release = readText("/etc/os-release")): string | undefined {
  const names = [...release.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)"?$/gm)].flatMap(([, ids = ""]) => ids.split(" "));
  return names.map((name) => INSTALL[name]).find((command) => command !== undefined);
}

/** bubblewrap is there and fails: then the kernel forbids user namespaces, and each way to do so has its own way out. */
function kernelAdvice(): string[] {
  const lines: string[] = [];
  if (readText("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").trim() === "1") {
    lines.push(
      "AppArmor keeps programs from making user namespaces (Ubuntu 24.04 and newer). Allow it for bwrap alone, in /etc/apparmor.d/bwrap:",
      "    abi <abi/4.0>,",
      "    include <tunables/global>",
      "    profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }",
      "and then: sudo systemctl reload apparmor",
    );
  }
  if (readText("/proc/sys/kernel/unprivileged_userns_clone").trim() === "0") {
    lines.push("sudo sysctl kernel.unprivileged_userns_clone=1   (this kernel forbids user namespaces)");
  }
  if (readText("/proc/sys/user/max_user_namespaces").trim() === "0") {
    lines.push("sudo sysctl user.max_user_namespaces=15000   (none are allowed now)");
  }
  if (existsSync("/.dockerenv") || existsSync("/run/.containerenv")) {
    lines.push(
      "In this container namespaces are forbidden: --security-opt seccomp=unconfined lifts it, or let the container be the boundary with --sandbox off.",
    );
  }
  return lines;
}

function reason(advice: string | undefined): string {
  return advice?.split(": ").at(-1)?.replace(/\.$/, "") ?? "the best mechanism on Linux";
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // No such switch in this kernel.
    return "";
  }
}
