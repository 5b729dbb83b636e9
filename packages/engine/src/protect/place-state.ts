// What stands at the protected places of a folder at one moment: types, modes, contents, link targets. Read through
// descriptors, links never followed, bounded. Names are bytes, held as latin1 text.
import fs from "node:fs";
import type { BigIntStats } from "node:fs";
import { errnoOf, isExhausted } from "../engine-error.ts";
import { kindOf } from "../scope/directory.ts";
import { bytesOfPath, textOfPath } from "../sandbox/path-text.ts";
import type { Directory } from "../scope/directory.ts";
import type { KeptContent, KeptContents } from "./content-before.ts";
import type { FolderRules, PlaceRule } from "./settled-places.ts";

/** Entries that are looked at in one protected tree, and in all folders on the way to places. */
export const MAX_ENTRIES = 500;
const MAX_WAYS = 2000;
/** Read in one look at a folder; what did not change is not read again. */
const MAX_LOOK_BYTES = 64 * 1024 * 1024;
/** A folder this big is not listed at every command: only what is known of it is looked at. */
const MAX_LISTED_BYTES = 4 * 1024 * 1024;
/** Time stamps move in ticks: a file written this recently may be written again without its stamp changing. */
const UNSETTLED_MS = 100;

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

export type Identity = {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly mode: bigint;
  /** Whether equal stamps prove equal content. */
  readonly isSettled: boolean;
};

type Ruled = { readonly rule: PlaceRule };
export type FileState = Ruled & {
  readonly kind: "file";
  readonly mode: number;
  readonly owner: readonly [uid: number, gid: number];
  readonly identity: Identity;
  /** Undefined: it cannot be read or is too large, so that it is known by its stamps alone. */
  readonly content: KeptContent | undefined;
};
export type LinkState = Ruled & { readonly kind: "link"; readonly target: string };
export type FolderState = {
  readonly kind: "folder";
  /** Undefined for a folder on the way to places: what else is in it, and its mode, is nobody's business. */
  readonly rule: PlaceRule | undefined;
  readonly mode: number;
  readonly entries: ReadonlyMap<string, PlaceState>;
  /** False: it holds more than was looked at. */
  readonly isWhole: boolean;
  /** Names of what was not looked at: others are new. */
  readonly unread?: ReadonlySet<string>;
};
/** A device, socket or FIFO, or what may not be looked at. */
export type OtherState = Ruled & { readonly kind: "other"; readonly identity: Identity };
export type AbsentState = { readonly kind: "absent" };
export type PlaceState = FileState | LinkState | FolderState | OtherState | AbsentState;

export const ABSENT: AbsentState = { kind: "absent" };
export const EMPTY: FolderState = { kind: "folder", rule: undefined, mode: 0, entries: new Map(), isWhole: true };

/** The places of a folder; what has not changed since `known` is taken from there. */
export function lookAtPlaces(
  directory: Directory,
  rules: FolderRules,
  known: FolderState,
  contents: KeptContents,
): FolderState {
  return new Look(rules, contents).ways(directory, [], known, { left: MAX_WAYS });
}

/** One entry, whatever rules say about its parts, as belonging to that rule. */
export function lookAtEntry(
  directory: Directory,
  name: string,
  rule: PlaceRule,
  known: PlaceState,
  contents: KeptContents,
): PlaceState {
  return new Look(undefined, contents).entry(directory, name, [pathTextOf(name)], rule, known, { left: MAX_ENTRIES });
}

type Budget = { left: number };

class Look {
  readonly #rules: FolderRules | undefined;
  #bytesLeft = MAX_LOOK_BYTES;
  readonly #contents: KeptContents;

  constructor(rules: FolderRules | undefined, contents: KeptContents) {
    this.#rules = rules;
    this.#contents = contents;
  }

  /** A folder of which only some entries count. */
  ways(directory: Directory, parts: readonly string[], known: FolderState, budget: Budget): FolderState {
    const entries = new Map<string, PlaceState>();
    for (const name of this.#listed(directory, [...known.entries.keys(), ...(parts.length === 0 ? this.#names : [])])) {
      const here = [...parts, pathTextOf(name)];
      const verdict = this.#rules?.judge(here) ?? { kind: "nothing" };
      if (verdict.kind === "nothing") continue;
      if (verdict.kind === "way" && (budget.left -= 1) < 0) break;
      const before = known.entries.get(name) ?? ABSENT;
      const state =
        verdict.kind === "place"
          ? this.entry(directory, name, here, verdict.rule, before, { left: MAX_ENTRIES })
          : this.#way(directory, name, here, verdict.rule, before, budget);
      if (state.kind !== "absent") entries.set(name, state);
    }
    return { kind: "folder", rule: undefined, mode: 0, entries, isWhole: true };
  }

