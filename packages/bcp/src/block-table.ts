// What every block type's table has in common.

import { table } from "./field-table.ts";
import type { Fields, RecordOf, Table } from "./field-table.ts";

// A block object and its place in the list, as measured with a heap full of them.
const BLOCK_COST = 190;

export type BlockTable<Type extends string = string, F extends Fields = Fields> = Table<F> & {
  /** The block's name in TypeScript and in manifests: `tool_result`. */
  readonly type: Type;
  readonly typeId: number;
};

/** What a block has besides its own fields. */
export type BlockFrame = {
  /** The flag byte as it was read; encoding takes no notice of it. */
  readonly flags: number;
  readonly summary?: string;
};

export type BlockOf<T> =
  T extends BlockTable<infer Type, infer F> ? { readonly type: Type } & BlockFrame & RecordOf<F> : never;

export function block<const Type extends string, F extends Fields>(
  typeId: number,
  type: Type,
  fields: F,
): BlockTable<Type, F> {
  return { ...table(fields, BLOCK_COST), type, typeId };
}
