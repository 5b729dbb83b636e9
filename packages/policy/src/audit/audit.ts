// The audit log's writer: one line per decision and outcome, appended, chained, redacted, rotated by size.
// When append returns, the line is in the file; when it cannot be written, append throws and nothing may run.
import { closeSync, fstatSync, fsyncSync, ftruncateSync, renameSync, unlinkSync } from "node:fs";
import { digestOf } from "@bosun/platform/json";
import { sha256 } from "@bosun/platform/hash";
import { BosunError } from "@bosun/platform/errors";
import { openPrivateAppend, writeAll } from "@bosun/platform/private-files";
import { createRedactor, type Redactor } from "@bosun/platform/secrets";
import { endOfFile, endOfLog, lostSince, type Torn } from "./audit-end.ts";
import { claimLog, filesOf, openHead, rotatedName, writeHead } from "./audit-files.ts";
import { writeLine, type ChainLink, type Members } from "./audit-line.ts";
import { cut, shortText, shownArguments } from "./shown-arguments.ts";

const MIB = 1024 * 1024;
// Chosen from a few words of ours: nothing in them can be a secret, and looking would be most of a line's cost.
const OUR_WORDS = new Set(["verdict", "outcome"]);
const CHAIN_MEMBERS = new Set(["n", "t", "h", "kind"]);
const MAX_TEXT_CHARS = 8000; // a command is written whole up to here

export type AuditEvent = {
  kind: "decision" | "outcome" | "notice" | "changed-place";
  session?: string;
  /** Ties an outcome to its decision. */
  call?: string;
  /** Display name, `alias.tool`. */
  tool?: string;
  server?: string;
  definition?: string;
  /** The parsed arguments: written redacted and cut, with the digest of the whole. */
  arguments?: unknown;
  command?: string;
  cwd?: string;
  /** The real paths that were judged. */
  paths?: readonly string[];
  /** Names only, never values. */
  environment?: readonly string[];
  verdict?: "allow" | "ask" | "deny";
  rule?: string;
  /** What the person answered to an ask, and for how long it holds. */
  answer?: string;
  reason?: string;
  outcome?: "ok" | "error" | "timeout" | "cancelled" | "refused";
  durationMs?: number;
  exit?: number | null;
  signal?: string | null;
  bytesOut?: number;
  bytesErr?: number;
  /** What a command used, and the resource limit that ended it. */
  cpuMs?: number;
  maxRssBytes?: number;
  limitHit?: string;
  /** Of a call that failed or was refused: which failure it was, in a word that does not change. */
  code?: string;
  /** Of a changed place: where it is, whether it is settled or noted, what was done, and where the changed version is. */
  place?: string;
  level?: "settle" | "note";
  done?: "noted" | "kept" | "put back" | "stays";
  aside?: string;
};

export type AuditOptions = {
  folder: string;
  maxBytes?: number;
  /** Rotated files kept beside the current one. */
  keep?: number;
  redactor?: Redactor;
  now?: () => Date;
  /** Survive a power cut, not only a crash: a disk flush per line (milliseconds). */
  sync?: boolean;
};

export type Audit = {
  readonly file: string;
  append(event: AuditEvent): ChainLink;
  /** Several in their order, at the price of one: for records that could wait for each other. */
  appendAll(events: readonly AuditEvent[]): void;
  close(): void;
};

export function openAudit(options: AuditOptions): Audit {
  try {
    const { file, release } = claimLog(options.folder);
    try {
      return new AuditLog(file, release, options);
    } catch (error) {
      // The log is free for the next program.
      release();
      throw error;
    }
  } catch (error) {
    // Also a folder that cannot be made or written in, as in a container whose disk is read-only.
    throw error instanceof BosunError ? error : notWritten(options.folder, error);
  }
}

function notWritten(file: string, error: unknown): BosunError {
  const why = error instanceof Error ? error.message : String(error);
  return new BosunError("AUDIT", `${file} cannot be written, so nothing may run: ${why}`);
}

class AuditLog implements Audit {
  readonly file: string;
  readonly #release: () => void;
  readonly #options: Required<Omit<AuditOptions, "folder">>;
  #log: number;
  #head: number;
  #size: number;
  #last: ChainLink;
  #failed = false; // the last write stopped half way: its torn line must be noted before anything else

