// What stood at a path: kept content is named by its hash, and what is not kept says why.

export type EntryType = "file" | "folder" | "link" | "special" | "uncovered";

export type State = {
  readonly type: EntryType;
  /** Permission bits. */
  readonly mode: number;
  readonly size: number;
  /** SHA-256 of the content, or of a link's target; undefined for folders and for what is not kept. */
  readonly blob: string | undefined;
  /** Why the content is not kept. */
  readonly why: string | undefined;
};

/** An entry of the index: a state, and by what it is told from a later one. */
export type Entry = State & {
  readonly ino: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  /** It was looked at so soon after it changed that an equal stamp may not mean equal content. */
  readonly isRecent: boolean;
};

export type Change = {
  readonly path: string;
  readonly before: State | undefined;
  readonly after: State | undefined;
};

export type What = "make" | "modify" | "remove" | "mode" | "type";

/** How surely a change is a call's. */
export type Certainty = "exact" | "window" | "shared" | "outside";

export const PENDING = "not yet kept";

export function sameContent(one: State | undefined, other: State | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (one.type !== other.type) return false;
  if (one.type !== "file" && one.type !== "link") return true;
  // Content that was never hashed: the size is all there is, and the record of later changes.
  if (one.blob === undefined || other.blob === undefined) return one.blob === other.blob && one.size === other.size;
  return one.blob === other.blob;
}

export function sameMode(one: State | undefined, other: State | undefined): boolean {
  // Links have no mode of their own.
  return one === undefined || other === undefined || one.type === "link" || one.mode === other.mode;
}

export function sameState(one: State | undefined, other: State | undefined): boolean {
  return sameContent(one, other) && sameMode(one, other);
}

/** The very same version of a file: then its content is the same, too, whether it is known or not. */
export function isSameVersion(one: Entry | undefined, other: Entry | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return one.type === other.type && one.ino === other.ino && one.ctimeNs === other.ctimeNs && one.size === other.size;
}

export function isKept({ type, blob, why }: State): boolean {
  return type === "folder" ? why === undefined : (type === "file" || type === "link") && blob !== undefined;
}

export function whatOf({ before, after }: Omit<Change, "path">): What {
  if (before === undefined) return "make";
  if (after === undefined) return "remove";
  if (before.type !== after.type) return "type";
  return sameContent(before, after) ? "mode" : "modify";
}
