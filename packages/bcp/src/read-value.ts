// One field: its tag, and its value or the way past it (FORMAT.md, "Fields"). Whoever walks through fields does it with these.

import type { Reader } from "./byte-reader.ts";
import { wordFor } from "./field-table.ts";
import type { Form, NamedField, Table } from "./field-table.ts";
import { decodeLossy } from "./utf8-text.ts";

/** Reads a tag: the field it names, or undefined for one that nobody knows. Its wire type is left in `reader.low`. */
export function readTag(reader: Reader, table: Table): NamedField | undefined {
  const at = reader.pos;
  const id = reader.varint();
  const field = reader.high === 0 ? table.byId[id] : undefined;
  if (reader.varint() <= 2) return field;
  throw reader.error("UnknownFieldWireType", `unknown field wire type: ${reader.exact()}`, at);
}

/** Passes the value behind a tag. The wire type counts only where nobody knows the field: a known one is as long as its form says. */
export function skipValue(reader: Reader, field: NamedField | undefined, wireType: number): void {
  const isSized = field ? isSizedForm(field.form) : wireType !== 0;
  if (isSized) reader.pos = reader.span();
  else reader.varint();
}

function isSizedForm({ kind }: Form): boolean {
  return kind === "text" || kind === "bytes" || kind === "records";
}

export function readValue(reader: Reader, form: Form): unknown {
  switch (form.kind) {
    case "text": {
      const end = reader.span();
      const value = decodeLossy(reader.bytes, reader.pos, end);
      reader.pos = end;
      return value;
    }
    case "bytes": {
      const end = reader.span();
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
      return readWord(reader, form);
    case "records":
      throw new TypeError("records are not read as one value");
  }
}

export function readWord(reader: Reader, form: Form & { kind: "words" }): string | number {
  const at = reader.pos;
  const raw = reader.varint();
  const value = form.words.wide ? raw : reader.low & 0xff;
  const word = wordFor(form.words, value);
  if (word !== undefined) return word;
  const shown = (reader.low & 0xff).toString(16).padStart(2, "0").toUpperCase();
  throw reader.error("InvalidEnumValue", `invalid ${form.words.name} value: 0x${shown}`, at);
}
