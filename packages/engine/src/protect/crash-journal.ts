// What protected places held when commands began, on disk while commands run: a server that was killed in the middle
// leaves it behind, and the next one in that folder settles what was left.
import { readProcess } from "@bosun/platform/process-tree";
import fs from "node:fs";
import path from "node:path";
import { compileGlob } from "../scope/glob-pattern.ts";
import { errnoOf } from "../engine-error.ts";
import { isProcess } from "../process/private-files.ts";
import { randomHex } from "../random-hex.ts";
import type { GitFolders, GitIdentity } from "./git-folders.ts";
import type { PlaceRule } from "./settled-places.ts";
import { ABSENT } from "./place-state.ts";
import type { FolderState, Identity, PlaceState } from "./place-state.ts";

const OPEN = "open\n";
const IDLE = "idle\n";
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_JOURNALS = 200;
const { O_RDONLY, O_RDWR, O_NOFOLLOW } = fs.constants;

export type JournalContent = {
  /** Allowed folders, as text. */
  readonly roots: readonly string[];
  /** By folder, in latin1. */
  readonly tops: ReadonlyMap<string, FolderState>;
  readonly git: GitFolders;
  readonly gitFolders: ReadonlySet<string>;
  /** Repositories that commands made. After a crash nobody knows that they are settled: they are looked at as new ones. */
  readonly made: GitFolders;
  /** Of held places, by their paths as text. */
  readonly held: ReadonlyMap<string, PlaceState>;
  /** By what rules the places were found. */
  readonly rules: string;
};

export class Journal {
  readonly folder: string;
  readonly #file: string;
  #fd: number | undefined;
  #isOpen = false;

  private constructor(folder: string) {
    this.folder = folder;
    this.#file = path.join(folder, "journal");
  }

  /** Where copies of contents lie. */
  get copies(): string {
    return path.join(this.folder, "copies");
  }

  /** Undefined when no folder of ours can be written: then nothing survives a crash. */
  static create(stateFolder: string): Journal | undefined {
    try {
      const folder = path.join(stateFolder, "settle", `${process.pid}-${randomHex(4)}`);
      fs.mkdirSync(path.join(folder, "copies"), { recursive: true, mode: 0o700 });
      return new Journal(folder);
    } catch {
      return undefined; // a disk that is full or read-only: what survives no crash still holds while we run
    }
  }

