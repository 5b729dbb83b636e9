// The Landlock helper, a program of its own: takes grants as JSON, confines itself for ever, and becomes the command in
// its remaining arguments. Native calls are allowed here and nowhere else: this process never serves anybody.
// oxlint-disable-next-line no-restricted-imports -- the helper process is the place the rule speaks of
import { dlopen, ptr } from "bun:ffi";
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { systemCallFilter } from "./system-calls.ts";

const O_PATH = 0o10000000;
// System call numbers of Landlock are the same on every architecture.
const CREATE_RULESET = 444;
const ADD_RULE = 445;
const RESTRICT_SELF = 446;
const VERSION_FLAG = 1n;
const RULE_PATH_BENEATH = 1n;
const PR_SET_NO_NEW_PRIVS = 38;
const PR_SET_SECCOMP = 22;
const FILTER_MODE = 2n;

const EXECUTE = 1n << 0n;
const WRITE_FILE = 1n << 1n;
const READ_FILE = 1n << 2n;
const READ_DIR = 1n << 3n;
const TRUNCATE = 1n << 14n;
const IOCTL_DEV = 1n << 15n;
const REFER = 1n << 13n;
const READ = EXECUTE | READ_FILE | READ_DIR;
// Everything of the first version: bits 0 to 12.
const FIRST_VERSION = (1n << 13n) - 1n;
const ON_FILES = EXECUTE | READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV;
const ALL_TCP = 3n;
const ALL_SCOPES = 3n;

const OWN_OUTPUT = "/proc/self/fd/";

/** Exit status when confinement itself failed: no command ran. */
export const CONFINE_FAILED = 125;

type Libc = {
  readonly syscall: (number: bigint, a: bigint, b: bigint, c: bigint, d: bigint) => bigint | number;
  readonly prctl: (option: number, a: bigint, b: bigint, c: bigint, d: bigint) => number;
};

if (import.meta.main) confineAndBecome(process.argv.slice(2));

/** Never returns: the process becomes the command, or ends with CONFINE_FAILED. */
export function confineAndBecome(words: readonly string[]): never {
  try {
    const [file = "", ...argv] = words;
    const grants = parseGrants(JSON.parse(readFileSync(file, "utf8")));
    confine(openLibc(), grants);
    const program = argv[0] ?? "";
    const env = Object.fromEntries(
      Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined),
    );
    become(program, argv, env);
    throw new Error(`could not start ${program}`);
  } catch (error) {
    console.error(`bosun sandbox: ${error instanceof Error ? error.message : String(error)}`);
    // oxlint-disable-next-line no-restricted-properties -- the entry of the helper: what it says is written, and nothing may run
    process.exit(CONFINE_FAILED);
  }
}

// Present since Bun 1.4, not yet in its types.
function become(program: string, argv: readonly string[], env: Record<string, string>): void {
  const runtime = process as typeof process & { execve?(file: string, argv: readonly string[], env: object): never };
  runtime.execve?.(program, argv, env);
}

type HelperGrants = {
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly list: readonly string[];
  readonly network: boolean;
  /** `device:inode` of each path when it was granted. */
  readonly ids: Readonly<Record<string, string>>;
};

function parseGrants(value: unknown): HelperGrants {
  if (typeof value !== "object" || value === null) throw new Error("grants are missing");
  const { read, write, list, network, ids } = value as Record<string, unknown>;
  const areTexts = (part: unknown): part is string[] =>
    Array.isArray(part) && part.every((item) => typeof item === "string");
  if (!areTexts(read) || !areTexts(write) || !areTexts(list)) throw new Error("grants are not lists of paths");
  if (typeof network !== "boolean") throw new Error("grants are incomplete");
  if (typeof ids !== "object" || ids === null || !areTexts(Object.values(ids))) throw new Error("ids are missing");
  return { read, write, list, network, ids: ids as Record<string, string> };
}

