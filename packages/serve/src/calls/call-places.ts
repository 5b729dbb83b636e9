// The places of one call: each path of its acts is resolved once, and the open place is what the rules judge, what the
// question shows and what the tool uses. Nothing else leads a tool from a text to a file.
import fs from "node:fs";
import path from "node:path";
import {
  EngineError,
  PinnedDirectory,
  parseWorkspacePath,
  refuseReadOnly,
  resolveInScope,
  unchangedPlace,
} from "@bosun/engine";
import type { Scope, ScopedPath, Session } from "@bosun/engine";
import { judgePath } from "@bosun/policy";
import type { CallPath } from "@bosun/policy";
import type { ServerState } from "../server/server-state.ts";
import type { Surface } from "../config/config.ts";
import { Refusal } from "./refusal.ts";
import type { Acts } from "./tool-definition.ts";
import type { PolicyGate } from "../approvals/policy-gate.ts";

/** What a tool gets of them. They are the call's: it closes them. */
export type Places = {
  /** The place of that path of the tool's acts, by its position there. */
  place(index?: number): ScopedPath;
  /** A real path that turned up in a file of the call. Throws unless the boundary and the rules allow it without a question. */
  admit(real: string, access: "read" | "write"): void;
  /** Where the command of the tool's acts runs, and what is there when the caller named it. */
  directory(): WorkingDirectory;
};

export type WorkingDirectory = { readonly path: string; readonly place: ScopedPath | undefined };

type Owner = {
  readonly surface: Surface;
  readonly state: ServerState;
  readonly session: Session;
  readonly gate: PolicyGate;
};

/** A path that a call would write: as it was written, made absolute, and where it really leads. */
export type WrittenPath = { readonly written: string; readonly real: string; readonly isMovedOrDeleted: boolean };

export class CallPlaces implements Places, Disposable {
  readonly #owner: Owner;
  readonly #acts: Acts;
  /** Where relative paths start; fixed with the call, whatever becomes of the session's directory. */
  readonly #base: string;
  readonly #places: (ScopedPath | undefined)[] = [];
  #named: ScopedPath | undefined;
  /** While a person is asked: the directory the command would run in. */
  #held: PinnedDirectory | undefined;

  constructor(owner: Owner, acts: Acts) {
    this.#owner = owner;
    this.#acts = acts;
    this.#base = owner.surface === "coding" ? owner.session.cwd : owner.state.config.workdir;
  }