  get #names(): string[] {
    return (this.#rules?.names ?? []).map((name) => Buffer.from(name).toString("latin1"));
  }

  /** A name on the way to places: a folder is entered; a link would lead programs elsewhere, so it counts itself. */
  #way(
    directory: Directory,
    name: string,
    parts: readonly string[],
    rule: PlaceRule | undefined,
    known: PlaceState,
    budget: Budget,
  ): PlaceState {
    const stat = statOf(directory, name);
    if (stat?.isSymbolicLink() === true) return rule === undefined ? ABSENT : linkAt(directory, name, rule);
    if (stat?.isDirectory() !== true) return ABSENT;
    const inner = entered(directory, name);
    if (inner === undefined) return ABSENT;
    using below = inner;
    const state = this.ways(below, parts, known.kind === "folder" ? known : EMPTY, budget);
    return state.entries.size === 0 ? ABSENT : state;
  }

  entry(
    directory: Directory,
    name: string,
    parts: readonly string[],
    rule: PlaceRule,
    known: PlaceState,
    budget: Budget,
  ): PlaceState {
    if ((budget.left -= 1) < 0) return ABSENT;
    const stat = statOf(directory, name);
    if (stat === undefined) return ABSENT;
    const kind = kindOf(stat);
    if (kind === "symlink") return linkAt(directory, name, rule);
    if (kind === "file") return this.#file(directory, name, rule, known, stat);
    if (kind !== "directory") return { kind: "other", rule, identity: identityOf(stat) };
    const inner = entered(directory, name);
    if (inner === undefined) return { kind: "other", rule, identity: identityOf(stat) };
    using below = inner;
    return this.#tree(below, parts, rule, known.kind === "folder" ? known : EMPTY, budget, modeOf(stat));
  }

  #tree(
    directory: Directory,
    parts: readonly string[],
    rule: PlaceRule,
    known: FolderState,
    budget: Budget,
    mode: number,
  ): FolderState {
    const entries = new Map<string, PlaceState>();
    const listed = this.#listed(directory, [...known.entries.keys()]);
    let isWhole = isListable(directory);
    // What was known first: a flood of new names must not push it out of sight. Files before folders: what programs obey
    // lies near the top. What is new has room of its own, or a folder that is too large would hide it.
    const isKnown = (name: string): boolean => known.entries.has(name);
    const { unread: knownUnread } = known;
    const unread = new Set(listed.filter((name) => knownUnread?.has(name) === true));
    const news = listed.filter((name) => !isKnown(name) && !unread.has(name)).sort();
    const roomForNews = knownUnread === undefined ? budget : { left: MAX_ENTRIES };
    const leaveOut = (name: string): void => {
      isWhole = false;
      // New ones that are too many are still new the next time.
      if (knownUnread === undefined) unread.add(name);
    };
    for (const [group, room] of [[listed.filter(isKnown), budget] as const, [news, roomForNews] as const]) {
      const folders: string[] = [];
      for (const name of group) {
        if (this.#rules?.isOpen([...parts, pathTextOf(name)]) === true) continue;
        if (room.left <= 0) leaveOut(name);
        else if (statOf(directory, name)?.isDirectory() === true) folders.push(name);
        else this.#add(entries, directory, name, [...parts, pathTextOf(name)], rule, known, room);
      }
      for (const name of folders) {
        if (room.left <= 0) leaveOut(name);
        else this.#add(entries, directory, name, [...parts, pathTextOf(name)], rule, known, room);
      }
    }
    if (unread.size > 0) isWhole = false;
    const isListed = isWhole || !isListable(directory);
    isWhole &&= [...entries.values()].every((state) => state.kind !== "folder" || state.isWhole);
    return { kind: "folder", rule, mode, entries, isWhole, ...(isListed ? {} : { unread }) };
  }

  #add(
    entries: Map<string, PlaceState>,
    directory: Directory,
    name: string,
    parts: readonly string[],
    rule: PlaceRule,
    known: FolderState,
    budget: Budget,
  ): void {
    const state = this.entry(directory, name, parts, rule, known.entries.get(name) ?? ABSENT, budget);
    if (state.kind !== "absent") entries.set(name, state);
  }

  #file(directory: Directory, name: string, rule: PlaceRule, known: PlaceState, seen: BigIntStats): PlaceState {
    if (known.kind === "file" && known.rule === rule && isSameIdentity(known.identity, seen)) return known;
    let fd: number;
    try {
      fd = fs.openSync(directory.atBytes(bytesOf(name)), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    } catch (error) {
      if (isExhausted(error)) throw error;
      return errnoOf(error) === "ENOENT" ? ABSENT : fileOf(seen, rule, undefined);
    }
    try {
      const stat = fs.fstatSync(fd, { bigint: true });
      if (!stat.isFile()) return { kind: "other", rule, identity: identityOf(stat) };
      const keep = rule.level === "settle";
      const size = Number(stat.size);
      this.#bytesLeft -= size;
      // By its stamps alone, as one that is too large: everybody waits while a file is read.
      if (this.#bytesLeft < 0) return fileOf(stat, rule, undefined);
      return fileOf(stat, rule, this.#contents.take(fd, size, keep, rule.counts));
    } finally {
      fs.closeSync(fd);
    }
  }

  #listed(directory: Directory, known: readonly string[]): string[] {
    if (!isListable(directory)) return [...new Set(known)];
    try {
      return fs.readdirSync(directory.self, { encoding: "buffer" }).map((name) => name.toString("latin1"));
    } catch (error) {
      if (isExhausted(error)) throw error;
      return [...new Set(known)]; // one may enter it, not list it
    }
  }
}

