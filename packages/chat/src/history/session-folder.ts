// The sessions on disk: names, listing, finding, the lock that keeps two programs from writing one log, and pruning.
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { parseSession } from "./session-file.ts";

const HEAD_BYTES = 64 * 1024;
const ALWAYS_KEPT = 10;
const MAX_SEARCHED_BYTES = 64 * 1024 * 1024;
const ID = /^\d{8}-\d{4}-[a-z0-9]{4,8}$/;

export type SessionInfo = {
  id: string;
  file: string;
  cwd: string;
  changedAt: Date;
  firstQuestion: string;
  turns: number;
};

export function newSessionId(now = new Date()): string {
  const part = (value: number): string => String(value).padStart(2, "0");
  const day = `${now.getFullYear()}${part(now.getMonth() + 1)}${part(now.getDate())}`;
  const letters = "abcdefghijkmnpqrstuvwxyz23456789";
  const tail = Array.from(crypto.getRandomValues(new Uint8Array(4)), (byte) => letters.charAt(byte % letters.length));
  return `${day}-${part(now.getHours())}${part(now.getMinutes())}-${tail.join("")}`;
}

export class SessionFolder {
  readonly folder: string;

  constructor(dataFolder: string) {
    this.folder = path.join(dataFolder, "sessions");
  }

  fileOf(id: string): string {
    return path.join(this.folder, `${id}.jsonl`);
  }

  resultsOf(id: string): string {
    return path.join(this.folder, `${id}.results`);
  }

  /** Newest first. */
  list(): SessionInfo[] {
    return this.#ids()
      .map((id) => this.#info(id))
      .sort((left, right) => right.changedAt.getTime() - left.changedAt.getTime());
  }

  /** Those in which all these words were said, newest first; all of them without words. */
  search(text: string): SessionInfo[] {
    const words = text
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== "");
    if (words.length === 0) return this.list();
    return this.list().filter(({ file, id }) => {
      const said = statSync(file).size > MAX_SEARCHED_BYTES ? "" : readFileSync(file, "utf8").toLowerCase();
      return words.every((word) => said.includes(word) || id.includes(word));
    });
  }

  /** By id or its beginning; without one, the newest of this directory. A text says why there is none. */
  find(wanted: string | undefined, cwd: string): SessionInfo | string {
    const all = this.list();
    if (wanted === undefined) return all.find((session) => session.cwd === cwd) ?? "there is no session of this folder";
    const matches = all.filter((session) => session.id.startsWith(wanted));
    const [only] = matches.length === 1 ? matches : matches.filter((session) => session.id === wanted);
    if (only !== undefined) return only;
    if (matches.length === 0)
      return `there is no session ${JSON.stringify(wanted)}; :sessions, or the command sessions, lists them`;
    const some = matches.slice(0, 5).map(({ id }) => id);
    return `${matches.length} sessions begin with ${wanted}: ${some.join(", ")}${matches.length > 5 ? ", …" : ""}`;
  }

  /** False: another program writes this session. */
  lock(id: string): boolean {
    const file = `${this.fileOf(id)}.lock`;
    for (let attempt = 0; attempt < 2; attempt += 1) {
      try {
        mkdirSync(this.folder, { recursive: true, mode: 0o700 });
        writeFileSync(file, String(process.pid), { flag: "wx", mode: 0o600 });
        return true;
      } catch (error) {
        const code = error instanceof Error && "code" in error ? error.code : "";
        if (code !== "EEXIST") return true; // a folder that cannot be written will be said when the log is
        if (isAlive(file)) return false;
        rmSync(file, { force: true }); // left by a program that was killed
      }
    }
    return false;
  }

  unlock(id: string): void {
    rmSync(`${this.fileOf(id)}.lock`, { force: true });
  }

  /** Removes what is too old, never the newest few. */
  prune(maxAgeDays: number, now = Date.now()): number {
    if (maxAgeDays <= 0) return 0;
    this.#dropStaleLocks();
    const limit = now - maxAgeDays * 86_400_000;
    const ids = this.#ids();
    const old = ids
      .map((id) => ({ id, at: changed(this.fileOf(id)) }))
      .sort((left, right) => right.at - left.at)
      .slice(ALWAYS_KEPT)
      .filter(({ at }) => at < limit);
    for (const { id } of old) {
      unlinkSync(this.fileOf(id));
      rmSync(this.resultsOf(id), { recursive: true, force: true });
    }
    return old.length;
  }

  // Of programs that were killed before they had written anything.
  #dropStaleLocks(): void {
    if (!existsSync(this.folder)) return;
    for (const name of readdirSync(this.folder)) {
      const file = path.join(this.folder, name);
      if (name.endsWith(".lock") && !isAlive(file)) rmSync(file, { force: true });
    }
  }

  #ids(): string[] {
    if (!existsSync(this.folder)) return [];
    return readdirSync(this.folder).flatMap((name) => {
      const id = name.endsWith(".jsonl") ? name.slice(0, -6) : "";
      return ID.test(id) ? [id] : [];
    });
  }

  #info(id: string): SessionInfo {
    const file = this.fileOf(id);
    const { text, whole } = beginning(file);
    const { head, entries } = parseSession(text);
    const turns = entries.flatMap((entry) => ("turn" in entry ? [entry.turn] : []));
    const first = turns.find((turn) => turn.role === "user");
    return {
      id,
      file,
      cwd: head?.cwd ?? "",
      changedAt: new Date(changed(file)),
      firstQuestion: first?.content.split("\n")[0]?.slice(0, 80) ?? "",
      turns: whole ? turns.length : -1,
    };
  }
}

// The first lines say all that a list needs; a log may be long.
function beginning(file: string): { text: string; whole: boolean } {
  const descriptor = openSync(file, "r");
  try {
    const buffer = Buffer.alloc(HEAD_BYTES);
    const got = readSync(descriptor, buffer, 0, HEAD_BYTES, 0);
    return { text: buffer.toString("utf8", 0, got), whole: got < HEAD_BYTES };
  } finally {
    closeSync(descriptor);
  }
}

function changed(file: string): number {
  return statSync(file).mtimeMs;
}

function isAlive(lockFile: string): boolean {
  try {
    const pid = Number(readFileSync(lockFile, "utf8"));
    if (!Number.isInteger(pid) || pid <= 0) return false;
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
