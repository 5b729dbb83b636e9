// Two names per tool: people see `alias.tool`, the model sees a name that every known server takes.
import { createHash } from "node:crypto";
import { editDistance } from "@bosun/platform/flags";

const LONGEST = 63;
const HASH_CHARS = 7;
const WIRE = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/;
const ALIAS = /^[a-z][a-z0-9_-]{0,23}$/;

export type ToolKey = { readonly alias: string; readonly tool: string };

export function displayName({ alias, tool }: ToolKey): string {
  return `${alias}.${tool}`;
}

export function isWireName(name: string): boolean {
  return WIRE.test(name);
}

/** Not `aish`: that one is for tools of our own. */
export function isAlias(text: string): boolean {
  return ALIAS.test(text) && !text.includes("__") && text !== "aish";
}

/** A grammatical alias near what was wished for. */
export function aliasFrom(wish: string, taken: (alias: string) => boolean): string {
  const base = wish
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/_{2,}/g, "_")
    .replace(/^[^a-z]+/, "")
    .replace(/-+$/, "")
    .slice(0, 24);
  const named = base === "" || base === "aish" ? `s-${base || "server"}` : base;
  let alias = named;
  for (let n = 2; taken(alias); n += 1) alias = `${named.slice(0, 24 - String(n).length - 1)}-${n}`;
  return alias;
}

/** The wire name; `extra` makes the hash longer when a name is taken all the same. */
export function wireName(key: ToolKey, extra = 0): string {
  const { alias, tool } = key;
  const joined = `${alias}__${tool}`;
  // A third underscore at the joint would make two pairs look alike (a_ + b, a + _b): those get a hash, too.
  const isPlain = WIRE.test(joined) && !alias.endsWith("_") && !tool.startsWith("_");
  if (isPlain && extra === 0) return joined;
  const safe = joined.replace(/[^A-Za-z0-9_-]/gu, "_");
  const digits = HASH_CHARS + extra;
  return `${safe.slice(0, LONGEST - digits - 1)}_${hashOf(key, digits)}`;
}

/** A name from a model or an old log, made to fit. */
export function asWireName(name: string): string {
  if (WIRE.test(name)) return name;
  const safe = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, LONGEST - 2);
  return /^[A-Za-z]/.test(safe) ? safe : `t_${safe}`;
}

/** The names of one request, both ways. Looked up, never taken apart. */
export class NameTable<Tool extends ToolKey> {
  readonly #byWire = new Map<string, Tool>();
  readonly #byDisplay = new Map<string, Tool>();
  readonly #wires = new Map<string, string>();

  constructor(tools: Iterable<Tool>) {
    // In a fixed order: who came first must not decide who gets the short name.
    const sorted = [...tools].sort((left, right) => (keyText(left) < keyText(right) ? -1 : 1));
    for (const tool of sorted) {
      let extra = 0;
      let wire = wireName(tool);
      while (this.#byWire.has(wire)) wire = wireName(tool, (extra += 1));
      this.#byWire.set(wire, tool);
      this.#byDisplay.set(displayName(tool), tool);
      this.#wires.set(keyText(tool), wire);
    }
  }

  /** What the model called: its wire name, or, as small models write it, the display name exactly. */
  find(name: string): Tool | undefined {
    return this.#byWire.get(name) ?? this.#byDisplay.get(name);
  }

  wireOf(tool: ToolKey): string | undefined {
    return this.#wires.get(keyText(tool));
  }

  /** Sorted by wire name, so that requests stay the same byte for byte. */
  entries(): [wire: string, tool: Tool][] {
    return [...this.#byWire].sort(([left], [right]) => (left < right ? -1 : 1));
  }

  /** Names close to one that does not exist. */
  near(name: string, most = 3): string[] {
    return nearest(name, [...this.#byWire.keys()], most);
  }
}

/** The closest of some words, at most as far away as a third of the word. */
export function nearest(word: string, candidates: readonly string[], count: number): string[] {
  const wanted = word.toLowerCase();
  const tail = wanted.split(/__|\./).at(-1) ?? wanted;
  return candidates
    .map((candidate) => {
      const other = candidate.toLowerCase();
      const otherTail = other.split(/__|\./).at(-1) ?? other;
      const most = Math.max(2, Math.floor(candidate.length / 3));
      const apart = (left: string, right: string): number => editDistance(left, right, most);
      const distance = otherTail === tail ? 0 : Math.min(apart(wanted, other), apart(tail, otherTail));
      return { candidate, distance, most };
    })
    .filter(({ distance, most }) => distance <= most)
    .sort((left, right) => left.distance - right.distance || (left.candidate < right.candidate ? -1 : 1))
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

function keyText({ alias, tool }: ToolKey): string {
  return `${alias}\0${tool}`;
}

function hashOf(key: ToolKey, digits: number): string {
  const hex = createHash("sha256").update(keyText(key)).digest("hex");
  return BigInt(`0x${hex}`).toString(36).padStart(digits, "0").slice(0, digits);
}
