// Text of a server's lists and greeting, as a person or a model may read it. In what is only read, hidden characters are
// spelled out. What a call must use as it is (names, addresses, values of a schema) cannot be written differently: an
// item with something hidden in that is left out, with the reason.
import { isObject } from "@bosun/mcp/server";
import type { Json, JsonObject } from "@bosun/mcp/server";
import { isExactNumber, parseExactly } from "@bosun/platform/json";
import { editMembers } from "../messages/message-json.ts";

/** Far above the longest that servers in use have. */
const MAX_CHARS = 20_000;
const MAX_DEPTH = 64;
/** Controls, and characters that are not seen or change the order of what is: enough to know that a look is needed. */
const NOT_PLAIN = /[^\n\t\x20-\x7e]/;

/** Where a value stands says what may be done with its texts. */
type TextUse =
  /** In a definition or a schema: the key says what it is. */
  | "keywords"
  /** Its keys are names that the server gave, its values are schemas. */
  | "names"
  /** All of it is used as it is: sent in a call, or compared with what is sent. */
  | "used"
  /** All of it is only read. */
  | "read";

const USE_BY_KEY: ReadonlyMap<string, TextUse> = new Map([
  ...words("properties patternProperties $defs definitions dependentSchemas dependentRequired", "names"),
  ...words("name uri uriTemplate url src mimeType", "used"),
  ...words("type format pattern enum const default required contentEncoding contentMediaType", "used"),
  ...words("$ref $id $schema $anchor $dynamicRef $dynamicAnchor", "used"),
  ...words("examples _meta", "read"),
]);

/** What is used of an item in these lists, and where its name is nothing but a label. */
const LISTS: { readonly [method: string]: { member: string; labels: readonly string[] } } = {
  "prompts/list": { member: "prompts", labels: [] },
  "resources/list": { member: "resources", labels: ["name"] },
  "resources/templates/list": { member: "resourceTemplates", labels: ["name"] },
};

type Options<Item> = {
  /** Members of an item that are only read, whatever they are elsewhere. */
  labels?: readonly string[];
  /** Hears of what cannot be shown as it is, and why. */
  leftOut?: (item: Item, why: string) => void;
};

/** The very same objects where nothing hid in them. */
export async function revealHiddenText<Item extends object>(
  items: readonly Item[],
  { labels = [], leftOut }: Options<Item> = {},
): Promise<Item[]> {
  if (!items.some((item) => mayHide(item, 0))) return [...items];
  const { revealed } = await import("@bosun/policy");
  const { screenSafe } = await import("@bosun/platform/safe-text");
  return items.flatMap((item) => {
    if (!mayHide(item, 0)) return [item];
    try {
      return [new Revealer(screenSafe, revealed).item(item, labels)];
    } catch (error) {
      // The item is left out, the list goes on.
      if (!(error instanceof NotUsable)) throw error;
      leftOut?.(item, error.message);
      return [];
    }
  });
}

/** The result of a list of prompts, resources or templates; the same text when nothing hid in it. */
export async function revealInList(
  method: string,
  result: string,
  leftOut: (name: string, why: string) => void,
): Promise<string> {
  const list = LISTS[method];
  const given = list && (parseExactly(result) as JsonObject)[list.member];
  if (!list || !Array.isArray(given)) return result;
  const items = given.filter(isObject);
  const shown = await revealHiddenText(items, {
    labels: list.labels,
    leftOut: ({ name, uri, uriTemplate }, why) => leftOut(String(uri ?? uriTemplate ?? name), why),
  });
  if (shown.length === given.length && shown.every((item, at) => item === given[at])) return result;
  return editMembers(result, [], { [list.member]: shown as Json[] }).text;
}

/** What a server wants the model to know, in a greeting. The same text when nothing was hidden. */
export async function revealInGreeting(greeting: string): Promise<string> {
  const { instructions } = JSON.parse(greeting) as { instructions?: unknown };
  if (typeof instructions !== "string" || !mayHideText(instructions)) return greeting;
  const { screenSafe } = await import("@bosun/platform/safe-text");
  return editMembers(greeting, [], { instructions: screenSafe(instructions, { maxChars: MAX_CHARS }) }).text;
}

class NotUsable extends Error {}

class Revealer {
  private readonly safe: (text: string, options?: { maxChars?: number }) => string;
  private readonly revealed: (text: string) => string;

  constructor(safe: Revealer["safe"], revealed: Revealer["revealed"]) {
    this.safe = safe;
    this.revealed = revealed;
  }

  item<Item extends object>(item: Item, labels: readonly string[]): Item {
    const members = Object.entries(item).map(([key, own]: [string, unknown]): [string, unknown] => {
      const use = labels.includes(key) ? "read" : useOf(key);
      return [this.used(key, "a member of it"), this.value(own, use, [key])];
    });
    return Object.fromEntries(members) as Item;
  }

  private value(value: unknown, use: TextUse, path: readonly string[]): unknown {
    if (path.length > MAX_DEPTH) throw new NotUsable(`it is nested deeper than ${MAX_DEPTH} levels`);
    if (typeof value === "string") return this.text(value, use, path);
    if (typeof value !== "object" || value === null || isExactNumber(value)) return value;
    if (Array.isArray(value))
      return value.map((item: unknown) => this.value(item, useInList(use, item), [...path, "[]"]));
    const members = Object.entries(value).map(([key, own]: [string, unknown]): [string, unknown] => [
      use === "read" ? this.safe(key) : this.used(key, `a name in ${path.join(".")}`),
      this.value(own, useWithin(use, key, own), [...path, key]),
    ]);
    return Object.fromEntries(members);
  }

  private text(text: string, use: TextUse, path: readonly string[]): string {
    return use === "used" ? this.used(text, path.join(".")) : this.safe(text, { maxChars: MAX_CHARS });
  }

  /** Line ends are values too: both kinds are seen for what they are. */
  private used(text: string, where: string): string {
    const lines = text.replaceAll("\r", "");
    if (this.safe(lines) === lines) return text;
    throw new NotUsable(
      `${this.revealed(where)} holds characters that are not seen: ${this.revealed(text).slice(0, 200)}`,
    );
  }
}

function useOf(key: string): TextUse {
  return USE_BY_KEY.get(key) ?? "keywords";
}

function useWithin(use: TextUse, key: string, own: unknown): TextUse {
  if (use === "keywords") return useOf(key);
  if (use !== "names") return use;
  // A list of names is what another keyword requires.
  return isObject(own as Json) ? "keywords" : "used";
}

function useInList(use: TextUse, item: unknown): TextUse {
  return use === "names" && typeof item === "object" ? "keywords" : use;
}

function mayHide(value: unknown, depth: number): boolean {
  if (typeof value === "string") return mayHideText(value);
  if (typeof value !== "object" || value === null) return false;
  if (depth > MAX_DEPTH) return true;
  if (Array.isArray(value)) return value.some((item) => mayHide(item, depth + 1));
  return Object.entries(value).some(([key, own]) => mayHideText(key) || mayHide(own, depth + 1));
}

function mayHideText(text: string): boolean {
  return text.length > MAX_CHARS || NOT_PLAIN.test(text);
}

function words(text: string, use: TextUse): [string, TextUse][] {
  return text.split(" ").map((word) => [word, use]);
}