  place(index = 0): ScopedPath {
    const place = this.#resolved(index);
    if (this.#path(index).access === "write") refuseReadOnly(place);
    return place;
  }

  admit(real: string, access: "read" | "write"): void {
    const { gate } = this.#owner;
    using place = resolveInScope(this.#scope, real, { writing: access === "write" });
    const decision = judgePath(gate.policy, place.path, access);
    if (decision === undefined || decision.verdict === "allow") return;
    const { settingsFile } = gate;
    const after = "Only the paths that a call names are asked about.";
    throw new Refusal("denied", decision, decision.verdict === "deny" ? { settingsFile } : { settingsFile, after });
  }

  directory(): WorkingDirectory {
    const { cwd } = this.#acts;
    if (cwd !== undefined) {
      const place = this.#namedDirectory(cwd);
      return { path: place.path, place };
    }
    const { surface, session } = this.#owner;
    // A command that ran meanwhile may have moved the session elsewhere.
    if (surface === "coding" && session.cwd !== this.#base) throw directoryChanged(this.#base);
    return { path: this.#base, place: undefined };
  }

  /** For the rules: where each path really leads. Throws what the tool would meet, when it leads nowhere. */
  judgedPaths(): readonly CallPath[] {
    return (this.#acts.paths ?? []).map(({ requested, access }, index) => {
      const place = this.#resolved(index);
      const { path: real } = place;
      const isLed = path.posix.resolve(this.#base, this.#text(requested)) !== real;
      return { path: real, access, seen: seenAt(place), ...(isLed ? { requested } : {}) };
    });
  }

  /** What a file tool would write, by both of its names. What cannot be resolved the tool itself refuses. */
  written(): readonly WrittenPath[] {
    return (this.#acts.paths ?? []).flatMap(({ requested, access, follow = true }, index) => {
      if (access !== "write") return [];
      const written = path.posix.resolve(this.#base, requested);
      return [{ written, real: this.#realPathOr(written, index), isMovedOrDeleted: !follow }];
    });
  }

  /** For the rules: where a command would run. */
  judgedDirectory(): string {
    const { cwd } = this.#acts;
    // The session's own may lie outside the file scope (`cd /tmp`): it is where it is.
    return cwd === undefined ? this.#base : this.#namedDirectory(cwd).path;
  }

  /** For the answer: which directory stands there now. */
  directorySeen(): string {
    const { cwd } = this.#acts;
    if (cwd !== undefined) return seen(this.#namedDirectory(cwd).entry?.stat);
    return seen(this.#statOfOwn());
  }

  /** Where a command would run, as a path among those of the call; undefined when it runs none. */
  commandDirectory(): CallPath | undefined {
    if (!this.#runsCommand) return undefined;
    const { cwd: requested = "." } = this.#acts;
    const real = this.judgedDirectory();
    // A session that went elsewhere says nothing about it in its calls.
    const isLed = path.posix.resolve(this.#owner.state.config.workdir, this.#text(requested)) !== real;
    return { path: real, access: "read", seen: this.directorySeen(), ...(isLed ? { requested } : {}) };
  }

  /** Before a person is asked: what could not be done anyway is refused, and what they are asked about is held. */
  hold(): void {
    for (const [index] of (this.#acts.paths ?? []).entries()) this.place(index);
    this.#held = this.#openOwn();
  }

  /** After the answer: everything must still be where it was when it was judged. Throws CHANGED_ON_DISK. */
  confirm(): void {
    for (const [index, place] of this.#places.entries()) {
      if (place !== undefined) this.#places[index] = replaced(place);
    }
    if (this.#named !== undefined) this.#named = replaced(this.#named);
    // What was not there when it was judged is left to whoever starts the command: the session then leaves it.
    using now = this.#held === undefined ? this.#openOwn() : undefined;
    if (now !== undefined || this.#held?.isInPlace() === false) throw directoryChanged(this.#base);
  }

  [Symbol.dispose](): void {
    for (const place of this.#places) place?.[Symbol.dispose]();
    this.#named?.[Symbol.dispose]();
    this.#held?.[Symbol.dispose]();
    this.#places.length = 0;
    this.#named = undefined;
    this.#held = undefined;
  }

  get #runsCommand(): boolean {
    return this.#acts.command !== undefined || this.#acts.argv !== undefined;
  }

  /** The directory of the session or the server that a command would run in, if it runs in that. */
  #openOwn(): PinnedDirectory | undefined {
    const outside = this.#runsCommand && this.#acts.cwd === undefined ? this.#ownOutside() : undefined;
    return outside === undefined ? undefined : PinnedDirectory.open(outside);
  }

  #statOfOwn(): fs.BigIntStats | undefined {
    try {
      const outside = this.#ownOutside();
      return outside === undefined ? undefined : fs.statSync(outside, STAT);
    } catch {
      return undefined; // whoever starts the command says what is wrong with it
    }
  }

  #ownOutside(): string | undefined {
    const { state, session } = this.#owner;
    // Before the first command the sandbox may not be built yet; the working directory lies inside as outside.
    return this.#base === state.config.workdir ? this.#base : session.outside(this.#base);
  }

  #resolved(index: number): ScopedPath {
    const { requested, follow } = this.#path(index);
    return (this.#places[index] ??= this.#resolve(requested, follow ?? true));
  }

  #realPathOr(written: string, index: number): string {
    try {
      return this.#resolved(index).path;
    } catch (error) {
      if (error instanceof EngineError) return written;
      throw error;
    }
  }

  #namedDirectory(cwd: string): ScopedPath {
    return (this.#named ??= this.#resolve(cwd, true));
  }

  #resolve(requested: string, follow: boolean): ScopedPath {
    return resolveInScope(this.#scope, this.#text(requested), { base: this.#base, follow });
  }

  #path(index: number): NonNullable<Acts["paths"]>[number] {
    const named = this.#acts.paths?.[index];
    if (named === undefined) throw new Error(`the tool's acts name no path ${index}`);
    return named;
  }

  #text(requested: string): string {
    return this.#owner.surface === "workspace" ? parseWorkspacePath(requested).walk : requested;
  }

  get #scope(): Scope {
    const { surface, state } = this.#owner;
    return surface === "workspace" ? state.workspace : state.scope;
  }
}

const STAT = { bigint: true } as const;

function seen(stat: fs.BigIntStats | undefined): string {
  return stat === undefined ? "nothing" : `${stat.dev}:${stat.ino}`;
}

/** What is there, and in which folder; folders that are yet to be made may be made by others meanwhile. */
function seenAt({ entry, parent, missingParents }: ScopedPath): string {
  const folder = missingParents.length === 0 ? seen(fs.fstatSync(parent.fd, STAT)) : "none yet";
  return `${seen(entry?.stat)} in ${folder}`;
}

function replaced(place: ScopedPath): ScopedPath {
  using before = place;
  return unchangedPlace(before);
}

function directoryChanged(directory: string): EngineError {
  const message = `the working directory ${directory} was moved, left or replaced while the question was open; nothing was run`;
  return new EngineError("CHANGED_ON_DISK", message, { path: directory });
}
