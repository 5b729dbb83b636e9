// Content by its hash, within the quota: small content in the database, large content in files of its own. It knows no trees;
// what nothing refers to any more is removed when room is needed.
import fs from "node:fs";
import path from "node:path";
import type { Database } from "bun:sqlite";
import { codeOf } from "@bosun/platform/errors";
import { randomName, sha256 } from "@bosun/platform/hash";
import { makePrivateFolder, writeAll } from "@bosun/platform/private-files";
import { isFull } from "./database.ts";
import { ownOwner, isAlive } from "./owner.ts";
import type { Quota } from "./quota.ts";
import { LIMITS } from "./settings.ts";
import { StoreFull } from "./undo-error.ts";
import { zstd } from "./zstd.ts";

const RAW = 0;
const ZSTD = 1;
/** Below this, compressing gains nothing. */
const MIN_COMPRESSED = 1024;
const STALE_MS = 3_600_000;
const VACUUM_PAGES = 16;

export class ContentStore {
  readonly #database: Database;
  readonly #folder: string;
  readonly #tree: string;
  readonly #quota: Quota;
  readonly #owner = ownOwner();
  /** How often content of the index was let go: whoever remembers the index must read it again. */
  indexEvictions = 0;

  constructor(database: Database, folder: string, tree: string, quota: Quota) {
    this.#database = database;
    this.#folder = path.join(folder, "objects");
    this.#tree = tree;
    this.#quota = quota;
  }

