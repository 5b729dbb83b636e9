// Nested records as they lie in a payload, read when somebody asks for them: as objects, the entries of a tree take ten times
// their size. They are known to be whole.

import { Reader } from "./byte-reader.ts";
import type { NamedField, Table } from "./field-table.ts";
import { NumberList } from "./number-list.ts";
import { readTag, readValue, skipValue } from "./read-value.ts";
import { NestedRecords } from "./record-list.ts";
import type { CursorSource, FlatRecords, RecordCursor, RecordList } from "./record-list.ts";

const NOWHERE = { at: 0, packed: true };
const INSPECT = Symbol.for("nodejs.util.inspect.custom");

/** The records of one field, among the other fields of what they are in, which is a record of `container`. */
export class StoredRecords<R = unknown> extends NestedRecords<R> implements RecordList<R>, CursorSource<R> {
  private readonly bytes: Uint8Array;
  private readonly container: Table;
  private readonly field: NamedField;
  private readonly start: number;
  private readonly end: number;
  private known: number | undefined;

  constructor(bytes: Uint8Array, container: Table, field: NamedField, start: number, end: number) {
    super();
    this.bytes = bytes;
    this.container = container;
    this.field = field;
    this.start = start;
    this.end = end;
  }

  get length(): number {
    return (this.known ??= this.counted());
  }

  /** What they take in the payload, and the other fields among them. */
  get storedBytes(): number {
    return this.end - this.start;
  }

  cursor(): RecordCursor<R> {
    return new StoredCursor<R>(this.spans(), this.bytes, this.field);
  }

  *[Symbol.iterator](): Generator<R, void> {
    const cursor = this.cursor();
    for (let record = cursor.next(); record !== undefined; record = cursor.next()) yield record;
  }

  override list(): R[] {
    return [...this];
  }

  override flat(): FlatRecords {
    return new StoredIndex(this.spans(), this.bytes, this.field);
  }

  toJSON(): R[] {
    return this.list();
  }

  [INSPECT](): R[] {
    return this.list();
  }

  private counted(): number {
    const spans = this.spans();
    let count = 0;
    while (spans.next()) count++;
    return count;
  }

  private spans(): Spans {
    return new Spans(this.bytes, this.container, this.field, this.start, this.end);
  }
}

/** Where the records of one field begin and end. */
class Spans {
  private readonly reader: Reader;
  private readonly container: Table;
  private readonly field: NamedField;
  start = 0;
  end: number;

  constructor(bytes: Uint8Array, container: Table, field: NamedField, start: number, end: number) {
    this.reader = new Reader(bytes, NOWHERE, start, end);
    this.container = container;
    this.field = field;
    this.end = start;
  }

  next(): boolean {
    const { reader } = this;
    reader.pos = this.end;
    while (reader.pos < reader.end) {
      const field = readTag(reader, this.container);
      if (field !== this.field) {
        skipValue(reader, field, reader.low);
        continue;
      }
      this.end = reader.span();
      this.start = reader.pos;
      return true;
    }
    return false;
  }
}

class StoredCursor<R> implements RecordCursor<R> {
  private readonly spans: Spans;
  private readonly reader: Reader;
  private readonly table: Table;

  constructor(spans: Spans, bytes: Uint8Array, field: NamedField) {
    this.spans = spans;
    this.reader = new Reader(bytes, NOWHERE);
    this.table = nestedTable(field);
  }

  next(): R | undefined {
    if (!this.spans.next()) return undefined;
    const { start, end } = this.spans;
    // The table builds exactly the type that is derived from it.
    return readRecord(this.reader, this.table, start, end, "with lists") as R;
  }
}

// Where each of them begins and ends, and how deep it is.
const INDEX_WORDS = 3;

class StoredIndex implements FlatRecords {
  private readonly words = new NumberList();
  private readonly reader: Reader;
  private readonly table: Table;

  constructor(outermost: Spans, bytes: Uint8Array, field: NamedField) {
    this.reader = new Reader(bytes, NOWHERE);
    this.table = nestedTable(field);
    const inner = this.table.fields.find(({ form }) => form.kind === "records");
    const open = [outermost];
    for (let spans = open.at(-1); spans; spans = open.at(-1)) {
      if (!spans.next()) {
        open.pop();
        continue;
      }
      for (const word of [spans.start, spans.end, open.length - 1]) this.words.push(word);
      if (inner) open.push(new Spans(bytes, this.table, inner, spans.start, spans.end));
    }
  }

  get count(): number {
    return this.words.length / INDEX_WORDS;
  }

  depth(index: number): number {
    return this.words.get(INDEX_WORDS * index + 2);
  }

  own(index: number): Record<string, unknown> {
    const at = INDEX_WORDS * index;
    return readRecord(this.reader, this.table, this.words.get(at), this.words.get(at + 1), "without lists");
  }
}

/** What the records of a field are made of. */
export function nestedTable({ form, wireName }: NamedField): Table {
  if (form.kind === "records") return form.table();
  throw new TypeError(`${wireName} has no records`);
}

function readRecord(
  reader: Reader,
  table: Table,
  start: number,
  end: number,
  what: "with lists" | "without lists",
): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  reader.pos = start;
  reader.end = end;
  while (reader.pos < end) {
    const field = readTag(reader, table);
    if (!field) skipValue(reader, field, reader.low);
    else if (field.form.kind === "records") {
      reader.pos = reader.span();
      // Only where there are some: most entries of a tree have no children.
      if (what === "with lists") record[field.key] ??= new StoredRecords(reader.bytes, table, field, start, end);
    } else record[field.key] = readValue(reader, field.form);
  }
  return record;
}
