// One value of a field (FORMAT.md, "Fields").

import { wordFor } from "./fields.ts";
import type { Form } from "./fields.ts";
import type { Reader } from "./reader.ts";
import { decodeLossy } from "./utf8.ts";

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

/** Passes the value of a field that nobody knows. */
export function skipValue(reader: Reader, wireType: number): void {
  if (wireType === 0) reader.varint();
  else reader.pos = reader.span();
}
