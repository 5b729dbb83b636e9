// Text of a server's lists and greeting, as a person or a model may read it. What is only read is shown with nothing
// hidden in it. What a call must use as it is (names, addresses, values of a schema) cannot be written differently: an
// item with something hidden in that is left out, with the reason.
import { isObject } from "@bosun/mcp/server";
import type { Json, JsonObject } from "@bosun/mcp/server";
import { isExactNumber, parseExactly } from "@bosun/mcp/relay";
import { rebuilt } from "./rebuilt.ts";

/** Far above the longest that servers in use have. */
const MAX_CHARS = 20_000;
const MAX_DEPTH = 64;
/** Controls, and characters that are not seen or change the order of what is: enough to know that a look is needed. */
const DOUBTFUL = /[^\n\t\x20-\x7e]/;

/** Where a value stands says what may be done with its texts. */
type Place =
  /** In a definition or a schema: the key says what it is. */
  | "keywords"
  /** Its keys are names that the server gave, its values are schemas. */
  | "names"
  /** All of it is used as it is: sent in a call, or compared with what is sent. */
  | "used"
  /** All of it is only read. */
  | "read";

const PLACES: ReadonlyMap<string, Place> = new Map([
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
export async function withNothingHidden<Item extends object>(
  items: readonly Item[],
  { labels = [], leftOut }: Options<Item> = {},
): Promise<Item[]> {
  if (!items.some((item) => isDoubtful(item, 0))) return [...items];
  const { revealed } = await import("@bosun/policy");
  const { screenSafe } = await import("@bosun/platform/safe-text");
  return items.flatMap((item) => {
    if (!isDoubtful(item, 0)) return [item];
    try {
      return [new Reading(screenSafe, revealed).item(item, labels)];
    } catch (error) {
      if (!(error instanceof Unfit)) throw error;
      leftOut?.(item, error.message);
      return [];
    }
  });
}

/** The result of a list of prompts, resources or templates; the same text when nothing hid in it. */
export async function listWithNothingHidden(
  method: string,
  result: string,
  leftOut: (name: string, why: string) => void,
): Promise<string> {
  const list = LISTS[method];
  const given = list && (parseExactly(result) as JsonObject)[list.member];
  if (!list || !Array.isArray(given)) return result;
  const items = given.filter(isObject);
  const shown = await withNothingHidden(items, {
    labels: list.labels,
    leftOut: ({ name, uri, uriTemplate }, why) => leftOut(String(uri ?? uriTemplate ?? name), why),
  });
  if (shown.length === given.length && shown.every((item, at) => item === given[at])) return result;
  return rebuilt(result, [], { [list.member]: shown as Json[] }).text;
}

/** What a server wants the model to know, in a greeting. The same text when nothing was hidden. */
export async function greetingWithNothingHidden(greeting: string): Promise<string> {
  const { instructions } = JSON.parse(greeting) as { instructions?: unknown };
  if (typeof instructions !== "string" || !isDoubtfulText(instructions)) return greeting;
  const { screenSafe } = await import("@bosun/platform/safe-text");
  return rebuilt(greeting, [], { instructions: screenSafe(instructions, { maxChars: MAX_CHARS }) }).text;
}

class Unfit extends Error {}

class Reading {
  private readonly safe: (text: string, options?: { maxChars?: number }) => string;
  private readonly revealed: (text: string) => string;

  constructor(safe: Reading["safe"], revealed: Reading["revealed"]) {
    this.safe = safe;
    this.revealed = revealed;
  }

  item<Item extends object>(item: Item, labels: readonly string[]): Item {
    const members = Object.entries(item).map(([key, own]: [string, unknown]): [string, unknown] => {
      const place = labels.includes(key) ? "read" : placeOf(key);
      return [this.used(key, "a member of it"), this.value(own, place, [key])];
    });
    return Object.fromEntries(members) as Item;
  }

  private value(value: unknown, place: Place, path: readonly string[]): unknown {
    if (path.length > MAX_DEPTH) throw new Unfit(`it is nested deeper than ${MAX_DEPTH} levels`);
    if (typeof value === "string") return this.text(value, place, path);
    if (typeof value !== "object" || value === null || isExactNumber(value)) return value;
    if (Array.isArray(value))
      return value.map((item: unknown) => this.value(item, inList(place, item), [...path, "[]"]));
    const members = Object.entries(value).map(([key, own]: [string, unknown]): [string, unknown] => [
      place === "read" ? this.safe(key) : this.used(key, `a name in ${path.join(".")}`),
      this.value(own, within(place, key, own), [...path, key]),
    ]);
    return Object.fromEntries(members);
  }

  private text(text: string, place: Place, path: readonly string[]): string {
    return place === "used" ? this.used(text, path.join(".")) : this.safe(text, { maxChars: MAX_CHARS });
  }

  /** Line ends are values too: both kinds are seen for what they are. */
  private used(text: string, where: string): string {
    const lines = text.replaceAll("\r", "");
    if (this.safe(lines) === lines) return text;
    throw new Unfit(`${this.revealed(where)} holds characters that are not seen: ${this.revealed(text).slice(0, 200)}`);
  }
}

function placeOf(key: string): Place {
  return PLACES.get(key) ?? "keywords";
}

function within(place: Place, key: string, own: unknown): Place {
  if (place === "keywords") return placeOf(key);
  if (place !== "names") return place;
  // A list of names is what another keyword requires.
  return isObject(own as Json) ? "keywords" : "used";
}

function inList(place: Place, item: unknown): Place {
  return place === "names" && typeof item === "object" ? "keywords" : place;
}

function isDoubtful(value: unknown, depth: number): boolean {
  if (typeof value === "string") return isDoubtfulText(value);
  if (typeof value !== "object" || value === null) return false;
  if (depth > MAX_DEPTH) return true;
  if (Array.isArray(value)) return value.some((item) => isDoubtful(item, depth + 1));
  return Object.entries(value).some(([key, own]) => isDoubtfulText(key) || isDoubtful(own, depth + 1));
}

function isDoubtfulText(text: string): boolean {
  return text.length > MAX_CHARS || DOUBTFUL.test(text);
}

function words(text: string, place: Place): [string, Place][] {
  return text.split(" ").map((word) => [word, place]);
}
