// Field area → record, by its table (FORMAT.md, "Fields"). Nested records are looked through, to any depth, and left where they
// lie; with a stack of our own instead of recursion: nesting is as deep as the file says.

import type { Reader } from "./byte-reader.ts";
import type { Form, NamedField, Table } from "./field-table.ts";
import type { MemoryLimit } from "./memory-limit.ts";
import { readTag, readValue, readWord, skipValue } from "./read-value.ts";
import { StoredRecords } from "./stored-records.ts";
import { decodeLossy } from "./utf8-text.ts";

/** A record that is being read. */
export type OpenRecord = { table: Table; start: number; end: number; seen: number };

const VIEW_COST = 60;
const LIST_COST = 80;

/**
 * Reads everything up to the reader's end into `record`. Unknown fields are skipped; the last of a repeated one wins. `slots`:
 * one per level, used again for each record of that level, and for the next block: a tree of 100,000 files should not leave
 * 100,000 of them for the collector.
 */
export function readFields(
  reader: Reader,
  table: Table,
  record: Record<string, unknown>,
  memory: MemoryLimit,
  maxDepth: number,
  slots: OpenRecord[],
): void {
  let depth = 0;
  let open = begin(slots, 0, table, reader.pos, reader.end);
  memory.spend(table.cost + LIST_COST * table.lists.length, reader, reader.pos);
  // Always there, so that callers need not ask.
  for (const field of table.lists) {
    record[field.key] = new StoredRecords(reader.bytes, table, field, reader.pos, reader.end);
  }
  for (;;) {
    while (reader.pos >= open.end) {
      requireAll(open, reader);
      const parent = slots[--depth];
      if (!parent) return;
      open = parent;
      reader.end = open.end;
    }
    const at = reader.pos;
    const field = readTag(reader, open.table);
    if (!field) skipValue(reader, field, reader.low);
    else if (field.form.kind === "records") {
      // The wire type of a known field is not looked at (D-6): bytes and nested are read alike.
      const end = reader.span();
      if (depth >= maxDepth) {
        throw reader.error("TreeTooDeep", `records are nested more than ${maxDepth} levels deep`, at);
      }
      open = begin(slots, ++depth, field.form.table(), reader.pos, end);
      reader.end = end;
    } else {
      if (depth === 0) record[field.key] = keepValue(reader, field.form, memory);
      else checkValue(reader, field.form, memory);
      open.seen |= 1 << field.id;
    }
  }
}

function begin(slots: OpenRecord[], depth: number, table: Table, start: number, end: number): OpenRecord {
  const slot = slots[depth];
  if (!slot) return (slots[depth] = { table, start, end, seen: 0 });
  slot.table = table;
  slot.start = start;
  slot.end = end;
  slot.seen = 0;
  return slot;
}

function requireAll(open: OpenRecord, reader: Reader): void {
  const missing = open.table.requiredBits & ~open.seen;
  if (missing === 0) return;
  const field: NamedField | undefined = open.table.fields.find(({ id }) => missing & (1 << id));
  throw reader.error("MissingRequiredField", `missing required field: ${field?.wireName}`, open.start);
}

function keepValue(reader: Reader, form: Form, memory: MemoryLimit): unknown {
  const at = reader.pos;
  if (form.kind === "text") {
    const end = reader.span();
    const value = decodeLossy(reader.bytes, reader.pos, end);
    memory.spendText(end - reader.pos, value, reader, at);
    reader.pos = end;
    return value;
  }
  if (form.kind === "bytes") memory.spend(VIEW_COST, reader, at);
  return readValue(reader, form);
}

// Of what is nested nothing is kept.
function checkValue(reader: Reader, form: Form, memory: MemoryLimit): void {
  const at = reader.pos;
  switch (form.kind) {
    case "text":
      reader.pos = reader.span();
      return memory.spendLong(reader.pos - at, reader, at);
    case "bytes":
      reader.pos = reader.span();
      return;
    case "words":
      readWord(reader, form);
      return;
    default:
      reader.varint();
  }
}
