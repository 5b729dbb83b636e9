// One file's change as git writes it, so that `git apply -R` takes it back. Bytes as Latin-1 text: nothing is lost, whatever
// the encoding of the file.
import { diffLines } from "./diff-lines.ts";
import type { Hunk } from "./diff-lines.ts";
import { megabytes } from "./entry-reader.ts";
import { LIMITS } from "./settings.ts";
import type { State } from "./states.ts";
import { encodePath } from "./tree-path.ts";
import type { TreePath } from "./tree-path.ts";

const CONTEXT = 3;
const SNIFFED_BYTES = 8000;
const NO_NEWLINE = "\\ No newline at end of file\n";

export type Side = { readonly state: State; readonly bytes: Buffer | undefined };
export type LineCounts = { readonly added: number; readonly removed: number; readonly isBinary: boolean };

/** Latin-1 text; "" when there is nothing that a diff can show. */
export function fileDiff(path: TreePath, before: Side | undefined, after: Side | undefined): string {
  if (isFolder(before) && isFolder(after)) return note(path, `mode ${octal(before)} → ${octal(after)}`);
  // git knows a change of kind as a removal and a new file.
  const isOtherKind = before !== undefined && after !== undefined && before.state.type !== after.state.type;
  if (isOtherKind) return fileDiff(path, before, undefined) + fileDiff(path, undefined, after);
  if (isFolder(before) || isFolder(after)) return note(path, before === undefined ? "folder made" : "folder removed");
  const names = [quoted("a/", path), quoted("b/", path)];
  let text = `diff --git ${names.join(" ")}\n`;
  if (before === undefined) text += `new file mode ${gitMode(after)}\n`;
  else if (after === undefined) text += `deleted file mode ${gitMode(before)}\n`;
  else if (gitMode(before) !== gitMode(after)) text += `old mode ${gitMode(before)}\nnew mode ${gitMode(after)}\n`;
  const body = bodyOf(before, after);
  if (body === "") return text;
  if (!body.startsWith("@@")) return text + body.replace("%", () => `${names[0]} and ${names[1]}`);
  return `${text}--- ${before === undefined ? "/dev/null" : names[0]}\n+++ ${after === undefined ? "/dev/null" : names[1]}\n${body}`;
}

export function countLines(before: Side | undefined, after: Side | undefined): LineCounts {
  const [left, right] = [textOf(before), textOf(after)];
  if (left === undefined || right === undefined) return { added: 0, removed: 0, isBinary: true };
  let [added, removed] = [0, 0];
  for (const { beforeFrom, beforeTo, afterFrom, afterTo } of diffLines(linesOf(left), linesOf(right))) {
    added += afterTo - afterFrom;
    removed += beforeTo - beforeFrom;
  }
  return { added, removed, isBinary: false };
}

export function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, SNIFFED_BYTES).includes(0);
}

/** A name as git quotes it: nothing in it acts on a screen, and git reads it back. */
export function quoted(prefix: string, path: TreePath): string {
  const bytes = encodePath(path);
  let text = prefix;
  let isPlain = true;
  for (const byte of bytes) {
    if (byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c) text += String.fromCharCode(byte);
    else {
      isPlain = false;
      text +=
        byte === 0x22 || byte === 0x5c ? `\\${String.fromCharCode(byte)}` : `\\${byte.toString(8).padStart(3, "0")}`;
    }
  }
  return isPlain ? text : `"${text}"`;
}

function bodyOf(before: Side | undefined, after: Side | undefined): string {
  const size = Math.max(before?.state.size ?? 0, after?.state.size ?? 0);
  const isSame = before?.state.blob !== undefined && before.state.blob === after?.state.blob;
  if (isSame) return "";
  if ((before !== undefined && before.bytes === undefined) || (after !== undefined && after.bytes === undefined))
    return `Content of % was not kept (${before?.state.why ?? after?.state.why ?? "evicted"})\n`;
  const [left, right] = [textOf(before), textOf(after)];
  if (left === undefined || right === undefined) return `Binary files % differ\n`;
  if (size > LIMITS.diffOfFile) return `(diff left out: ${megabytes(size)}) %\n`;
  return hunksText(linesOf(left), linesOf(right));
}

function hunksText(before: readonly string[], after: readonly string[]): string {
  const groups: Hunk[][] = [];
  for (const hunk of diffLines(before, after)) {
    const last = groups.at(-1)?.at(-1);
    if (last !== undefined && hunk.beforeFrom - last.beforeTo <= 2 * CONTEXT) groups.at(-1)?.push(hunk);
    else groups.push([hunk]);
  }
  return groups.map((group) => groupText(group, before, after)).join("");
}

function groupText(group: readonly Hunk[], before: readonly string[], after: readonly string[]): string {
  const [first, last] = [group[0], group.at(-1)];
  if (first === undefined || last === undefined) return "";
  const lead = Math.min(CONTEXT, first.beforeFrom);
  const trail = Math.min(CONTEXT, before.length - last.beforeTo);
  const from = first.beforeFrom - lead;
  const lines: string[] = [];
  let at = from;
  for (const { beforeFrom, beforeTo, afterFrom, afterTo } of group) {
    for (; at < beforeFrom; at += 1) lines.push(shown(" ", before[at]));
    for (; at < beforeTo; at += 1) lines.push(shown("-", before[at]));
    for (let added = afterFrom; added < afterTo; added += 1) lines.push(shown("+", after[added]));
  }
  for (; at < last.beforeTo + trail; at += 1) lines.push(shown(" ", before[at]));
  const beforeCount = last.beforeTo + trail - from;
  const afterFrom = first.afterFrom - lead;
  const afterCount = last.afterTo + trail - afterFrom;
  return `@@ -${range(from, beforeCount)} +${range(afterFrom, afterCount)} @@\n${lines.join("")}`;
}

function range(from: number, count: number): string {
  const start = count === 0 ? from : from + 1;
  return count === 1 ? String(start) : `${start},${count}`;
}

function shown(mark: string, line = ""): string {
  return line.endsWith("\n") ? mark + line : `${mark}${line}\n${NO_NEWLINE}`;
}

/** Undefined: not text. */
function textOf(side: Side | undefined): string | undefined {
  if (side === undefined) return "";
  if (side.bytes === undefined || isBinary(side.bytes)) return undefined;
  return side.bytes.toString("latin1");
}

/** Each with its line end. */
function linesOf(text: string): string[] {
  const lines = text.split("\n").map((line) => `${line}\n`);
  const last = lines.pop()?.slice(0, -1) ?? "";
  return last === "" ? lines : [...lines, last];
}

function isFolder(side: Side | undefined): side is Side {
  return side !== undefined && side.state.type !== "file" && side.state.type !== "link";
}

function note(path: TreePath, text: string): string {
  return `# ${quoted("", path)}: ${text}\n`;
}

function octal({ state }: Side): string {
  return state.mode.toString(8);
}

function gitMode(side: Side | undefined): string {
  if (side?.state.type === "link") return "120000";
  return ((side?.state.mode ?? 0) & 0o100) === 0 ? "100644" : "100755";
}