  write(content: JournalContent): void {
    const body = {
      owner: { pid: process.pid, startedAt: startOf(process.pid), realm: ownRealm() },
      roots: content.roots,
      tops: [...content.tops].map(([folder, state]) => [folder, encoded(state)]),
      git: [...content.git],
      gitFolders: [...content.gitFolders],
      made: [...content.made],
      held: [...content.held].map(([place, state]) => [place, encodedEntry(state) ?? null]),
      rules: content.rules,
    };
    const temporary = `${this.#file}.new`;
    fs.writeFileSync(temporary, `${this.#isOpen ? OPEN : IDLE}${JSON.stringify(body)}`, { mode: 0o600 });
    fs.renameSync(temporary, this.#file);
    this.#close();
    this.#fd = fs.openSync(this.#file, O_RDWR | O_NOFOLLOW);
  }

  /** Commands may be changing things from now on, or are not any more. */
  mark(isOpen: boolean): void {
    if (this.#isOpen === isOpen) return;
    this.#isOpen = isOpen;
    if (this.#fd !== undefined) fs.writeSync(this.#fd, isOpen ? OPEN : IDLE, 0);
  }

  remove(): void {
    this.#close();
    fs.rmSync(this.folder, { recursive: true, force: true });
  }

  #close(): void {
    if (this.#fd !== undefined) fs.closeSync(this.#fd);
    this.#fd = undefined;
  }
}

export type LeftJournal = JournalContent & { readonly folder: string; readonly wasOpen: boolean };

/** Journals of servers that are gone, and that nobody is settling. Those that cannot be read are given with nothing in them. */
export function leftJournals(stateFolder: string): LeftJournal[] {
  return namesIn(stateFolder).flatMap((name): LeftJournal[] => {
    const folder = path.join(stateFolder, "settle", name);
    const text = textOf(path.join(folder, "journal"));
    const claim = CLAIM.exec(name);
    if (claim !== null && isClaimAlive(claim)) return [];
    const pid = Number(/^(\d+)-/.exec(name)?.[1] ?? 0);
    const isInUse = claim === null && isProcess(pid);
    const content = text === undefined ? undefined : parsed(text.slice(OPEN.length));
    if (text === undefined || content === undefined) return isInUse ? [] : [{ ...NOTHING, folder }];
    if (isAlive(content.owner)) return [];
    return [{ ...content, folder, wasOpen: text.startsWith(OPEN) }];
  });
}

/** The name says who settles it: it comes with the rename, so that there is no moment in which nobody is named. */
const CLAIM = /^claimed-(\d+)-(\d*)-([0-9a-f]{16})-[0-9a-f]+$/;

/** Takes a journal for settling; gives where it lies now, undefined when another server was quicker. */
export function claimJournal(folder: string): string | undefined {
  const { pid } = process;
  const name = `claimed-${pid}-${startOf(pid)}-${realmDigest()}-${randomHex(4)}`;
  const claimed = path.join(path.dirname(folder), name);
  try {
    fs.renameSync(folder, claimed);
    return claimed;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Roots of journals that other servers are settling just now. */
export function claimedRoots(stateFolder: string): (readonly string[])[] {
  const isOthers = (name: string): boolean => {
    const claim = CLAIM.exec(name);
    return claim !== null && claim[1] !== String(process.pid) && isClaimAlive(claim);
  };
  return namesIn(stateFolder)
    .filter(isOthers)
    .flatMap((name) => {
      const text = textOf(path.join(stateFolder, "settle", name, "journal"));
      const content = text === undefined ? undefined : parsed(text.slice(OPEN.length));
      return content === undefined ? [] : [content.roots];
    });
}

export type OpenJournal = JournalContent & { readonly copies: string };

/** Of other servers that run and whose commands may be changing things. */
export function openJournals(stateFolder: string): OpenJournal[] {
  const isOthers = (name: string): boolean => !CLAIM.test(name) && !name.startsWith(`${process.pid}-`);
  return namesIn(stateFolder)
    .filter(isOthers)
    .flatMap((name) => {
      const folder = path.join(stateFolder, "settle", name);
      const text = textOf(path.join(folder, "journal"), OPEN);
      const content = text === undefined ? undefined : parsed(text.slice(OPEN.length));
      return content === undefined || !isAlive(content.owner)
        ? []
        : [{ ...content, copies: path.join(folder, "copies") }];
    });
}

function namesIn(stateFolder: string): string[] {
  try {
    return fs.readdirSync(path.join(stateFolder, "settle")).slice(0, MAX_JOURNALS);
  } catch {
    return []; // no server has ever run a command here
  }
}

function isClaimAlive([, pid = "", startedAt = "", realm]: RegExpExecArray): boolean {
  return realm === realmDigest() && isProcess(Number(pid)) && startOf(Number(pid)) === startedAt;
}

function realmDigest(): string {
  return new Bun.CryptoHasher("sha256").update(ownRealm()).digest("hex").slice(0, 16);
}

const NOTHING: Omit<LeftJournal, "folder"> = {
  roots: [],
  tops: new Map<string, FolderState>(),
  git: new Map(),
  gitFolders: new Set<string>(),
  made: new Map(),
  held: new Map(),
  rules: "",
  wasOpen: false,
};

type Owner = { readonly pid: number; readonly startedAt: string; readonly realm: string };

function isAlive({ pid, startedAt, realm }: Owner): boolean {
  // The numbers of another start of the machine, or of a container that is gone, say nothing.
  return realm === ownRealm() && isProcess(pid) && startOf(pid) === startedAt;
}

/** When the process began: its number may be another's by now. */
function startOf(pid: number): string {
  return readProcess(pid)?.started ?? "";
}

function ownRealm(): string {
  try {
    const boot = fs.readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    return `${boot} ${fs.readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return ""; // no /proc: then numbers alone tell processes apart
  }
}

/** Undefined also when it does not begin like that. */
function textOf(file: string, start = ""): string | undefined {
  try {
    const fd = fs.openSync(file, O_RDONLY | O_NOFOLLOW);
    try {
      const first = Buffer.alloc(start.length);
      fs.readSync(fd, first, 0, first.length, 0);
      if (first.toString("latin1") !== start) return undefined;
      return fs.fstatSync(fd).size > MAX_BYTES ? undefined : fs.readFileSync(fd, "utf8");
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return undefined; // it went meanwhile, or is no file of ours
  }
}

type Encoded =
  | {
      readonly f: string | null;
      readonly m: number;
      readonly o: readonly [number, number];
      readonly b: number;
      readonly c?: string | undefined;
    }
  | { readonly l: string }
  | {
      readonly d: readonly (readonly [string, Encoded])[];
      readonly m: number;
      readonly p: boolean;
      readonly w: boolean;
    }
  | { readonly x: true };

function encoded(state: FolderState): Encoded {
  const entries = [...state.entries].flatMap(([name, one]) => {
    const known = encodedEntry(one);
    return known === undefined ? [] : [[name, known] as const];
  });
  return { d: entries, m: state.mode, p: state.rule !== undefined, w: state.isWhole };
}

/** Undefined for nothing, and for notes, which are not worth a journal. */
function encodedEntry(one: PlaceState): Encoded | undefined {
  if (one.kind === "absent" || one.rule?.level === "note") return undefined;
  if (one.kind === "folder") return encoded(one);
  if (one.kind === "link") return { l: one.target };
  if (one.kind === "other") return { x: true };
  return {
    f: one.content?.sha256 ?? null,
    m: one.mode,
    o: one.owner,
    b: one.content?.bytes ?? 0,
    c: one.content?.counted,
  };
}

const LEFT_RULE: PlaceRule = { level: "settle", why: "a program of the person obeys it", pattern: compileGlob("**") };
const NO_IDENTITY: Identity = {
  dev: 0n,
  ino: 0n,
  size: 0n,
  mtimeNs: 0n,
  ctimeNs: 0n,
  mode: 0n,
  isSettled: false,
};

function decoded(value: Encoded): PlaceState {
  const rule = LEFT_RULE;
  if ("l" in value) return { kind: "link", rule, target: value.l };
  if ("x" in value) return { kind: "other", rule, identity: NO_IDENTITY };
  if ("d" in value) {
    const entries = new Map(value.d.map(([name, inner]) => [name, decoded(inner)]));
    return { kind: "folder", rule: value.p ? rule : undefined, mode: value.m, entries, isWhole: value.w };
  }
  const counted = value.c === undefined ? {} : { counted: value.c };
  const content = value.f === null ? undefined : { sha256: value.f, bytes: value.b, ...counted };
  return { kind: "file", rule, mode: value.m, owner: value.o, identity: NO_IDENTITY, content };
}

/** The file is ours alone, and still what is not as we write it counts for nothing. */
function parsed(text: string): (JournalContent & { readonly owner: Owner }) | undefined {
  try {
    const body = JSON.parse(text) as {
      owner: Owner;
      roots: string[];
      tops: [string, Encoded][];
      git: [string, GitIdentity][];
      gitFolders: string[];
      // Not in those of earlier versions.
      made?: [string, GitIdentity][];
      held?: [string, Encoded | null][];
      rules?: string;
    };
    const tops = new Map(
      body.tops.flatMap(([folder, value]) => {
        const state = decoded(value);
        return state.kind === "folder" ? [[folder, state] as const] : [];
      }),
    );
    const [git, made] = [new Map(body.git), new Map(body.made)];
    const held = new Map((body.held ?? []).map(([place, value]) => [place, value === null ? ABSENT : decoded(value)]));
    const { owner, roots, rules = "" } = body;
    return { owner, roots, tops, git, gitFolders: new Set(body.gitFolders), made, held, rules };
  } catch {
    return undefined; // cut off, or not ours
  }
}
