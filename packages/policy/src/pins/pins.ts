// Tool definitions by hash: the *set* a server offered when a person agreed to it, and what is different now.
import { canonicalJson, isObject, parseExactly } from "@bosun/platform/json";
import { sha256 } from "@bosun/platform/hash";
import { classOf, MARK, VISIBLE, escapeOf } from "@bosun/platform/safe-text";
import { BosunError } from "@bosun/platform/errors";
import { openStateFile, stateFileIn } from "@bosun/platform/private-files";

/** A tool as `tools/list` gave it. */
export type ToolDefinition = { readonly name: string } & Readonly<Record<string, unknown>>;

/** What was accepted: name → the definition's canonical text. */
export type PinnedSet = { readonly at: string; readonly tools: Readonly<Record<string, string>> };

export type PinChange =
  | { readonly kind: "added"; readonly name: string; readonly now: string }
  | { readonly kind: "removed"; readonly name: string; readonly before: string }
  | { readonly kind: "changed"; readonly name: string; readonly before: string; readonly now: string }
  | { readonly kind: "renamed"; readonly name: string; readonly from: string; readonly now: string }
  /** One list, one name twice: nobody can say which one would be called. */
  | { readonly kind: "doubled"; readonly name: string }
  /** It is still listed, in a way in which it cannot be offered. */
  | { readonly kind: "unusable"; readonly name: string; readonly why: string };

export type PinReport =
  | { readonly kind: "new" } // never seen: nothing to compare with
  | { readonly kind: "same" }
  | { readonly kind: "different"; readonly since: string; readonly changes: readonly PinChange[] };

const MAX_TOOLS = 5000;
const MAX_DEFINITION_CHARS = 256 * 1024;

/** SHA-256 over everything the model would see of a tool, whatever the order of its members. */
export function definitionHash(tool: ToolDefinition): string {
  return sha256(definitionText(tool));
}

/** SHA-256 over a whole list, in whatever order: what was shown is what is accepted. */
export function listHash(tools: readonly ToolDefinition[]): string {
  return sha256(canonicalJson(textsOf(tools)));
}

export type Pins = {
  /** Compares without accepting. `unusable` are listed as well, but cannot be offered: they are not gone. */
  check(server: string, tools: readonly ToolDefinition[], unusable?: ReadonlyMap<string, string>): PinReport;
  /** When this set was agreed to, or first seen. */
  since(server: string): string | undefined;
  /** A person looked at it: from now on this is the set. */
  accept(server: string, tools: readonly ToolDefinition[], now: Date): void;
  /** The tools that are as accepted: what may be offered while a change waits. */
  unchanged(server: string, tools: readonly ToolDefinition[]): readonly ToolDefinition[];
  forget(server: string): void;
};

export function openPins(stateFolder: string): Pins {
  const store = openStateFile<Readonly<Record<string, PinnedSet>>>(
    stateFileIn(stateFolder, "pins.json"),
    {},
    parseSets,
  );
  const pinnedFor = (server: string): PinnedSet | undefined =>
    Object.hasOwn(store.value, server) ? store.value[server] : undefined;
  return {
    since: (server) => pinnedFor(server)?.at,
    check(server, tools, unusable = new Map()) {
      const pinned = pinnedFor(server);
      const doubled = doubledNames(tools);
      if (pinned === undefined) {
        return doubled.length === 0 ? { kind: "new" } : { kind: "different", since: "", changes: doubled };
      }
      const changes = [...doubled, ...comparePins(pinned.tools, textsOf(tools), unusable)];
      return changes.length === 0 ? { kind: "same" } : { kind: "different", since: pinned.at, changes };
    },
    accept(server, tools, now) {
      if (doubledNames(tools).length > 0)
        throw new BosunError("STORE", "a list with the same name twice cannot be accepted");
      const set: PinnedSet = { at: now.toISOString(), tools: textsOf(tools) };
      store.update((sets) => ({ ...sets, [server]: set }));
    },
    unchanged(server, tools) {
      const pinned = pinnedFor(server)?.tools ?? {};
      const doubled = new Set(doubledNames(tools).map(({ name }) => name));
      return tools.filter(
        (tool) =>
          !doubled.has(tool.name) && Object.hasOwn(pinned, tool.name) && pinned[tool.name] === definitionText(tool),
      );
    },
    forget(server) {
      store.update((sets) => Object.fromEntries(Object.entries(sets).filter(([one]) => one !== server)));
    },
  };
}