function openLibc(): Libc {
  for (const name of ["libc.so.6", "libc.so", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`]) {
    try {
      return dlopen(name, {
        syscall: { args: ["i64", "i64", "i64", "i64", "i64"], returns: "i64" },
        prctl: { args: ["i32", "i64", "i64", "i64", "i64"], returns: "i32" },
      }).symbols as unknown as Libc;
    } catch {
      // another C library
    }
  }
  throw new Error("no C library found");
}

function confine(libc: Libc, grants: HelperGrants): void {
  const call = (number: number, a: bigint, b: bigint, c: bigint, d = 0n): number =>
    Number(libc.syscall(BigInt(number), a, b, c, d));
  const version = call(CREATE_RULESET, 0n, 0n, VERSION_FLAG);
  if (version < 1) throw new Error("this kernel has no Landlock");
  const handled =
    FIRST_VERSION | (version >= 2 ? REFER : 0n) | (version >= 3 ? TRUNCATE : 0n) | (version >= 5 ? IOCTL_DEV : 0n);
  const attributes = new BigUint64Array([
    handled,
    version >= 4 && !grants.network ? ALL_TCP : 0n,
    version >= 6 ? ALL_SCOPES : 0n,
  ]);
  const size = version >= 6 ? 24n : version >= 4 ? 16n : 8n;
  const rules = call(CREATE_RULESET, BigInt(ptr(attributes)), size, 0n);
  if (rules < 0) throw new Error("the rules were refused");
  const allow = (file: string, access: bigint): void => addRule(call, rules, file, access & handled, grants.ids[file]);
  for (const file of grants.read) allow(file, READ);
  for (const file of grants.list) allow(file, READ_DIR);
  for (const file of grants.write) allow(file, handled);
  // The command's own output, which `> /dev/stdout` opens again by name.
  for (const fd of [0, 1, 2]) allow(`${OWN_OUTPUT}${fd}`, READ_FILE | WRITE_FILE | IOCTL_DEV);
  if (libc.prctl(PR_SET_NO_NEW_PRIVS, 1n, 0n, 0n, 0n) !== 0) throw new Error("privileges could not be given up");
  if (call(RESTRICT_SELF, BigInt(rules), 0n, 0n) !== 0) throw new Error("the kernel did not confine us");
  closeSync(rules);
  filterCalls(libc, grants.network);
}

// Landlock knows TCP only: without a network no internet socket is made at all.
function filterCalls(libc: Libc, network: boolean): void {
  const filter = systemCallFilter({ internetSockets: network });
  if (filter === undefined) return;
  const program = new DataView(new ArrayBuffer(16)); // struct sock_fprog: count, then the address, aligned
  program.setUint16(0, filter.length / 8, true);
  program.setBigUint64(8, BigInt(ptr(filter)), true);
  const at = BigInt(ptr(new Uint8Array(program.buffer)));
  if (libc.prctl(PR_SET_SECCOMP, FILTER_MODE, at, 0n, 0n) !== 0) throw new Error("the kernel took no filter");
}

function addRule(
  call: (n: number, a: bigint, b: bigint, c: bigint, d?: bigint) => number,
  rules: number,
  file: string,
  access: bigint,
  id: string | undefined,
): void {
  let fd: number;
  let onFile: boolean;
  try {
    // A link that was planted since the grants were made must not become a grant for its target.
    fd = openSync(file, O_PATH | (file.startsWith(OWN_OUTPUT) ? 0 : constants.O_NOFOLLOW));
    const stat = fstatSync(fd, { bigint: true });
    onFile = !stat.isDirectory();
    if (id !== undefined && id !== `${stat.dev}:${stat.ino}`) {
      closeSync(fd); // something else stands there by now
      return;
    }
  } catch {
    return; // not there: nothing to grant
  }
  const rule = new DataView(new ArrayBuffer(12));
  rule.setBigUint64(0, onFile ? access & ON_FILES : access, true);
  rule.setInt32(8, fd, true);
  const bytes = new Uint8Array(rule.buffer);
  const result = call(ADD_RULE, BigInt(rules), RULE_PATH_BENEATH, BigInt(ptr(bytes)));
  closeSync(fd);
  // A pipe has no place in the tree and needs no rule of its own on some kernels; a link can have none.
  if (result !== 0 && !file.startsWith(OWN_OUTPUT) && !isLink(file)) throw new Error(`no rule for ${file}`);
}

function isLink(file: string): boolean {
  return lstatSync(file).isSymbolicLink();
}
