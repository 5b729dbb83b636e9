// The room of all trees together. Whoever makes a store grow holds this lock while it does, so that the sum is right at
// every moment, whichever server writes.
import fs from "node:fs";
import path from "node:path";
import type { Database } from "bun:sqlite";
import { openPlain } from "./database.ts";
import { StoreFull } from "./undo-error.ts";

/** What a transaction, or giving room back, writes besides content: pages of tables and indexes, and their log. */
const LEAST_SLACK = 160 * 1024;
const MOST_SLACK = 512 * 1024;

/** The folder of one tree. */
const TREE = /^[0-9a-f]{16}$/;

export class Quota {
  readonly #database: Database;
  readonly #folder: string;
  readonly #limit: number;
  #isHeld = false;

  /** `folder` holds one folder for each tree. */
  constructor(folder: string, limit: number) {
    this.#folder = folder;
    this.#database = openPlain(path.join(folder, "quota.sqlite"));
    this.#database.run("PRAGMA synchronous = OFF");
    this.#database.run("CREATE TABLE IF NOT EXISTS objects(tree TEXT PRIMARY KEY, bytes INTEGER)");
    const { bavail, bsize } = fs.statfsSync(folder);
    // A tenth of what is free, and of what the stores hold already: a start must not shrink them for their own size.
    this.#limit = Math.min(limit, Math.floor((bavail * bsize + this.used()) / 10));
  }

  get limit(): number {
    return this.#limit;
  }

  /** Bytes on the disk of all trees. */
  used(): number {
    let sum = sizeOf(path.join(this.#folder, "quota.sqlite"));
    for (const name of fs.readdirSync(this.#folder)) {
      if (!TREE.test(name)) continue;
      const file = path.join(this.#folder, name, "undo.sqlite");
      for (const end of ["", "-wal", "-shm"]) sum += sizeOf(file + end);
      sum += damagedBytes(path.join(this.#folder, name));
    }
    for (const { bytes } of this.#database.query("SELECT bytes FROM objects").all() as { bytes: bigint }[])
      sum += Number(bytes);
    return sum;
  }

  /** Runs `write` when what it adds fits, alone among all writers; throws StoreFull when it does not. */
  withRoom<T>(bytes: number, write: () => T): T {
    return this.exclusively(() => {
      // Twice: what is written stands in the log and in the database for a while.
      const slack = Math.max(LEAST_SLACK, Math.min(MOST_SLACK, this.#limit / 8));
      if (this.used() + 2 * bytes + slack > this.#limit) throw new StoreFull();
      return write();
    });
  }

  exclusively<T>(write: () => T): T {
    if (this.#isHeld) return write();
    this.#database.run("BEGIN IMMEDIATE");
    this.#isHeld = true;
    try {
      return write();
    } finally {
      this.#isHeld = false;
      this.#database.run("COMMIT");
    }
  }

  /** Counts files of a tree's own; only within `exclusively` or `withRoom`. */
  countObjects(tree: string, difference: number): void {
    this.#database
      .query("INSERT INTO objects VALUES (?1, max(0, ?2)) ON CONFLICT(tree) DO UPDATE SET bytes = max(0, bytes + ?2)")
      .run(tree, difference);
  }

  setObjects(tree: string, bytes: number): void {
    this.#database.query("INSERT OR REPLACE INTO objects VALUES (?, ?)").run(tree, bytes);
  }

  close(): void {
    this.#database.close();
  }
}

function damagedBytes(folder: string): number {
  const names = fs.readdirSync(folder).filter((name) => name.includes(".damaged-"));
  return names.reduce((sum, name) => sum + sizeOf(path.join(folder, name)), 0);
}

function sizeOf(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
