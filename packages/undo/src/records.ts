// Rows of the store ↔ what they mean: steps, changes, index entries, windows.
import type { Database } from "bun:sqlite";
import type { Certainty, Change, Entry, EntryType, State, What } from "./states.ts";
import { whatOf } from "./states.ts";
import { decodePath, encodePath } from "./tree-path.ts";
import type { TreePath } from "./tree-path.ts";

export type StepKind = "call" | "undo" | "redo";
export type StepState = "done" | "undone" | "running";
export type NotCovered = { readonly path: TreePath; readonly why: string };

export type Step = {
  readonly n: number;
  readonly timeMs: number;
  readonly session: string;
  readonly calls: readonly string[];
  readonly tool: string;
  readonly label: string;
  readonly kind: StepKind;
  readonly certainty: Certainty;
  readonly state: StepState;
  /** Why something of it is missing. */
  readonly partial: string | undefined;
  readonly undoes: readonly number[];
  readonly notCovered: readonly NotCovered[];
  readonly owner: string;
};

export type StepChange = Change & { readonly step: number; readonly what: What; readonly isUndone: boolean };
export type WindowKind = "exact" | "command" | "task" | "terminal";

/** The time in which a call may have written. */
export type Window = {
  readonly id: number;
  readonly session: string;
  readonly call: string;
  readonly tool: string;
  readonly label: string;
  readonly kind: WindowKind;
  readonly owner: string;
  readonly fromNs: bigint;
  readonly toNs: bigint | undefined;
};

type Row = Record<string, unknown>;

export class Records {
  readonly #database: Database;
  /** How often this process has written the index: SQLite tells of other processes only. */
  entryWrites = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  addStep(step: Omit<Step, "n">, changes: readonly Change[]): number {
    const { n } = this.#database
      .query(
        `INSERT INTO step(t, session, calls, tool, label, kind, certainty, state, partial, undoes, not_covered, owner)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING n`,
      )
      .get(
        step.timeMs,
        step.session,
        JSON.stringify(step.calls),
        step.tool,
        step.label,
        step.kind,
        step.certainty,
        step.state,
        step.partial ?? null,
        JSON.stringify(step.undoes),
        JSON.stringify(step.notCovered),
        step.owner,
      ) as { n: bigint };
    for (const change of changes) this.#addChange(n, change);
    return Number(n);
  }

