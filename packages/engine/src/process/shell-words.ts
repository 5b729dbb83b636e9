// The shell that runs commands: chosen once, and the text that makes it evaluate a command untouched, label its
// processes, and report its final directory through a descriptor that no process of the command inherits.
import { accessSync, constants } from "node:fs";
import path from "node:path";
import { limitsOf } from "./resource-limits.ts";
import type { ResourceLimits } from "./resource-limits.ts";

export type Shell = { readonly path: string; readonly dialect: "bash" | "posix" };

/** Where the record goes, and where a command comes from that is too long for an argument: one file serves both. */
export const RECORD_FD = 3;
/** How a shell that was started ahead is told to go on. */
export const GO_FD = 4;
/** One argument of 131072 bytes or more is E2BIG on Linux, whatever the total. */
export const LONGEST_ARGUMENT_BYTES = 131_071;

// Reading more takes a shell about as long as starting; and a pipe takes four times as much without anybody reading.
const LONGEST_TOLD_BYTES = 16_384;

export function detectShell(): Shell {
  return shellAt(isExecutable("/bin/bash") ? "/bin/bash" : "/bin/sh");
}

export function shellAt(file: string): Shell {
  return { path: file, dialect: path.basename(file) === "bash" ? "bash" : "posix" };
}

export type Setup = {
  /** The record's descriptor arrives as stdin and has to be moved first. */
  readonly recordOnStdin: boolean;
  readonly tag: string;
  readonly ownsHardLimit: boolean;
  readonly limits: ResourceLimits;
  /** The directory it must find itself in, by its real path; undefined: wherever it was started. */
  readonly realCwd?: string | undefined;
};

/**
 * The -c text for a shell command. Its parts, all on one line so that nothing the command defines can change how the rest
 * is parsed:
 *   - the label and the limits, and whether it is where it should be;
 *   - an exit trap for `exit`, `set -e` and errors, which end the shell inside `eval`: the text is then still in `__bosun`;
 *   - `eval` with the record's descriptor closed: a shell saves what a redirection on a builtin hides under a number that
 *     is closed on exec, and restores it before the trap runs. `exec` and death by a signal leave no record;
 *   - the record on normal completion, because the command may have set an exit trap of its own.
 * Output goes nowhere while our own words run, so that `set -x` and DEBUG traps show nothing of them; under `set -v` bash
 * would print the exit trap before it runs.
 */
export function shellWords(shell: Shell, setup: Setup, marker: string, fromScript: boolean): string {
  const take = fromScript ? `__bosun=$(cat <&${RECORD_FD} ${RECORD_FD}>&-)` : `__bosun=$1; shift`;
  return [...setupWords(shell, setup), take, ...evaluation(shell, marker)].join("; ");
}

/**
 * The -c text of a bash that is started ahead: labelled and limited, it waits for a directory and a command, as `prestartedShellText`
 * writes them. When they never come, because we are gone or do not need it, it ends.
 */
export function prestartedShellWords(shell: Shell, setup: Setup, marker: string): string {
  // A text without its final NUL was cut: whoever wrote it is gone.
  const next = `IFS= read -r -d '' __bosun <&${GO_FD} || exit 0`;
  const directory = '"${__bosun#?}"';
  const enter = [`cd -- ${directory} || exit 126`, `case $__bosun in =*) ${standIn(directory)} ;; esac`];
  const wait = [next, ...enter, next, `exec ${GO_FD}<&-`, "unset OLDPWD", "SECONDS=0"];
  return [...setupWords(shell, setup), ...wait, ...evaluation(shell, marker)].join("; ");
}

/** What a shell that was started ahead is told; undefined when that is too much to read byte by byte, as shells do. */
export function prestartedShellText(cwd: string, realCwd: string | undefined, text: string): Buffer | undefined {
  // The first character says whether it must be that very directory, or may be another name of it.
  const told = Buffer.from(`${cwd === realCwd ? "=" : "~"}${cwd}\0${text}\0`);
  return told.length > LONGEST_TOLD_BYTES ? undefined : told;
}

/** Of the text in `__bosun`. */
function evaluation(shell: Shell, marker: string): string[] {
  const builtin = shell.dialect === "bash" ? "builtin" : "command";
  const toRecord = (words: string): string => `${builtin} ${words} >&${RECORD_FD}`;
  const print = toRecord(`printf '%s\\n' '${marker}'`);
  // A directory that is gone has no real path any more; the one it had lets the next command say that it is gone. bash says
  // that it failed; dash prints an empty line and calls it a success, so there both are recorded.
  const either = shell.dialect === "bash" ? "||" : `; ${print};`;
  const where = `${toRecord("pwd -P")} ${either} ${toRecord(`printf '%s\\n' "\${PWD-}"`)}`;
  // Each on its own: what a DEBUG trap prints in between must not get into the record.
  const record = [print, where, print].join("; ");
  const atExit = `{ case \${__bosun-} in ?*) ${record} ;; esac; } >/dev/null 2>&1`;
  return [
    `trap "${atExit.replace(/["$]/g, "\\$&")}" EXIT`,
    `eval "$__bosun" ${RECORD_FD}>&-`,
    `{ set -- "$?"; set +v; ${record}; __bosun=; exit "$1"; } >/dev/null 2>&1`,
  ];
}

/** The -c text that labels and limits itself and then becomes the program in its arguments. */
export function execWords(shell: Shell, setup: Setup): string {
  return [...setupWords(shell, setup), `exec "$@" ${RECORD_FD}>&-`].join("; ");
}

/** The directory between two markers that are ours, or undefined. */
export function parseRecord(bytes: Uint8Array, marker: string): string | undefined {
  const line = Buffer.from(`${marker}\n`);
  const record = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = record.indexOf(line);
  const end = start < 0 ? -1 : record.indexOf(line, start + line.length);
  if (end < 0) return undefined;
  const directory = record.subarray(start + line.length, end - 1); // less the newline that pwd adds, and only that one
  if (directory.length === 0) return parseRecord(record.subarray(end), marker);
  // A name that is not UTF-8 cannot be handed to spawn again: the directory stays what it was.
  const text = directory.toString("utf8");
  return text.startsWith("/") && Buffer.from(text).equals(directory) ? text : undefined;
}

function setupWords(shell: Shell, setup: Setup): string[] {
  const which = setup.ownsHardLimit ? "" : "S";
  // bash calls the limit on locks x, dash and busybox w; /bin/sh can be any of them.
  const label = `ulimit -${which}x ${setup.tag} || ulimit -${which}w ${setup.tag}`;
  const words = [label, ...limitsOf(shell.dialect, setup.limits)];
  const move = setup.recordOnStdin ? [`exec ${RECORD_FD}<&0 0</dev/null`] : [];
  const stand = setup.realCwd === undefined ? [] : [standIn(quoted(setup.realCwd)), "unset OLDPWD"];
  return [...move, `{ ${words.join("; ")}; } 2>/dev/null`, ...stand];
}

/**
 * Goes on only in that very directory: between our look at a path and the start of the shell, a part of it can be replaced
 * by a link. Only the shell, once it is there, can say where it is.
 */
function standIn(directory: string): string {
  const elsewhere = "bosun: the working directory was replaced while the command was started; nothing was run";
  return `cd -P . && [ "$PWD" = ${directory} ] || { echo '${elsewhere}' >&2; exit 125; }`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // not there, or not executable
  }
}
