// What stands at a path now, as an entry of the index, its content kept.
import type { BigIntStats } from "node:fs";
import { sha256 } from "@bosun/platform/hash";
import type { Entry, EntryType, State } from "./states.ts";
import { PENDING } from "./states.ts";
import type { UndoStore } from "./store.ts";
import type { TreeReader } from "./tree-reader.ts";
import type { TreePath } from "./tree-path.ts";
import { StoreFull } from "./undo-error.ts";

/** A clock as coarse as some kernels': what changed within it of the look is read again next time. */
const RECENT_NS = 20_000_000n;
const PERMISSIONS = 0o7777n;

/** Reads and keeps it. Undefined when it is not there (any more). */
export function readEntry(store: UndoStore, reader: TreeReader, path: TreePath, why?: string): Entry | undefined {
  const stat = reader.look(path);
  if (stat === undefined) return undefined;
  const plain = plainEntry(store, stat, why);
  if (plain.why !== undefined && plain.why !== PENDING) return plain;
  if (plain.type === "link") {
    const target = reader.readLink(path);
    return target === undefined ? undefined : keep(store, { ...plain, size: target.length }, target);
  }
  if (plain.type !== "file") return plain;
  const read = reader.readFile(path, store.settings.maxFileSize);
  if (read === undefined) return { ...plain, why: "it could not be read", isRecent: true };
  return keep(store, { ...plainEntry(store, read.stat), size: read.bytes.length }, read.bytes);
}

/** From the stat alone; content that would be kept is still to be read. */
export function plainEntry(store: UndoStore, stat: BigIntStats, why?: string): Entry {
  const type = why !== undefined && stat.isDirectory() ? "uncovered" : typeOf(stat);
  const tooLarge = type === "file" && stat.size > store.settings.maxFileSize;
  return {
    type,
    ino: stat.ino,
    size: type === "folder" || type === "uncovered" ? 0 : Number(stat.size),
    mode: Number(stat.mode & PERMISSIONS),
    mtimeNs: stat.mtimeNs,
    ctimeNs: stat.ctimeNs,
    blob: undefined,
    why: why ?? (tooLarge ? tooLargeText(stat.size, store.settings.maxFileSize) : pendingOf(type)),
    isRecent: false,
  };
}

/** What stands there, without keeping it: for looking only. */
export function hashEntry(reader: TreeReader, path: TreePath, maxBytes: number): State | undefined {
  const stat = reader.look(path);
  if (stat === undefined) return undefined;
  const type = typeOf(stat);
  const state = { type, mode: Number(stat.mode & PERMISSIONS), size: 0, blob: undefined, why: undefined };
  if (type === "link") {
    const target = reader.readLink(path);
    return target === undefined ? undefined : { ...state, size: target.length, blob: sha256(target) };
  }
  if (type !== "file") return state;
  const read = reader.readFile(path, maxBytes);
  if (read === undefined) return { ...state, size: Number(stat.size), why: "not kept" };
  return { ...state, size: read.bytes.length, blob: sha256(read.bytes) };
}

/** Whether nothing can have changed since the entry was read. */
export function isUnchanged(entry: Entry, stat: BigIntStats, why: string | undefined): boolean {
  const mode = Number(stat.mode & PERMISSIONS);
  const type = why !== undefined && stat.isDirectory() ? "uncovered" : typeOf(stat);
  if (entry.type !== type || entry.mode !== mode) return false;
  // A folder is its name and its mode: what is in it has entries of its own.
  if (type === "folder" || type === "uncovered") return true;
  const { ino, size, mtimeNs, ctimeNs } = stat;
  const isSame =
    entry.ino === ino && BigInt(entry.size) === size && entry.mtimeNs === mtimeNs && entry.ctimeNs === ctimeNs;
  return isSame && !entry.isRecent;
}

function keep(store: UndoStore, entry: Entry, content: Buffer): Entry {
  const isRecent = entry.ctimeNs > store.now() - RECENT_NS;
  try {
    return { ...entry, blob: store.contents.put(content), why: undefined, isRecent };
  } catch (error) {
    if (!(error instanceof StoreFull)) throw error;
    // By its hash it can still be told from other content.
    return { ...entry, why: "the store is full", isRecent };
  }
}

function typeOf(stat: BigIntStats): EntryType {
  if (stat.isFile()) return "file";
  if (stat.isDirectory()) return "folder";
  return stat.isSymbolicLink() ? "link" : "special";
}

function pendingOf(type: EntryType): string | undefined {
  if (type === "special") return "a socket, pipe or device";
  return type === "file" || type === "link" ? PENDING : undefined;
}

function tooLargeText(size: bigint, limit: number): string {
  return `${megabytes(Number(size))}, above ${megabytes(limit)}`;
}

export function megabytes(bytes: number): string {
  const value = bytes / 1024 ** 2;
  return value >= 10 || Number.isInteger(value) ? `${Math.round(value)} MB` : `${value.toFixed(1)} MB`;
}
