// For a host in this process that asks its person itself, before it calls: where a call would lead is told to it, and the
// call that follows must lead to the same places.
import { EngineError } from "@bosun/engine";
import { digestOf } from "@bosun/platform/json";
import type { CallPath } from "@bosun/policy";
import type { CallPlaces } from "./call-places.ts";

/** Calls that were shown and never made: the oldest are forgotten, and are then calls like any other. */
const MOST_SHOWN = 1000;

/** A path of a call whose text does not say where it leads. */
export type Lead = { readonly requested: string; readonly path: string };

export class ShownPaths {
  readonly #shown = new Map<string, string>();

  /** What to show of a call that may be made soon. */
  show(tool: string, args: unknown, places: CallPlaces): readonly Lead[] {
    const paths = pathsOf(places);
    const key = keyOf(tool, args);
    this.#shown.delete(key);
    this.#shown.set(key, digestOf(paths));
    const [oldest] = this.#shown.keys();
    if (this.#shown.size > MOST_SHOWN && oldest !== undefined) this.#shown.delete(oldest);
    return paths.flatMap(({ requested, path }) => (requested === undefined ? [] : [{ requested, path }]));
  }

  /** Of a call that is made now. Throws CHANGED_ON_DISK when it was shown, and leads elsewhere by now. */
  check(tool: string, args: unknown, places: CallPlaces): void {
    if (this.#shown.size === 0) return;
    const key = keyOf(tool, args);
    const shown = this.#shown.get(key);
    this.#shown.delete(key);
    if (shown === undefined || shown === digestOf(pathsOf(places))) return;
    const message = "what its path leads to was moved, made or replaced after the person was asked; nothing was done";
    throw new EngineError("CHANGED_ON_DISK", message);
  }
}

/** What leads nowhere is none; the call itself has the words for it. */
function pathsOf(places: CallPlaces): readonly CallPath[] {
  try {
    const directory = places.commandDirectory();
    return [...places.judgedPaths(), ...(directory === undefined ? [] : [directory])];
  } catch (error) {
    if (error instanceof EngineError) return [];
    throw error;
  }
}

function keyOf(tool: string, args: unknown): string {
  return digestOf({ tool, arguments: args ?? null });
}