  constructor(file: string, release: () => void, options: AuditOptions) {
    this.file = file;
    this.#release = release;
    this.#options = {
      maxBytes: options.maxBytes ?? 16 * MIB,
      keep: options.keep ?? 8,
      redactor: options.redactor ?? createRedactor(),
      now: options.now ?? (() => new Date()),
      sync: options.sync ?? false,
    };
    this.#log = openPrivateAppend(file);
    this.#head = openHead(file);
    const end = endOfLog(file);
    this.#size = fstatSync(this.#log).size;
    this.#last = end.last;
    // Read before the first write: from then on the head is ours again, and what it knew would be forgotten.
    const lost = lostSince(file, this.#last, this.#size > 0);
    if (this.#size === 0) this.#write({ kind: "opened", previous: this.#last.hash });
    else this.#recover(end.torn);
    if (lost !== undefined) this.#write({ kind: "lost", reason: lost });
  }

  append(event: AuditEvent): ChainLink {
    this.appendAll([event]);
    return this.#last;
  }

  appendAll(events: readonly AuditEvent[]): void {
    try {
      this.#checkUntouched();
      if (this.#size >= this.#options.maxBytes) this.#rotate();
      this.#writeAll(events.map((event) => this.#shown(event)));
    } catch (error) {
      // A log that was changed under us says so itself; what is left is a disk that does not take the line.
      if (error instanceof BosunError) throw error;
      this.#takeBack();
      throw notWritten(this.file, error);
    }
  }

  // A full disk takes half of a line, or some of several: gone with them, the same can be written again later. Where an
  // append-only file keeps them, the torn line is noted before anything else.
  #takeBack(): void {
    try {
      if (fstatSync(this.#log).size > this.#size) ftruncateSync(this.#log, this.#size);
    } catch {
      // An append-only file keeps the half line: it is noted before the next one.
      this.#failed = true;
    }
  }

  close(): void {
    closeSync(this.#log);
    closeSync(this.#head);
    this.#release();
  }

  // Somebody else's line, a cut or a removal would break the chain silently from here on.
  #checkUntouched(): void {
    const { size, nlink } = fstatSync(this.#log);
    if (nlink === 0) throw new BosunError("AUDIT", `${this.file} was removed while in use: restart to begin a new log`);
    if (size === this.#size) return;
    if (!this.#failed || size < this.#size) {
      throw new BosunError("AUDIT", `${this.file} was changed by another program: verify it, then restart`);
    }
    const end = endOfLog(this.file);
    this.#size = size;
    this.#last = end.last;
    this.#recover(end.torn);
    this.#failed = false;
  }

  #write(members: Members): void {
    this.#writeAll([members]);
  }

  #writeAll(all: readonly Members[]): void {
    if (all.length === 0) return;
    let last = this.#last;
    let lines = "";
    for (const members of all) {
      const n = last.n + 1;
      const { line, hash } = writeLine(n, this.#options.now(), members, last.hash);
      lines += line;
      last = { n, hash };
    }
    const bytes = Buffer.from(lines, "utf8");
    writeAll(this.#log, bytes);
    this.#size += bytes.length;
    this.#last = last;
    if (this.#options.sync) fsyncSync(this.#log);
    writeHead(this.#head, this.#last);
  }

  // The torn line stays: an append-only log takes nothing back. The next record vouches for its bytes.
  #recover(torn: Torn): void {
    if (torn.kind === "none") return;
    writeAll(this.#log, Buffer.from("\n"));
    this.#size += 1;
    // All there but its line feed: then the line is the log's last record like any other.
    if (torn.kind === "whole") return writeHead(this.#head, this.#last);
    this.#write({ kind: "recovered", torn_chars: torn.text.length, torn_sha256: sha256(torn.text) });
  }

  #rotate(): void {
    this.#write({ kind: "rotated" });
    const aside = rotatedName(this.file);
    renameSync(this.file, aside);
    closeSync(this.#log);
    this.#log = openPrivateAppend(this.file);
    this.#size = fstatSync(this.#log).size;
    this.#write({ kind: "opened", previous: this.#last.hash });
    this.#prune();
  }

  #prune(): void {
    const rotated = filesOf(this.file).filter((name) => name !== this.file);
    for (const old of rotated.slice(0, Math.max(0, rotated.length - this.#options.keep))) {
      const { last } = endOfFile(old);
      // Noted first: a file that is missing without a note was taken away.
      if (last !== undefined) this.#write({ kind: "pruned", upto: last.n });
      unlinkSync(old);
    }
  }

  #shown(event: AuditEvent): Members {
    const { redactor } = this.#options;
    const shown: Members = { kind: event.kind };
    // Not Object.entries: there is one of these for every call, and a pair for each member would be most of its garbage.
    for (const key in event) {
      const value = event[key as keyof AuditEvent];
      if (value === undefined || CHAIN_MEMBERS.has(key)) continue;
      if (key === "arguments") {
        shown["digest"] = digestOf(value);
        shown["arguments"] = shownArguments(value, redactor);
      } else if (OUR_WORDS.has(key)) shown[key] = value;
      else if (typeof value === "string") shown[key] = shortText(value, MAX_TEXT_CHARS, redactor);
      else if (Array.isArray(value))
        shown[key] = value.slice(0, 200).map((item) => cut(redactor.text(String(item)), 200));
      else shown[key] = value;
    }
    return shown;
  }
}