  /**
   * Keeps content and says its id; held until `release`, so that nobody removes it before something refers to it. Throws
   * StoreFull when there is no room even after all that may go has gone.
   */
  put(bytes: Uint8Array): string {
    const id = sha256(bytes);
    if (this.#has(id)) {
      this.#withRoom(0, () => this.#hold(id));
      // It may have been removed before it was held.
      if (this.#has(id)) return id;
    }
    const compressed = bytes.length >= MIN_COMPRESSED ? zstd().zstdCompressSync(bytes) : bytes;
    const isSmaller = compressed.length < bytes.length;
    const data = isSmaller ? compressed : bytes;
    const row = { id, size: bytes.length, codec: isSmaller ? ZSTD : RAW };
    if (bytes.length <= LIMITS.inlineBytes) this.#withRoom(data.length, () => this.#insert(row, data.length, data));
    else this.#withRoom(data.length, () => this.#putObject(row, data));
    return id;
  }

  /** What was kept; undefined when it is gone or not what its name says. */
  get(id: string): Buffer | undefined {
    const row = this.#database.query("SELECT size, codec, data FROM blob WHERE id = ?").get(id) as {
      size: bigint;
      codec: bigint;
      data: Uint8Array | null;
    } | null;
    if (row === null) return undefined;
    const stored = row.data ?? readObject(this.#objectFile(id));
    if (stored === undefined) return undefined;
    const bytes = Number(row.codec) === ZSTD ? expanded(stored, Number(row.size)) : Buffer.from(stored);
    return bytes !== undefined && sha256(bytes) === id ? bytes : undefined;
  }

  has(id: string): boolean {
    return this.#has(id);
  }

  /** What this process put is referred to by now, or not needed after all. */
  release(): void {
    try {
      this.#database.query("DELETE FROM hold WHERE owner = ?").run(this.#owner);
    } catch (error) {
      // On a full disk it stays held until the next release, or until this process ends.
      if (!isFull(error)) throw error;
    }
  }

  /** Runs a transaction that adds about that many bytes, after making room for it. */
  transaction<T>(bytes: number, write: () => T): T {
    return this.#withRoom(bytes, write);
  }

  /** Steps older than that go, whatever room there is. */
  forgetBefore(timeMs: number): void {
    this.#quota.exclusively(() => {
      const old = this.#database
        .query("SELECT n FROM step WHERE t < ? AND state <> 'running' ORDER BY n")
        .all(timeMs) as { n: bigint }[];
      if (old.length === 0) return;
      for (const { n } of old) this.#dropStep(n);
      this.#collect();
    });
  }

  /** Counts the files again and removes what a killed process left behind. */
  tidy(): void {
    this.#quota.exclusively(() => {
      let sum = 0;
      for (const file of objectFiles(this.#folder)) {
        const stat = fs.statSync(file);
        const isLeft = file.endsWith(".tmp")
          ? Date.now() - stat.mtimeMs > STALE_MS
          : !this.#has(path.basename(path.dirname(file)) + path.basename(file));
        if (isLeft) fs.rmSync(file, { force: true });
        else sum += stat.size;
      }
      this.#quota.setObjects(this.#tree, sum);
    });
  }

  #withRoom<T>(bytes: number, write: () => T): T {
    for (;;) {
      try {
        return this.#quota.withRoom(bytes, () => this.#database.transaction(write).immediate());
      } catch (error) {
        if (!(error instanceof StoreFull) && !isFull(error)) throw error;
        if (!this.#mayEvict()) throw new StoreFull();
      }
    }
  }

  #insert(row: { id: string; size: number; codec: number }, stored: number, data: Uint8Array | null): void {
    this.#database
      .query("INSERT OR IGNORE INTO blob VALUES (?, ?, ?, ?, ?)")
      .run(row.id, row.size, stored, row.codec, data);
    this.#hold(row.id);
  }

  #hold(id: string): void {
    this.#database.query("INSERT OR IGNORE INTO hold VALUES (?, ?)").run(id, this.#owner);
  }

  #has(id: string): boolean {
    return this.#database.query("SELECT 1 FROM blob WHERE id = ?").get(id) !== null;
  }

  #putObject(row: { id: string; size: number; codec: number }, data: Uint8Array): void {
    const file = this.#objectFile(row.id);
    makePrivateFolder(path.dirname(file));
    const temporary = `${file}.${randomName(6)}.tmp`;
    try {
      const descriptor = fs.openSync(temporary, "wx", 0o600);
      try {
        writeAll(descriptor, data);
      } finally {
        fs.closeSync(descriptor);
      }
      fs.renameSync(temporary, file);
    } catch (error) {
      // A full disk: half a file must not stay and count.
      fs.rmSync(temporary, { force: true });
      throw error;
    }
    this.#quota.countObjects(this.#tree, data.length);
    this.#insert(row, data.length, null);
  }

  #objectFile(id: string): string {
    return path.join(this.#folder, id.slice(0, 2), id.slice(2));
  }

  /** A disk without any room cannot even forget: that takes room in the log. */
  #mayEvict(): boolean {
    try {
      return this.#evict();
    } catch (error) {
      if (isFull(error)) return false;
      throw error;
    }
  }

  /** Lets the oldest step go, else the largest content of the index; false when there is nothing left to let go. */
  #evict(): boolean {
    return this.#quota.exclusively(() => {
      if (this.#collect() > 0) return true;
      const oldest = this.#database.query("SELECT n FROM step WHERE state <> 'running' ORDER BY n LIMIT 1").get() as {
        n: bigint;
      } | null;
      if (oldest !== null) {
        this.#dropStep(oldest.n);
        this.#setMeta("evicted", String(oldest.n));
        this.#collect();
        return true;
      }
      const dropped = this.#database
        .query(
          `UPDATE entry SET blob = NULL, why = 'the store is full' WHERE path IN
           (SELECT path FROM entry WHERE blob IS NOT NULL ORDER BY size DESC LIMIT 32)`,
        )
        .run();
      if (dropped.changes === 0) return false;
      this.indexEvictions += 1;
      this.#setMeta("index-evicted", "yes");
      this.#collect();
      return true;
    });
  }

  #dropStep(n: bigint): void {
    this.#database.transaction(() => {
      for (const table of ["change", "plan"]) this.#database.query(`DELETE FROM ${table} WHERE step = ?`).run(n);
      this.#database.query("DELETE FROM step WHERE n = ?").run(n);
    })();
  }

  #setMeta(key: string, value: string): void {
    this.#database.query("INSERT OR REPLACE INTO meta VALUES (?, ?)").run(key, value);
  }

  /** Removes content that nothing refers to and gives the room back; says how much was removed. */
  #collect(): number {
    for (const { owner } of this.#database.query("SELECT DISTINCT owner FROM hold").all() as { owner: string }[])
      if (!isAlive(owner)) this.#database.query("DELETE FROM hold WHERE owner = ?").run(owner);
    const unused = this.#database
      .query(
        `SELECT id, stored, data IS NULL AS large FROM blob WHERE NOT EXISTS (SELECT 1 FROM change WHERE b_blob = id)
         AND NOT EXISTS (SELECT 1 FROM change WHERE a_blob = id) AND NOT EXISTS (SELECT 1 FROM entry WHERE blob = id)
         AND NOT EXISTS (SELECT 1 FROM hold WHERE hold.id = blob.id)`,
      )
      .all() as { id: string; stored: bigint; large: bigint }[];
    let freed = 0;
    for (const { id, stored, large } of unused) {
      // The row first: a file that no row names is tidied, a row without its file would be a promise.
      this.#database.query("DELETE FROM blob WHERE id = ?").run(id);
      if (large === 1n) {
        fs.rmSync(this.#objectFile(id), { force: true });
        this.#quota.countObjects(this.#tree, -Number(stored));
      }
      freed += Number(stored);
    }
    this.#shrink();
    return freed;
  }

  /** In small pieces: what is moved stands in the log first, and the log counts. */
  #shrink(): void {
    for (;;) {
      this.#database.query("PRAGMA wal_checkpoint(TRUNCATE)").all();
      const { freelist_count: free } = this.#database.query("PRAGMA freelist_count").get() as {
        freelist_count: bigint;
      };
      if (free === 0n) return;
      this.#database.query(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`).all();
      const { freelist_count: left } = this.#database.query("PRAGMA freelist_count").get() as {
        freelist_count: bigint;
      };
      if (left >= free) return;
    }
  }
}

function expanded(stored: Uint8Array, size: number): Buffer | undefined {
  try {
    return Buffer.from(zstd().zstdDecompressSync(stored, { maxOutputLength: Math.max(size, 1) }));
  } catch {
    return undefined; // damaged: the same as gone
  }
}

function readObject(file: string): Buffer | undefined {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function objectFiles(folder: string): string[] {
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder)
    .flatMap((name) => fs.readdirSync(path.join(folder, name)).map((file) => path.join(folder, name, file)));
}
