// Field area → record, by its table (FORMAT.md, "Fields"). A stack of our own instead of recursion: nesting is as deep
// as the file says.

import type { Allowance } from "./allowance.ts";
import { wordFor } from "./fields.ts";
import type { Form, NamedField, Table } from "./fields.ts";
import { decodeLossy } from "./utf8.ts";
import type { Reader } from "./reader.ts";

/** A record that is being read. */
export type OpenRecord = {
  table: Table;
  record: Record<string, unknown>;
  start: number;
  end: number;
  seen: number;
};

const VIEW_COST = 60;
const NOTHING: Record<string, unknown> = {};

/**
 * Reads everything up to the reader's end into `record`. Unknown fields are skipped; the last of a repeated one wins. `slots`:
 * one per level, used again for each record of that level, and for the next block: a tree of 100,000 files should not leave
 * 100,000 of them for the collector.
 */
export function readFields(
  reader: Reader,
  table: Table,
  record: Record<string, unknown>,
  allowance: Allowance,
  maxDepth: number,
  slots: OpenRecord[],
): void {
  let depth = 0;
  let open = begin(slots, 0, table, record, reader.pos, reader.end);
  allowance.spend(table.cost, reader, reader.pos);
  for (;;) {
    while (reader.pos >= open.end) {
      complete(open, reader);
      const parent = slots[--depth];
      if (!parent) {
        // The next block may come late: this one should not be held until then.
        open.record = NOTHING;
        return;
      }
      open = parent;
      reader.end = open.end;
    }
    const at = reader.pos;
    const id = reader.varint();
    const field = reader.high === 0 ? open.table.byId[id] : undefined;
    const wireType = reader.varint();
    if (wireType > 2) {
      throw reader.error("UnknownFieldWireType", `unknown field wire type: ${reader.exact()}`, at);
    }
    if (!field) skip(reader, wireType);
    else if (field.form.kind === "records") {
      // The wire type of a known field is not looked at (D-6): bytes and nested are read alike.
      const end = reader.span();
      if (depth >= maxDepth) {
        throw reader.error("TreeTooDeep", `records are nested more than ${maxDepth} levels deep`, at);
      }
      const inner = field.form.table();
      allowance.spend(inner.cost, reader, at);
      const child: Record<string, unknown> = {};
      append(open.record, field.key, child);
      open = begin(slots, ++depth, inner, child, reader.pos, end);
      reader.end = end;
    } else {
      open.record[field.key] = readValue(reader, field.form, allowance);
      open.seen |= 1 << field.id;
    }
  }
}

// Record lists of the outermost record are always there, so that callers need not ask; inner ones only when not empty,
// because most entries of a tree have no children.
function begin(
  slots: OpenRecord[],
  depth: number,
  table: Table,
  record: Record<string, unknown>,
  start: number,
  end: number,
): OpenRecord {
  for (const key of table.lists) record[key] = [];
  const slot = slots[depth];
  if (!slot) return (slots[depth] = { table, record, start, end, seen: 0 });
  slot.table = table;
  slot.record = record;
  slot.start = start;
  slot.end = end;
  slot.seen = 0;
  return slot;
}

function append(record: Record<string, unknown>, key: string, child: unknown): void {
  const list = record[key];
  if (Array.isArray(list)) list.push(child);
  else record[key] = [child];
}

function complete(open: OpenRecord, reader: Reader): void {
  for (const field of open.table.defaults) {
    if (!(open.seen & (1 << field.id))) open.record[field.key] = field.fallback;
  }
  const missing = open.table.requiredBits & ~open.seen;
  if (missing === 0) return;
  const field: NamedField | undefined = open.table.fields.find(({ id }) => missing & (1 << id));
  throw reader.error("MissingRequiredField", `missing required field: ${field?.wireName}`, open.start);
}

function readValue(reader: Reader, form: Form, allowance: Allowance): unknown {
  const at = reader.pos;
  switch (form.kind) {
    case "text": {
      const end = reader.span();
      const value = decodeLossy(reader.bytes, reader.pos, end);
      allowance.spendText(end - reader.pos, value, reader, at);
      reader.pos = end;
      return value;
    }
    case "bytes": {
      const end = reader.span();
      allowance.spend(VIEW_COST, reader, at);
      const value = reader.bytes.subarray(reader.pos, end);
      reader.pos = end;
      return value;
    }
    case "u32":
      reader.varint();
      return reader.low;
    case "u64":
      reader.varint();
      return reader.exact();
    case "words":
      return readWord(reader, form, at);
    case "records":
      throw new TypeError("records are read by readFields");
  }
}

function readWord(reader: Reader, form: Form & { kind: "words" }, at: number): string | number {
  const raw = reader.varint();
  const value = form.words.wide ? raw : reader.low & 0xff;
  const word = wordFor(form.words, value);
  if (word !== undefined) return word;
  const shown = (reader.low & 0xff).toString(16).padStart(2, "0").toUpperCase();
  throw reader.error("InvalidEnumValue", `invalid ${form.words.name} value: 0x${shown}`, at);
}

function skip(reader: Reader, wireType: number): void {
  if (wireType === 0) reader.varint();
  else reader.pos = reader.span();
}
