// The SQLite file of a tree: made private before SQLite opens it, because -wal and -shm take its mode; a damaged one is set
// aside, never deleted.
import fs from "node:fs";
import path from "node:path";
import { Database } from "bun:sqlite";
import { codeOf } from "@bosun/platform/errors";
import { makePrivateFolder, openPrivateAppend } from "@bosun/platform/private-files";
import { UndoError } from "./undo-error.ts";

const VERSION = 1n;
const WAIT_MS = 10_000;

const SCHEMA = `
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE blob(id TEXT PRIMARY KEY, size INTEGER, stored INTEGER, codec INTEGER, data BLOB);
CREATE TABLE hold(id TEXT, owner TEXT, PRIMARY KEY(id, owner)) WITHOUT ROWID;
CREATE TABLE entry(path BLOB PRIMARY KEY, type TEXT, ino INTEGER, size INTEGER, mode INTEGER, mtime INTEGER,
  ctime INTEGER, blob TEXT, why TEXT, recent INTEGER) WITHOUT ROWID;
CREATE TABLE step(n INTEGER PRIMARY KEY AUTOINCREMENT, t INTEGER, session TEXT, calls TEXT, tool TEXT, label TEXT,
  kind TEXT, certainty TEXT, state TEXT, partial TEXT, undoes TEXT, not_covered TEXT, owner TEXT);
CREATE TABLE change(step INTEGER, path BLOB, what TEXT, b_type TEXT, b_mode INTEGER, b_blob TEXT, b_size INTEGER,
  b_why TEXT, a_type TEXT, a_mode INTEGER, a_blob TEXT, a_size INTEGER, a_why TEXT, undone INTEGER DEFAULT 0,
  PRIMARY KEY(step, path)) WITHOUT ROWID;
CREATE TABLE window(id INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT, call TEXT, tool TEXT, label TEXT, kind TEXT,
  owner TEXT, from_ns INTEGER, to_ns INTEGER);
CREATE TABLE plan(step INTEGER, seq INTEGER, op TEXT, path BLOB, expected TEXT, target TEXT, done INTEGER,
  PRIMARY KEY(step, seq)) WITHOUT ROWID;
CREATE INDEX change_path ON change(path);
CREATE INDEX change_before ON change(b_blob);
CREATE INDEX change_after ON change(a_blob);
CREATE INDEX entry_blob ON entry(blob);
PRAGMA user_version = ${VERSION};`;

/** `onDamaged` is told where a damaged file went. */
export function openDatabase(file: string, onDamaged: (aside: string) => void): Database {
  try {
    return openOnce(file);
  } catch (error) {
    if (!isDamage(error)) throw error;
    const aside = `${file}.damaged-${Date.now()}`;
    fs.renameSync(file, aside);
    for (const end of ["-wal", "-shm"]) fs.rmSync(file + end, { force: true });
    onDamaged(aside);
    return openOnce(file);
  }
}

/** A database for nothing but its lock, or for a small table: private, without the tables of a tree. */
export function openPlain(file: string): Database {
  makePrivate(file);
  const database = new Database(file, { readwrite: true, create: true, safeIntegers: true, strict: true });
  database.run(`PRAGMA busy_timeout = ${WAIT_MS}`);
  return database;
}

export function isFull(error: unknown): boolean {
  const code = codeOf(error);
  return code === "SQLITE_FULL" || code === "ENOSPC" || code === "EDQUOT" || code.startsWith("SQLITE_IOERR");
}

function openOnce(file: string): Database {
  const database = openPlain(file);
  try {
    // Before the first table: it cannot be had later.
    database.run("PRAGMA auto_vacuum = INCREMENTAL");
    database.run("PRAGMA journal_mode = WAL");
    database.run("PRAGMA synchronous = NORMAL");
    database.run("PRAGMA wal_autocheckpoint = 256");
    database.run("PRAGMA journal_size_limit = 0");
    database.run("PRAGMA cache_size = -4096");
    database.run("PRAGMA temp_store = MEMORY");
    database.transaction(() => makeTables(database, file)).immediate();
    return database;
  } catch (error) {
    // Whoever opens it next must find it free.
    database.close();
    throw error;
  }
}

function makeTables(database: Database, file: string): void {
  const { user_version: version } = database.query("PRAGMA user_version").get() as { user_version: bigint };
  if (version > VERSION) {
    throw new UndoError(`${file} was written by a newer Bosun (version ${version}); this one knows ${VERSION}`, 1);
  }
  if (version === 0n) database.run(SCHEMA);
  // Reads the header of every table: random bytes show here, not in the middle of a call.
  database.query("SELECT count(*) FROM (SELECT 1 FROM step LIMIT 1)").get();
  database.query("SELECT 1 FROM entry LIMIT 1").get();
  database.query("SELECT 1 FROM change LIMIT 1").get();
}

function makePrivate(file: string): void {
  makePrivateFolder(path.dirname(file));
  // Refuses links, second names and files of other users.
  fs.closeSync(openPrivateAppend(file));
}

function isDamage(error: unknown): boolean {
  const code = codeOf(error);
  return code === "SQLITE_NOTADB" || code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_ERROR";
}