  #addChange(step: bigint, change: Change): void {
    this.#database
      .query(
        `INSERT OR REPLACE INTO change(step, path, what, b_type, b_mode, b_blob, b_size, b_why, a_type, a_mode, a_blob,
         a_size, a_why) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        step,
        encodePath(change.path),
        whatOf(change),
        ...(stateColumns(change.before) as [null]),
        ...(stateColumns(change.after) as [null]),
      );
  }

  /** Oldest first. */
  steps(): Step[] {
    return (this.#database.query("SELECT * FROM step ORDER BY n").all() as Row[]).map(stepOf);
  }

  step(n: number): Step | undefined {
    const row = this.#database.query("SELECT * FROM step WHERE n = ?").get(n) as Row | null;
    return row === null ? undefined : stepOf(row);
  }

  changesOf(step: number): StepChange[] {
    return (this.#database.query("SELECT * FROM change WHERE step = ? ORDER BY path").all(step) as Row[]).map(changeOf);
  }

  changesAt(path: TreePath): StepChange[] {
    return (
      this.#database.query("SELECT * FROM change WHERE path = ? ORDER BY step").all(encodePath(path)) as Row[]
    ).map(changeOf);
  }

  setState(n: number, state: StepState): void {
    this.#database.query("UPDATE step SET state = ? WHERE n = ?").run(state, n);
  }

  setUndone(step: number, path: TreePath, isUndone: boolean): void {
    this.#database
      .query("UPDATE change SET undone = ? WHERE step = ? AND path = ?")
      .run(isUndone ? 1 : 0, step, encodePath(path));
  }

  dropChange(step: number, path: TreePath): void {
    this.#database.query("DELETE FROM change WHERE step = ? AND path = ?").run(step, encodePath(path));
  }

  entries(): Map<TreePath, Entry> {
    const found = new Map<TreePath, Entry>();
    for (const row of this.#database.query("SELECT * FROM entry").iterate() as Iterable<Row>)
      found.set(decodePath(row["path"] as Uint8Array), entryOf(row));
    return found;
  }

  entry(path: TreePath): Entry | undefined {
    const row = this.#database.query("SELECT * FROM entry WHERE path = ?").get(encodePath(path)) as Row | null;
    return row === null ? undefined : entryOf(row);
  }

  putEntry(path: TreePath, entry: Entry | undefined): void {
    const bytes = encodePath(path);
    this.entryWrites += 1;
    if (entry === undefined) {
      this.#database.query("DELETE FROM entry WHERE path = ?").run(bytes);
      return;
    }
    this.#database
      .query("INSERT OR REPLACE INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .run(
        bytes,
        entry.type,
        entry.ino,
        entry.size,
        entry.mode,
        entry.mtimeNs,
        entry.ctimeNs,
        entry.blob ?? null,
        entry.why ?? null,
        entry.isRecent ? 1 : 0,
      );
  }

  openWindow(window: Omit<Window, "id" | "toNs">): number {
    const { id } = this.#database
      .query(
        `INSERT INTO window(session, call, tool, label, kind, owner, from_ns) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id`,
      )
      .get(window.session, window.call, window.tool, window.label, window.kind, window.owner, window.fromNs) as {
      id: bigint;
    };
    return Number(id);
  }

  closeWindow(id: number, toNs: bigint): void {
    this.#database.query("UPDATE window SET to_ns = ? WHERE id = ? AND to_ns IS NULL").run(toNs, id);
  }

  dropWindow(id: number): void {
    this.#database.query("DELETE FROM window WHERE id = ?").run(id);
  }

  /** Oldest first. */
  windows(): Window[] {
    return (this.#database.query("SELECT * FROM window ORDER BY id").all() as Row[]).map(windowOf);
  }

  meta(key: string): string | undefined {
    const row = this.#database.query("SELECT value FROM meta WHERE key = ?").get(key) as { value: string } | null;
    return row?.value;
  }

  setMeta(key: string, value: string): void {
    this.#database.query("INSERT OR REPLACE INTO meta VALUES (?, ?)").run(key, value);
  }
}

export function stepOf(row: Row): Step {
  return {
    n: Number(row["n"]),
    timeMs: Number(row["t"]),
    session: String(row["session"]),
    calls: JSON.parse(String(row["calls"])) as string[],
    tool: String(row["tool"]),
    label: String(row["label"]),
    kind: row["kind"] as StepKind,
    certainty: row["certainty"] as Certainty,
    state: row["state"] as StepState,
    partial: (row["partial"] as string | null) ?? undefined,
    undoes: JSON.parse(String(row["undoes"])) as number[],
    notCovered: JSON.parse(String(row["not_covered"])) as NotCovered[],
    owner: String(row["owner"]),
  };
}

export function changeOf(row: Row): StepChange {
  return {
    step: Number(row["step"]),
    path: decodePath(row["path"] as Uint8Array),
    what: row["what"] as What,
    before: stateOf(row, "b_"),
    after: stateOf(row, "a_"),
    isUndone: row["undone"] === 1n,
  };
}

function stateOf(row: Row, prefix: string): State | undefined {
  const type = row[`${prefix}type`] as EntryType | null;
  if (type === null) return undefined;
  return {
    type,
    mode: Number(row[`${prefix}mode`]),
    size: Number(row[`${prefix}size`]),
    blob: (row[`${prefix}blob`] as string | null) ?? undefined,
    why: (row[`${prefix}why`] as string | null) ?? undefined,
  };
}

function stateColumns(state: State | undefined): unknown[] {
  if (state === undefined) return [null, null, null, null, null];
  return [state.type, state.mode, state.blob ?? null, state.size, state.why ?? null];
}

function entryOf(row: Row): Entry {
  return {
    type: row["type"] as EntryType,
    ino: row["ino"] as bigint,
    size: Number(row["size"]),
    mode: Number(row["mode"]),
    mtimeNs: row["mtime"] as bigint,
    ctimeNs: row["ctime"] as bigint,
    blob: (row["blob"] as string | null) ?? undefined,
    why: (row["why"] as string | null) ?? undefined,
    isRecent: row["recent"] === 1n,
  };
}

function windowOf(row: Row): Window {
  return {
    id: Number(row["id"]),
    session: String(row["session"]),
    call: String(row["call"]),
    tool: String(row["tool"]),
    label: String(row["label"]),
    kind: row["kind"] as WindowKind,
    owner: String(row["owner"]),
    fromNs: row["from_ns"] as bigint,
    toNs: (row["to_ns"] as bigint | null) ?? undefined,
  };
}
