// After a command that the sandbox got in the way of: a line that says so, and which option changes it. The programs' own
// words ("Could not resolve host") would send a model looking for another mirror, and a person for a broken network.
import path from "node:path";
import type { Boundary, Captured, Mechanism } from "@bosun/engine";
import { holds } from "../config/config.ts";
import { protectedHints } from "./protected-hint.ts";
import type { ServerState } from "../server/server-state.ts";

/** Why something failed is said near the beginning or the end. */
const LOOKED_AT_CHARS = 64 * 1024;

const NO_NETWORK = new RegExp(
  [
    "could ?n[o']t resolve",
    "unable to resolve host",
    "temporary failure (?:in name resolution|resolving)",
    "name or service not known",
    "nodename nor servname",
    "network is (?:unreachable|down)",
    "no address associated with hostname",
    "failed to lookup address",
    "dial tcp: lookup ",
    "\\b(?:EAI_AGAIN|ENOTFOUND|ENETUNREACH|ERR_NAME_NOT_RESOLVED)\\b",
  ].join("|"),
  "i",
);
const READ_ONLY = /Read-only file system|\bEROFS\b/i;
const NOT_THERE = /No such file or directory|\bENOENT\b|does not exist|not found|cannot find/i;
const DENIED = /Permission denied|Operation not permitted|\bE(?:ACCES|PERM)\b/i;

type Ended = {
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly cwdAfter: string | null;
  readonly stdout: Captured;
  readonly stderr: Captured;
};

type Confined = {
  readonly boundary: Pick<Boundary, "writable" | "home" | "network">;
  readonly sandbox: { readonly mechanism: Mechanism };
};

/** What can be said about why a command failed: protected places first, then the sandbox. */
export function commandHints(run: Ended, state: Pick<ServerState, "protection" | "boundary" | "sandbox">): string[] {
  const places = protectedHints(run, state);
  return [...places, ...sandboxHints(run, state, places.length > 0)];
}

/** Each begins with `[sandbox]`; none for nearly every command. */
export function sandboxHints(run: Ended, { boundary, sandbox }: Confined, isPlaceNamed = false): string[] {
  if (sandbox.mechanism === "none") return [];
  const lines = tellingLines(run);
  if (lines.length === 0) return [];
  const hints: string[] = [];
  if (!boundary.network && lines.some((line) => NO_NETWORK.test(line)))
    hints.push("[sandbox] Commands have no network here. The person can allow it: bosun serve --allow-network.");
  // Unscoped, all of the machine is there.
  const { writable, home } = boundary;
  if (writable.length === 0) return hints;
  const isOutside = (file: string): boolean => !writable.some((folder) => holds(folder, file));
  const outside = (line: string): string[] => pathsIn(line).filter(isOutside);
  const unwritable = lines.find((line) => READ_ONLY.test(line)) ?? lines.find(isDeniedOutside);
  if (unwritable !== undefined && !isPlaceNamed) {
    const named = outside(unwritable)[0];
    hints.push(
      `[sandbox] ${named ?? "That place"} cannot be written: commands write below ${writable.join(", ")} only. ${allowing(named)}`,
    );
  }
  const absent = lines.filter((line) => NOT_THERE.test(line)).flatMap(outside);
  const atHome = home === "/" ? undefined : absent.find((file) => file !== home && holds(home, file));
  if (atHome !== undefined)
    hints.push(`[sandbox] ${atHome} is in the home folder, which commands do not see. ${allowing(atHome)}`);
  return hints;

  // Mechanisms that mount nothing refuse with the words of ordinary permissions.
  function isDeniedOutside(line: string): boolean {
    return sandbox.mechanism !== "bubblewrap" && DENIED.test(line) && outside(line).length > 0;
  }
}

function allowing(file: string | undefined): string {
  const folder = file === undefined ? "FOLDER" : path.posix.dirname(file);
  return `The person can allow a folder: bosun serve --allow-dir ${folder}.`;
}

/** A command that succeeds may print such words for any reason; what it complains of stands on stderr. */
function tellingLines({ exitCode, timedOut, stdout, stderr }: Ended): string[] {
  const failed = timedOut || exitCode !== 0;
  return [stderr, ...(failed ? [stdout] : [])].flatMap(({ text }) => {
    const shown =
      text.length <= 2 * LOOKED_AT_CHARS ? text : `${text.slice(0, LOOKED_AT_CHARS)}\n${text.slice(-LOOKED_AT_CHARS)}`;
    if (![NO_NETWORK, READ_ONLY, NOT_THERE, DENIED].some((words) => words.test(shown))) return [];
    return shown.split("\n").filter((line) => line.length < 4096);
  });
}

function pathsIn(line: string): string[] {
  return [...line.matchAll(/(?<![\w.~/-])\/[^\s:;,'"`‘’()[\]{}<>|]+/g)].map(([file]) => path.posix.normalize(file));
}