export function bytesOf(name: string): Buffer {
  return Buffer.from(name, "latin1");
}

/** A path as text that keeps every byte → its bytes as latin1. */
export function latin1Of(path: string): string {
  return bytesOfPath(path).toString("latin1");
}

/** For patterns: text that keeps every byte. */
export function pathTextOf(name: string): string {
  return textOfPath(bytesOf(name));
}

/** For people; what is not UTF-8 shows as such. */
export function textOf(name: string): string {
  return bytesOf(name).toString("utf8");
}

/** The subfolder of that name; undefined when it is none, or none that may be entered. */
export function entered(directory: Directory, name: string): Directory | undefined {
  try {
    return directory.enter(bytesOf(name));
  } catch (error) {
    if (errnoOf(error) === undefined || isExhausted(error)) throw error;
    return undefined;
  }
}

export function statOf(directory: Directory, name: string): BigIntStats | undefined {
  try {
    return fs.lstatSync(directory.atBytes(bytesOf(name)), { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (errnoOf(error) === undefined || isExhausted(error)) throw error;
    return undefined;
  }
}

function linkAt(directory: Directory, name: string, rule: PlaceRule): PlaceState {
  try {
    const target = fs.readlinkSync(directory.atBytes(bytesOf(name)), "buffer").toString("latin1");
    return { kind: "link", rule, target };
  } catch {
    return ABSENT; // gone meanwhile
  }
}

function fileOf(stat: BigIntStats, rule: PlaceRule, content: KeptContent | undefined): FileState {
  const owner = [Number(stat.uid), Number(stat.gid)] as const;
  return { kind: "file", rule, mode: modeOf(stat), owner, identity: identityOf(stat), content };
}

function identityOf(stat: BigIntStats): Identity {
  const { dev, ino, size, mtimeNs, ctimeNs, mode } = stat;
  const isSettled = Date.now() - Number(ctimeNs / 1_000_000n) > UNSETTLED_MS;
  return { dev, ino, size, mtimeNs, ctimeNs, mode, isSettled };
}

/** Whether it is proven that nothing changed. */
export function isSameIdentity(known: Identity, { dev, ino, size, mtimeNs, ctimeNs, mode }: BigIntStats): boolean {
  return (
    known.isSettled &&
    known.ctimeNs === ctimeNs &&
    known.mtimeNs === mtimeNs &&
    known.size === size &&
    known.ino === ino &&
    known.dev === dev &&
    known.mode === mode
  );
}

function modeOf({ mode }: BigIntStats): number {
  return Number(mode) & 0o7777;
}

function isListable(directory: Directory): boolean {
  return fs.fstatSync(directory.fd).size <= MAX_LISTED_BYTES;
}
