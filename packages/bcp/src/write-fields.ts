// Record → field area, by its table, written from the end (see BackWriter). A stack of our own, as in reading.

import { EncodeError } from "./bcp-errors.ts";
import type { BackWriter } from "./byte-writer.ts";
import { runAtOnce } from "./cooperative-work.ts";
import type { Steps } from "./cooperative-work.ts";
import { valueFor } from "./field-table.ts";
import type { NamedField, Table } from "./field-table.ts";
import { GarbageCollection } from "./garbage-collection.ts";
import { NestedRecords } from "./record-list.ts";
import { nestedTable } from "./stored-records.ts";

type Fields = Readonly<Record<string, unknown>>;

// What writing one leaves behind.
const RECORD_GARBAGE = 1024;
const STEP_RECORDS = 256;

type OpenRecord = {
  table: Table;
  record: Fields;
  /** The field being written, from the last to the first. */
  field: number;
  /** The list being written, from its last element, and how many of it are still to come. */
  list: readonly unknown[] | undefined;
  left: number;
  /** What had been written when the innermost of them began. */
  mark: number;
};

/** Prepends the fields of `record`: ascending ids, shortest varints, absent optional fields left out. */
export function writeFields(writer: BackWriter, table: Table, record: Fields, maxDepth: number): void {
  const slots: OpenRecord[] = []; // one per level, used again, as in reading
  let depth = 0;
  let open = begin(slots, 0, table, record, writer.length);
  for (;;) {
    const field = open.table.fields[open.field];
    if (!field) {
      const parent = slots[--depth];
      if (!parent) return;
      open = parent;
      const list = open.table.fields[open.field];
      if (list) closeRecord(writer, open.mark, list);
      continue;
    }
    if (field.form.kind !== "records") {
      writeValue(writer, field, open.record[field.key]);
      open.field--;
      continue;
    }
    const records = open.record[field.key];
    if (records instanceof NestedRecords) {
      runAtOnce(writeNested(writer, field, records, maxDepth - depth));
      open.field--;
      continue;
    }
    open.list ??= listOf(field, records);
    if (open.left < 0) open.left = open.list.length;
    if (open.left === 0) {
      open.list = undefined;
      open.left = -1;
      open.field--;
      continue;
    }
    if (depth >= maxDepth) throw tooDeep(maxDepth);
    const child = open.list[--open.left];
    if (!isRecord(child)) throw invalid(field, child);
    open.mark = writer.length;
    open = begin(slots, ++depth, nestedTable(field), child, writer.length);
  }
}

function begin(slots: OpenRecord[], depth: number, table: Table, record: Fields, mark: number): OpenRecord {
  const field = table.fields.length - 1;
  const slot = slots[depth];
  if (!slot) return (slots[depth] = { table, record, field, list: undefined, left: -1, mark });
  slot.table = table;
  slot.record = record;
  slot.field = field;
  slot.list = undefined;
  slot.left = -1;
  slot.mark = mark;
  return slot;
}

/**
 * Prepends records that are not held, as the records of `field`. Each stands behind what contains it: going from the last to the
 * first, all that one contains is there when its turn comes. What is nested is the field with the highest number, and so the
 * first to be prepended.
 */
export function* writeNested(
  writer: BackWriter,
  field: NamedField,
  records: NestedRecords,
  maxDepth: number,
): Steps<void> {
  const flat = records.flat();
  const table = nestedTable(field);
  const inner = table.fields.at(-1);
  const garbage = new GarbageCollection();
  // What had been written before that which is nested in the open record of each depth.
  const marks: number[] = [];
  let before = 0;
  for (let index = flat.count - 1; index >= 0; index--) {
    const depth = flat.depth(index);
    if (depth >= maxDepth) throw tooDeep(maxDepth);
    for (let level = before; level < depth; level++) marks[level] = writer.length;
    const mark = before > depth ? (marks[depth] ?? 0) : writer.length;
    writeFields(writer, table, flat.own(index), 0);
    closeRecord(writer, mark, depth > 0 && inner ? inner : field);
    before = depth;
    garbage.add(RECORD_GARBAGE);
    if (index % STEP_RECORDS === 0) yield;
  }
}

// Makes what has been prepended since `mark` a record of `field`.
function closeRecord(writer: BackWriter, mark: number, field: NamedField): void {
  writer.varint(writer.length - mark);
  writer.varint(2);
  writer.varint(field.id);
}

function writeValue(writer: BackWriter, field: NamedField, value: unknown): void {
  if (value === undefined) {
    if (!field.required) return;
    throw new EncodeError("InvalidValue", `${field.wireName} is missing`);
  }
  switch (field.form.kind) {
    case "text": {
      // Bytes are those of a text that was never a string.
      if (typeof value !== "string" && !(value instanceof Uint8Array)) throw invalid(field, value);
      writer.varint(writer.text(value));
      writer.varint(1);
      break;
    }
    case "bytes": {
      if (!(value instanceof Uint8Array)) throw invalid(field, value);
      writer.bytes(value);
      writer.varint(value.length);
      writer.varint(1);
      break;
    }
    case "u32":
    case "u64":
      if (!fits(value, field.form.kind)) throw invalid(field, value);
      writer.varint(value);
      writer.varint(0);
      break;
    case "words": {
      const number = valueFor(field.form.words, value);
      if (number === undefined) throw invalid(field, value);
      writer.varint(number);
      writer.varint(0);
      break;
    }
    case "records":
      throw new TypeError("records are written by writeFields");
  }
  writer.varint(field.id);
}

function fits(value: unknown, kind: "u32" | "u64"): value is number | bigint {
  const largest = kind === "u32" ? 0xffff_ffff : Number.MAX_SAFE_INTEGER;
  if (typeof value === "number") return Number.isInteger(value) && value >= 0 && value <= largest;
  return typeof value === "bigint" && value >= 0n && value < (kind === "u32" ? 1n << 32n : 1n << 64n);
}

function listOf(field: NamedField, value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  if (isRecord(value) && Symbol.iterator in value) return [...(value as unknown as Iterable<unknown>)];
  throw invalid(field, value);
}

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

function tooDeep(maxDepth: number): EncodeError {
  return new EncodeError("TreeTooDeep", `records are nested more than ${maxDepth} levels deep`);
}

function invalid(field: NamedField, value: unknown): EncodeError {
  const shown =
    typeof value === "string" ? JSON.stringify(value) : typeof value === "object" ? "an object" : `${value}`;
  return new EncodeError("InvalidValue", `${field.wireName} cannot be ${shown}`);
}
