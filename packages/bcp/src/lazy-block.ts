// A block to write of which nothing is held: its texts are UTF-8 that stands somewhere else, its records write themselves.

import { tableByType } from "./block-types.ts";
import type { NewBlock } from "./encode-payload.ts";
import { NestedRecords } from "./record-list.ts";
import type { RecordList } from "./record-list.ts";
import { decodeLossy } from "./utf8-text.ts";

export type LazyBlock = Lazy<NewBlock>;

type Lazy<B> = B extends unknown ? { readonly [K in keyof B]: LazyValue<B[K]> } : never;
type LazyValue<V> = V extends Uint8Array
  ? V
  : V extends string
    ? LazyText<V>
    : V extends RecordList<infer R>
      ? NestedRecords<R>
      : V;
// Words of an enumeration stay what they are.
type LazyText<V extends string> = string extends V ? Uint8Array : V;

/** The same block with all that belongs to it. */
export function loadBlock(lazy: LazyBlock): NewBlock {
  const block: Record<string, unknown> = { ...lazy };
  if (lazy.summary !== undefined) block["summary"] = decodeLossy(lazy.summary);
  for (const { key, form } of tableByType(lazy.type)?.fields ?? []) {
    const value = block[key];
    if (value instanceof NestedRecords) block[key] = value.list();
    else if (form.kind === "text" && value instanceof Uint8Array) block[key] = decodeLossy(value);
  }
  return block as NewBlock;
}
