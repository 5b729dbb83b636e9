// What changed, as a diff, a list or JSON lines.
import { shownPath } from "./label.ts";
import { netChanges, sidesOf } from "./net-changes.ts";
import type { Chosen } from "./net-changes.ts";
import { LIMITS } from "./settings.ts";
import { whatOf } from "./states.ts";
import type { Change } from "./states.ts";
import { changeJson } from "./step-json.ts";
import type { UndoStore } from "./store.ts";
import { countLines, fileDiff } from "./unified-diff.ts";

const SIGN = { make: "+", remove: "-", modify: "~", mode: "~", type: "~" } as const;

/** Pieces of one diff, byte for byte what `git apply -R` takes. */
export function* changesDiff(store: UndoStore, chosen: Chosen): Generator<Buffer> {
  let written = 0;
  const left: Change[] = [];
  for (const change of netChanges(store.records, chosen)) {
    if (written > LIMITS.diffInAll) {
      left.push(change);
      continue;
    }
    const piece = Buffer.from(fileDiff(change.path, ...sidesOf(store, change)).replaceAll("→", "->"), "latin1");
    written += piece.length;
    yield piece;
  }
  if (left.length > 0) yield Buffer.from(`# (diff left out: ${left.length} more files)\n`);
}

export function changesStat(store: UndoStore, chosen: Chosen): string[] {
  const changes = netChanges(store.records, chosen);
  const lines = changes.map((change) => {
    const { path, before, after } = change;
    const isFolder = before?.type === "folder" || after?.type === "folder";
    const slash = isFolder ? "/" : "";
    if (isFolder || whatOf(change) === "mode") {
      const mode =
        before === undefined || after === undefined
          ? ""
          : ` (mode ${before.mode.toString(8)} → ${after.mode.toString(8)})`;
      return `${SIGN[whatOf(change)]} ${shownPath(path)}${slash}${mode}`;
    }
    const { added, removed, isBinary } = countLines(...sidesOf(store, change));
    return `${SIGN[whatOf(change)]} ${shownPath(path)} (${isBinary ? "binary" : `+${added} -${removed}`})`;
  });
  return [...lines, `${changes.length} path${changes.length === 1 ? "" : "s"} changed.`];
}

/** The diff of one step alone. */
export function stepDiff(store: UndoStore, step: number): Buffer {
  const pieces = store.records.changesOf(step).map((change) => fileDiff(change.path, ...sidesOf(store, change)));
  return Buffer.from(pieces.join("").replaceAll("→", "->"), "latin1");
}

/** One object a line. */
export function* changesJson(store: UndoStore, chosen: Chosen): Generator<string> {
  for (const change of netChanges(store.records, chosen)) {
    const shown = { ...change, step: 0, what: whatOf(change), isUndone: false, from: undefined };
    yield JSON.stringify({ v: 1, tree: store.root, ...changeJson(store, shown) });
  }
}
