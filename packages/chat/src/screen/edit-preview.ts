// A call that edits a file, as the change it makes: the lines that go and the lines that come. Where the call does not fit
// what is known of editing tools, or its change could not be seen in lines, there is no preview and the arguments stand as
// they are.
import { diffOf } from "@bosun/platform/safe-text";
import type { JsonObject } from "@bosun/mcp";

export type EditPreview = {
  /** As `diffOf` writes them. */
  lines: string[];
  /** Arguments that the lines do not show. */
  rest: JsonObject;
};

/** The text of a file that the call names; undefined where it cannot be had. */
export type ReadFile = (file: string) => string | undefined;

const FILE_KEYS = ["path", "file_path", "file", "filename", "filePath"];
const WHOLE_KEYS = ["file_text", "content", "contents"];
const PAIR_KEYS: readonly (readonly [before: string, after: string])[] = [
  ["old_str", "new_str"],
  ["old_string", "new_string"],
  ["old_text", "new_text"],
  ["oldText", "newText"],
  ["oldString", "newString"],
];

type Replacement = { before: string; after: string };

export function editPreview(args: JsonObject, readFile: ReadFile): EditPreview | undefined {
  const file = FILE_KEYS.map((key) => args[key]).find((value) => typeof value === "string");
  if (typeof file !== "string") return undefined;
  const replaced = replacementsIn(args);
  if (replaced !== undefined) {
    const lines = replaced.all.flatMap((one) => replacementLines(one, readFile(file)) ?? []);
    return lines.length < replaced.all.length ? undefined : { lines, rest: without(args, replaced.keys) };
  }
  const key = WHOLE_KEYS.find((one) => typeof args[one] === "string");
  const text = key === undefined ? undefined : args[key];
  if (key === undefined || typeof text !== "string") return undefined;
  const lines = changedLines({ before: readFile(file) ?? "", after: text });
  return lines === undefined ? undefined : { lines, rest: without(args, [key]) };
}

function replacementsIn(args: JsonObject): { all: Replacement[]; keys: string[] } | undefined {
  const { edits } = args;
  if (Array.isArray(edits) && edits.length > 0) {
    const all = edits.map((edit) => replacementIn(edit)?.replacement);
    return all.every((one) => one !== undefined) ? { all, keys: ["edits"] } : undefined;
  }
  const one = replacementIn(args);
  return one === undefined ? undefined : { all: [one.replacement], keys: one.keys };
}

function replacementIn(edit: unknown): { replacement: Replacement; keys: string[] } | undefined {
  if (typeof edit !== "object" || edit === null) return undefined;
  const members = new Map<string, unknown>(Object.entries(edit));
  for (const [beforeKey, afterKey] of PAIR_KEYS) {
    const before = members.get(beforeKey);
    const after = members.get(afterKey) ?? "";
    if (typeof before === "string" && typeof after === "string")
      return { replacement: { before, after }, keys: [beforeKey, afterKey] };
  }
  return undefined;
}

// In its file a change is shown with the lines around it; where the old text does not stand there exactly once, alone.
function replacementLines({ before, after }: Replacement, text: string | undefined): string[] | undefined {
  const at = text === undefined || before === "" ? -1 : text.indexOf(before);
  if (text === undefined || at < 0 || text.includes(before, at + 1)) return changedLines({ before, after });
  return changedLines({ before: text, after: text.slice(0, at) + after + text.slice(at + before.length) });
}

// A diff of lines says nothing of carriage returns or of a missing last line break: such a change is not shown as one.
function changedLines({ before, after }: Replacement): string[] | undefined {
  if (before.includes("\r") || after.includes("\r")) return undefined;
  const diff = diffOf(before, after);
  const lines = diff === "" ? [] : diff.split("\n");
  if (before !== "" && after !== "" && before.endsWith("\n") !== after.endsWith("\n"))
    lines.push(after.endsWith("\n") ? "  (a line break at the end comes)" : "  (the line break at the end goes)");
  return lines.length === 0 ? undefined : lines;
}

function without(args: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([key]) => !keys.includes(key)));
}
