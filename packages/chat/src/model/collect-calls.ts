// Fragments of tool calls → whole calls. Servers disagree on ids, indexes and repetition; the rules here take the
// fragments as 21 recorded shapes of them come. Nothing is handed out before the stream has ended.
import { isObject } from "@bosun/mcp";
import type { Json, JsonObject } from "@bosun/mcp";
import { isJsonObject, parseExact, parseObject, splitObjects } from "./argument-json.ts";

export type CollectedCall = {
  id: string;
  name: string;
  /** A JSON object as text, or, when `broken` is set, what the model really wrote. */
  arguments: string;
  broken?: { line: number; column: number };
  /** Members that belong to the server and must go back with the call. */
  extras?: JsonObject;
};

type Slot = { id: string; name: string; arguments: string; extras: JsonObject };
type Delta = { id: string; index: number | undefined; name: string; arguments: Json | undefined; extras: JsonObject };

const MAX_CALLS = 256;
const OWN_MEMBERS = new Set(["id", "index", "type", "function"]);

export class CallCollector {
  readonly warnings: string[] = [];
  readonly #slots: Slot[] = [];
  readonly #byId = new Map<string, Slot>();
  readonly #atIndex = new Map<number, Slot>();

  get isEmpty(): boolean {
    return this.#slots.length === 0;
  }

  add(element: JsonObject): void {
    const delta = readDelta(element);
    const slot = this.#slotFor(delta);
    if (slot === undefined) return;
    if (delta.id !== "") this.#byId.set(delta.id, slot);
    if (delta.index !== undefined) this.#atIndex.set(delta.index, slot);
    merge(slot, delta);
  }

  /** Call once, when the stream has ended. */
  finish(mintId: () => string = mintCallId): CollectedCall[] {
    const calls = this.#slots.flatMap((slot) => {
      if (slot.name !== "") return callsOf(slot);
      this.warnings.push("the model sent a tool call without a name; dropped");
      return [];
    });
    const seen = new Set<string>();
    for (const call of calls) {
      while (call.id === "" || seen.has(call.id)) call.id = mintId();
      seen.add(call.id);
    }
    return calls;
  }

  #slotFor(delta: Delta): Slot | undefined {
    const known = delta.id === "" ? undefined : this.#byId.get(delta.id);
    return known ?? this.#continued(delta) ?? this.#newSlot();
  }

  /** The slot this fragment goes on with, if it goes on with one. */
  #continued(delta: Delta): Slot | undefined {
    const latest = this.#slots.at(-1);
    if (delta.id !== "") {
      const there = delta.index === undefined ? latest : this.#atIndex.get(delta.index);
      if (there === undefined || there.id !== "" || isJsonObject(there.arguments)) return undefined;
      const namesAgree =
        there.name === "" || delta.name === "" || (delta.index !== undefined && there.name === delta.name);
      return namesAgree ? there : undefined;
    }
    if (delta.index !== undefined) {
      const there = this.#atIndex.get(delta.index);
      if (there === undefined || delta.name === "" || !isJsonObject(there.arguments)) return there;
      return delta.arguments === there.arguments ? there : undefined;
    }
    if (delta.name === "") return latest;
    if (latest === undefined || isJsonObject(latest.arguments)) return undefined;
    return latest.name === "" || latest.name === delta.name ? latest : undefined;
  }

  #newSlot(): Slot | undefined {
    if (this.#slots.length >= MAX_CALLS) {
      if (this.warnings.length === 0)
        this.warnings.push(`the model sent more than ${MAX_CALLS} calls; the rest is dropped`);
      return undefined;
    }
    const slot: Slot = { id: "", name: "", arguments: "", extras: {} };
    this.#slots.push(slot);
    return slot;
  }
}

/** Nine characters: the only length every server takes. */
export function mintCallId(): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  return Array.from(crypto.getRandomValues(new Uint8Array(9)), (byte) => letters.charAt(byte % letters.length)).join(
    "",
  );
}

function readDelta(element: JsonObject): Delta {
  const call = isObject(element["function"]) ? element["function"] : {};
  const { id, index } = element;
  const extras: JsonObject = {};
  for (const [key, value] of Object.entries(element)) {
    if (!OWN_MEMBERS.has(key) && value !== null && value !== undefined) extras[key] = value;
  }
  return {
    id: typeof id === "string" ? id.trim() : typeof id === "number" ? String(id) : "",
    index: typeof index === "number" && Number.isInteger(index) && index >= 0 ? index : undefined,
    name: typeof call["name"] === "string" ? call["name"].trim() : "",
    arguments: call["arguments"],
    extras,
  };
}

function merge(slot: Slot, delta: Delta): void {
  if (slot.id === "") slot.id = delta.id;
  if (slot.name === "" || (delta.name.length > slot.name.length && delta.name.startsWith(slot.name))) {
    if (delta.name !== "") slot.name = delta.name;
  } else if (delta.name !== "" && delta.name !== slot.name && slot.arguments === "") slot.name += delta.name;
  const piece = delta.arguments;
  if (typeof piece === "string") {
    const repeats = piece.length === slot.arguments.length && piece === slot.arguments && isJsonObject(piece);
    if (!repeats) slot.arguments += piece;
  } else if (isObject(piece) && slot.arguments === "") slot.arguments = JSON.stringify(piece);
  Object.assign(slot.extras, delta.extras);
}

function callsOf(slot: Slot): CollectedCall[] {
  const { id, name } = slot;
  const extras = Object.keys(slot.extras).length === 0 ? {} : { extras: slot.extras };
  const text = slot.arguments.trim();
  if (text === "" || text === "null") return [{ id, name, arguments: "{}", ...extras }];
  const read = parseObject(text);
  if (read.kind === "object") return [{ id, name, arguments: text, ...extras }];
  const inner = parseExact(text);
  if (typeof inner === "string" && isJsonObject(inner)) return [{ id, name, arguments: inner, ...extras }];
  const several = splitObjects(text);
  if (several !== undefined && several.length > 0) {
    const distinct = [...new Set(several.map((part) => JSON.stringify(JSON.parse(part))))];
    const parts = distinct.length === 1 ? several.slice(0, 1) : several;
    return parts.map((part, place) => ({ id: place === 0 ? id : "", name, arguments: part, ...extras }));
  }
  return [{ id, name, arguments: slot.arguments, broken: { line: read.line, column: read.column }, ...extras }];
}
