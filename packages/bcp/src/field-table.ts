// How a block's fields are described: one table per block type, which reads and writes it (FORMAT.md, "Fields").

import type { RecordList } from "./record-list.ts";

/** A field's wire form. `Value` is its TypeScript type, `Present` whether a record always has it. */
export type Field<Value = unknown, Present extends boolean = boolean> = {
  readonly id: number;
  readonly present: Present;
  readonly form: Form;
  /** Never set: it carries the type. */
  readonly value?: Value;
};

export type Form =
  | { readonly kind: "text" }
  | { readonly kind: "bytes" }
  | { readonly kind: "u32" }
  | { readonly kind: "u64" }
  | { readonly kind: "words"; readonly words: Words }
  | { readonly kind: "records"; readonly table: () => Table };

/** An enumeration: `words[i]` stands for `first + i`. An open one keeps other bytes as numbers, a closed one refuses. */
export type Words = {
  readonly name: string;
  readonly first: number;
  readonly list: readonly string[];
  readonly open?: ReadonlyMap<number, string>;
  /** Reading reduces values modulo 256 (D-5), except where the reference compares all 64 bits. */
  readonly wide?: boolean;
};

export type Fields = Readonly<Record<string, Field>>;

/** The record that a table describes. */
export type RecordOf<F extends Fields> = {
  readonly [K in keyof F as F[K]["present"] extends true ? K : never]: ValueOf<F[K]>;
} & {
  readonly [K in keyof F as F[K]["present"] extends true ? never : K]?: ValueOf<F[K]>;
};

type ValueOf<F> = F extends Field<infer Value> ? Value : never;

/** A field under the two names it goes by: `toolName` in TypeScript, `tool_name` on the wire and in messages. */
export type NamedField = Field & { readonly key: string; readonly wireName: string; readonly required: boolean };

export type Table<F extends Fields = Fields> = {
  readonly fields: readonly NamedField[];
  readonly byId: readonly (NamedField | undefined)[];
  /** Bit n is set if field n must be there. */
  readonly requiredBits: number;
  /** The record lists that are always there. */
  readonly lists: readonly NamedField[];
  /** About how much memory one decoded block takes besides its strings, views and lists. */
  readonly cost: number;
  /** Never set: it carries the type. */
  readonly shape?: F;
};

export const text = (id: number): Field<string, true> => ({ id, present: true, form: { kind: "text" } });
export const bytes = (id: number): Field<Uint8Array, true> => ({ id, present: true, form: { kind: "bytes" } });
export const u32 = (id: number): Field<number, true> => ({ id, present: true, form: { kind: "u32" } });

/** 64 bits: a number while that is exact, a bigint from 2^53 on. */
export const u64 = (id: number): Field<number | bigint, true> => ({ id, present: true, form: { kind: "u64" } });

export function oneOf<const W extends string>(
  id: number,
  name: string,
  list: readonly W[],
  extra: { first?: number; wide?: boolean } = {},
): Field<W, true> {
  const words = { name, list, first: extra.first ?? 1, wide: extra.wide ?? false };
  return { id, present: true, form: { kind: "words", words } };
}

/** An enumeration that keeps values it has no word for. */
export function anyOf<const W extends string>(
  id: number,
  name: string,
  list: readonly W[],
  others: ReadonlyMap<number, W>,
): Field<W | number, true> {
  return { id, present: true, form: { kind: "words", words: { name, list, first: 1, open: others } } };
}

/** Any number of nested records, in order. */
export function records<R>(id: number, of: () => Table): Field<RecordList<R>, true> {
  return { id, present: true, form: { kind: "records", table: of } };
}

export function optional<V>(field: Field<V>): Field<V, false> {
  return { ...field, present: false };
}

export function table<F extends Fields>(fields: F, cost = 0): Table<F> {
  const named = Object.entries(fields).map(([key, field]): NamedField => {
    const wireName = key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    // Zero records are as good as some: only single values can be missing.
    return { ...field, key, wireName, required: field.present && field.form.kind !== "records" };
  });
  const byId: (NamedField | undefined)[] = [];
  let requiredBits = 0;
  for (const field of named.sort((a, b) => a.id - b.id)) {
    byId[field.id] = field;
    if (field.required) requiredBits |= 1 << field.id;
  }
  const lists = named.filter(({ form, present }) => form.kind === "records" && present);
  return { fields: named, byId, requiredBits, lists, cost };
}

/** The word for a value on the wire, the value itself where the enumeration is open, or undefined. */
export function wordFor(words: Words, value: number): string | number | undefined {
  return words.list[value - words.first] ?? (words.open ? (words.open.get(value) ?? value) : undefined);
}

/** The value that a word has on the wire, or undefined. */
export function valueFor(words: Words, word: unknown): number | undefined {
  if (typeof word === "number") return words.open && isByte(word) ? word : undefined;
  if (typeof word !== "string") return undefined;
  const index = words.list.indexOf(word);
  if (index >= 0) return index + words.first;
  for (const [value, other] of words.open ?? []) if (other === word) return value;
  return undefined;
}

function isByte(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= 0xff;
}
