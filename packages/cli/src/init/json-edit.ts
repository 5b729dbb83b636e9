// Edits of JSON text that change what they name and nothing else: comments, order, indentation and line ends stay.
import { memberOf, readJsonTree } from "@bosun/platform/json";
import type { JsonTree } from "@bosun/platform/json";

const INLINE_CHARS = 100;

/** Comments and trailing commas are allowed, as editors allow them. Throws JsonError. */
export function readEditable(text: string): JsonTree {
  return readJsonTree(text, { comments: true });
}

/** Sets what is at `path`, making the objects on the way. Throws when something on the way is no object. */
export function setMember(text: string, path: readonly string[], value: unknown): string {
  const style = styleOf(text);
  let node = readEditable(text);
  for (const [depth, key] of path.entries()) {
    if (node.kind !== "object") throw new Error(`${path.slice(0, depth).join(".") || "the file"} is not an object`);
    const member = memberOf(node, key);
    if (member === undefined) {
      const wrapped = path.slice(depth + 1).reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
      return insertMember(text, node, key, wrapped, style, depth);
    }
    node = member.value;
  }
  const indent = indentAt(text, node.start);
  return spliced(text, node.start, node.end, formatted(value, indent, style));
}

/** Takes the member at `path` out; a text without it comes back as it is. */
export function removeMember(text: string, path: readonly string[]): string {
  let node: JsonTree | undefined = readEditable(text);
  for (const key of path.slice(0, -1)) node = memberOf(node, key)?.value;
  const member = memberOf(node, path.at(-1) ?? "");
  if (node?.kind !== "object" || member === undefined) return text;
  const place = node.members.indexOf(member);
  const before = node.members[place - 1];
  const start = startOfRemoval(text, member.start);
  if (member.comma !== undefined && before === undefined && node.members.length > 1) {
    const inline = start === member.start;
    return spliced(text, start, inline ? skipSpaces(text, member.comma + 1) : member.comma + 1, "");
  }
  const end = member.comma === undefined ? member.value.end : member.comma + 1;
  // A last member takes the comma before it along, unless it had one itself: that one was the writer's style.
  const takesComma = member.comma === undefined && before?.comma !== undefined;
  const without = spliced(
    text,
    start === member.start && before !== undefined ? skipSpacesBack(text, start) : start,
    end,
    "",
  );
  const result = takesComma ? spliced(without, before.comma, before.comma + 1, "") : without;
  return node.members.length === 1 ? closedUp(result, node.start) : result;
}

/** Puts items in front of those of the array at `path`. */
export function prependItems(text: string, path: readonly string[], items: readonly string[]): string {
  const node = find(text, path);
  if (node?.kind !== "array") throw new Error(`${path.join(".")} is not a list`);
  const words = items.map((item) => JSON.stringify(item));
  const [first] = node.items;
  if (first === undefined) return spliced(text, node.start + 1, node.start + 1, words.join(", "));
  const lineIndent = indentIfFirst(text, first.start);
  const between = lineIndent === undefined ? ", " : `,${styleOf(text).eol}${lineIndent}`;
  return spliced(text, first.start, first.start, words.map((word) => word + between).join(""));
}

/** The inverse of `prependItems`. */
export function dropItems(text: string, path: readonly string[], count: number): string {
  const node = find(text, path);
  const [first, next, last] = node?.kind === "array" ? [node.items[0], node.items[count], node.items.at(-1)] : [];
  if (first === undefined || last === undefined) return text;
  return spliced(text, first.start, next?.start ?? last.end, "");
}

function find(text: string, path: readonly string[]): JsonTree | undefined {
  let node: JsonTree | undefined = readEditable(text);
  for (const key of path) node = memberOf(node, key)?.value;
  return node;
}

type Style = { readonly unit: string; readonly eol: string };

/** What one step of indentation is, and how lines end. */
function styleOf(text: string): Style {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const unit = /^(?:\ufeff)?\s*\{[^]*?\n([ \t]+)"/.exec(text)?.[1] ?? "  ";
  return { unit, eol };
}

function insertMember(
  text: string,
  node: JsonTree & { kind: "object" },
  key: string,
  value: unknown,
  style: Style,
  depth: number,
): string {
  const last = node.members.at(-1);
  const lineIndent = last === undefined ? undefined : indentIfFirst(text, last.start);
  if (last !== undefined && lineIndent === undefined) {
    // All on one line: so is the new one.
    const entry = `${JSON.stringify(key)}: ${JSON.stringify(value)}`;
    if (last.comma !== undefined) return spliced(text, last.comma + 1, last.comma + 1, ` ${entry},`);
    return spliced(text, last.value.end, last.value.end, `, ${entry}`);
  }
  const indent = lineIndent ?? (depth === 0 ? style.unit : indentAt(text, node.start) + style.unit);
  const entry = `${style.eol}${indent}${JSON.stringify(key)}: ${formatted(value, indent, style)}`;
  if (last === undefined) {
    const outer = indent.slice(0, Math.max(0, indent.length - style.unit.length));
    const isBare = text.slice(node.start + 1, node.end - 1).trim() === "";
    if (isBare) return spliced(text, node.start + 1, node.end - 1, `${entry}${style.eol}${outer}`);
    return spliced(text, node.contentEnd, node.contentEnd, entry);
  }
  const added = spliced(text, node.contentEnd, node.contentEnd, last.comma === undefined ? entry : `${entry},`);
  return last.comma === undefined ? spliced(added, last.value.end, last.value.end, ",") : added;
}

function formatted(value: unknown, indent: string, style: Style): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inline = spaced(value);
  const isFlat = Array.isArray(value) && value.every((item) => typeof item !== "object");
  if ((isFlat && inline.length <= INLINE_CHARS) || Object.keys(value).length === 0) return inline;
  const inner = indent + style.unit;
  const lines = Array.isArray(value)
    ? value.map((item) => formatted(item, inner, style))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${formatted(item, inner, style)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return `${open}${style.eol}${lines.map((line) => inner + line).join(`,${style.eol}`)}${style.eol}${indent}${close}`;
}

function spaced(value: object): string {
  if (Array.isArray(value)) return `[${value.map((item) => JSON.stringify(item)).join(", ")}]`;
  return JSON.stringify(value);
}

/** The white space before `at`, when nothing else is on its line before it. */
function indentIfFirst(text: string, at: number): string | undefined {
  const before = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^[ \t]*$/.test(before) && text.lastIndexOf("\n", at - 1) >= 0 ? before : undefined;
}

function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^[ \t]*/.exec(line.replace(/^\ufeff/, ""))?.[0] ?? "";
}

/** From the end of the line above, when the member begins its own line. */
function startOfRemoval(text: string, at: number): number {
  if (indentIfFirst(text, at) === undefined) return at;
  const lineFeed = text.lastIndexOf("\n", at - 1);
  return text[lineFeed - 1] === "\r" ? lineFeed - 1 : lineFeed;
}

function skipSpaces(text: string, at: number): number {
  return at + (/^[ \t]*/.exec(text.slice(at))?.[0].length ?? 0);
}

function skipSpacesBack(text: string, at: number): number {
  return at - (/[ \t]*$/.exec(text.slice(0, at))?.[0].length ?? 0);
}

/** `{` white space `}` → `{}`. */
function closedUp(text: string, open: number): string {
  const [found = ""] = /^\{\s*\}/.exec(text.slice(open)) ?? [];
  return found === "" ? text : spliced(text, open, open + found.length, "{}");
}

function spliced(text: string, start: number, end: number, by: string): string {
  return text.slice(0, start) + by + text.slice(end);
}
