// The question about places that a command changed: every change shown whole, one answer for each. What is too long to be
// read is not asked about: then the answer is no, not a blind yes.
import { diffOf, makeScreenSafe, screenSafe } from "@bosun/platform/safe-text";
import type { PlaceState, SettledChange } from "@bosun/engine";
import { elicitForm, isObject } from "@bosun/mcp/server";
import type { JsonObject, Question } from "@bosun/mcp/server";

const MAX_PLACES = 10;
const MAX_CHARS = 100_000;
const MAX_LINES = 5000;
const KEEP = "keep the change";
const PUT_BACK = "leave it as it was";

export type ReadContent = (state: PlaceState) => Buffer | undefined;

/** Undefined when it cannot be shown as a whole. */
export function settleQuestion(changes: readonly SettledChange[], read: ReadContent): Question | undefined {
  if (changes.length > MAX_PLACES) return undefined;
  const shown = changes.map((change, index) => {
    const text = changeText(change.before, change.after, read);
    return text && [`${index + 1}. ${oneLine(change.shown)} (${change.why})`, ...text];
  });
  const lines = shown.flatMap((one) => one ?? []);
  if (shown.includes(undefined) || isTooLong(lines)) return undefined;
  const message = [
    "A command changed what programs outside the sandbox obey. It was put back as it was. Keep the change?",
    ...lines,
  ].join("\n");
  return elicitForm(message, formFor(changes));
}

/** Those that the person wants kept. Anything but a clear yes is a no. */
export function keptChanges(
  answer: JsonObject | undefined,
  changes: readonly SettledChange[],
): readonly SettledChange[] {
  if (answer?.["action"] !== "accept" || !isObject(answer["content"])) return [];
  const content = answer["content"];
  return changes.filter((_, index) => content[`place${index + 1}`] === KEEP);
}

function formFor(changes: readonly SettledChange[]): JsonObject {
  const names = changes.map((_, index) => `place${index + 1}`);
  const properties: JsonObject = {};
  for (const [index, name] of names.entries())
    properties[name] = { type: "string", title: oneLine(changes[index]?.shown ?? name), enum: [KEEP, PUT_BACK] };
  return { type: "object", properties, required: names };
}

/** What changed between two states of a place, as lines for a person; undefined when some of it cannot be shown. */
export function changeText(before: PlaceState, after: PlaceState, read: ReadContent): string[] | undefined {
  if (before.kind === "file" && after.kind === "file") {
    const mode =
      before.mode === after.mode ? [] : [`   mode ${before.mode.toString(8)} becomes ${after.mode.toString(8)}`];
    if (before.content?.sha256 === after.content?.sha256 && before.content !== undefined) return mode;
    const [was, is] = [read(before), read(after)];
    if (was === undefined || is === undefined) return undefined;
    return [...mode, ...contentText(was, is)];
  }
  const lost = before.kind === "absent" ? [] : describe(before, "-", read);
  const new_ = after.kind === "absent" ? ["   it was deleted"] : describe(after, "+", read);
  return lost === undefined || new_ === undefined ? undefined : [...lost, ...new_];
}

function describe(state: PlaceState, mark: "+" | "-", read: ReadContent): string[] | undefined {
  if (state.kind === "link")
    return [`   ${mark}a link to ${oneLine(Buffer.from(state.target, "latin1").toString("utf8"))}`];
  if (state.kind === "file") {
    const content = read(state);
    if (content === undefined) return undefined;
    const mode = (state.mode & 0o111) === 0 ? [] : [`   ${mark}executable`];
    return [...mode, ...(mark === "+" ? contentText(Buffer.alloc(0), content) : contentText(content, Buffer.alloc(0)))];
  }
  if (state.kind !== "folder" || !state.isWhole) return undefined;
  const lines: string[] = [`   ${mark}a folder`];
  for (const [name, inner] of state.entries) {
    const text = describe(inner, mark, read);
    if (text === undefined || isTooLong(lines)) return undefined;
    lines.push(`   ${mark}${oneLine(Buffer.from(name, "latin1").toString("utf8"))}:`, ...text);
  }
  return lines;
}

export function contentText(before: Buffer, after: Buffer): string[] {
  if (isBinary(before) || isBinary(after)) return [`   -${binaryText(before)}`, `   +${binaryText(after)}`];
  return diffOf(before.toString("utf8"), after.toString("utf8"))
    .split("\n")
    .map((line) => `   ${makeScreenSafe(line, { oneLine: true }).text}`);
}

function binaryText(content: Buffer): string {
  if (content.length === 0) return "nothing";
  return `${content.length} bytes, SHA-256 ${new Bun.CryptoHasher("sha256").update(content).digest("hex")}`;
}

function isBinary(content: Buffer): boolean {
  return content.includes(0);
}

export function isTooLong(lines: readonly string[]): boolean {
  return lines.length > MAX_LINES || lines.reduce((sum, line) => sum + line.length, 0) > MAX_CHARS;
}

function oneLine(text: string): string {
  return screenSafe(text, { oneLine: true, maxChars: 500 });
}