export function comparePins(
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
  unusable: ReadonlyMap<string, string> = new Map(),
): PinChange[] {
  const absent = Object.entries(before).filter(([name]) => !Object.hasOwn(now, name));
  const removed = absent.filter(([name]) => !unusable.has(name));
  const added = Object.entries(now).filter(([name]) => !Object.hasOwn(before, name));
  const changes: PinChange[] = [];
  const renamedFrom = new Set<string>();
  for (const [name, text] of added) {
    const old = removed.find(([from, was]) => !renamedFrom.has(from) && withoutName(was) === withoutName(text));
    if (old === undefined) changes.push({ kind: "added", name, now: text });
    else {
      renamedFrom.add(old[0]);
      changes.push({ kind: "renamed", name, from: old[0], now: text });
    }
  }
  for (const [name, text] of removed) if (!renamedFrom.has(name)) changes.push({ kind: "removed", name, before: text });
  for (const [name] of absent) {
    const why = unusable.get(name);
    if (why !== undefined) changes.push({ kind: "unusable", name, why });
  }
  for (const [name, text] of Object.entries(now)) {
    const was = Object.hasOwn(before, name) ? before[name] : undefined;
    if (was !== undefined && was !== text) changes.push({ kind: "changed", name, before: was, now: text });
  }
  return changes;
}

/** Text in which nothing hides: every character that acts or is unseen is written as an escape, line ends too. */
export function revealed(text: string): string {
  let result = "";
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    const kind = classOf(point);
    result += point >= 0x20 && (kind === VISIBLE || kind === MARK) ? character : escapeOf(point);
  }
  return result;
}

function definitionText(tool: ToolDefinition): string {
  // _meta is transport data that may differ per request; everything else can reach a model.
  const { _meta: _, ...shown } = tool;
  const text = canonicalJson(shown);
  if (text.length > MAX_DEFINITION_CHARS)
    throw new BosunError("LIMIT", `the definition of ${tool.name.slice(0, 100)} is too large`);
  return text;
}

function textsOf(tools: readonly ToolDefinition[]): Record<string, string> {
  if (tools.length > MAX_TOOLS)
    throw new BosunError("LIMIT", `a server with more than ${MAX_TOOLS} tools is not taken`);
  return Object.fromEntries(tools.map((tool) => [tool.name, definitionText(tool)]));
}

function doubledNames(tools: readonly ToolDefinition[]): Extract<PinChange, { kind: "doubled" }>[] {
  const seen = new Set<string>();
  const doubled = new Set<string>();
  for (const { name } of tools) (seen.has(name) ? doubled : seen).add(name);
  return [...doubled].map((name) => ({ kind: "doubled", name }));
}

function withoutName(text: string): string {
  const value = parseExactly(text);
  if (!isObject(value)) return text;
  const { name: _, ...rest } = value;
  return canonicalJson(rest);
}

function parseSets(value: unknown): Readonly<Record<string, PinnedSet>> | undefined {
  if (!isObject(value)) return undefined;
  const sets: [string, PinnedSet][] = [];
  for (const [server, set] of Object.entries(value)) {
    if (!isObject(set) || typeof set["at"] !== "string" || !isObject(set["tools"])) return undefined;
    const tools = Object.entries(set["tools"]);
    if (!tools.every((entry): entry is [string, string] => typeof entry[1] === "string")) return undefined;
    sets.push([server, { at: set["at"], tools: Object.fromEntries(tools) }]);
  }
  return Object.fromEntries(sets);
}
