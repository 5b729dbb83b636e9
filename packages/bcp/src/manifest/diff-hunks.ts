// The hunks of a diff in a manifest, by where they stand in it: a diff may have a million.

import type { DiffHunk } from "../blocks/diff.ts";
import type { NamedField } from "../fields.ts";
import { NO_NODE } from "../json.ts";
import type { JsonNode } from "../json.ts";
import { NestedRecords } from "../nested-records.ts";
import { Offsets } from "../offsets.ts";
import { closeRecord, nestedTable, writeFields } from "../write-fields.ts";
import type { BackWriter } from "../writer.ts";
import { Members } from "./members.ts";
import type { ManifestText } from "./members.ts";

export class DiffHunks extends NestedRecords<DiffHunk> {
  private readonly text: ManifestText;
  private readonly offsets = new Offsets();

  /** Reads the hunks of `list`: what is wrong with their shape is thrown. */
  constructor(text: ManifestText, list: JsonNode | undefined) {
    super();
    this.text = text;
    if (list === undefined) return;
    const { json } = text;
    let end = list + 1;
    for (let node = json.first(list); node !== NO_NODE; node = json.next(end)) {
      const hunk = new Members(text, node);
      hunk.u32("old_start");
      hunk.u32("new_start");
      hunk.text("lines");
      this.offsets.push(node);
      end = hunk.end;
    }
  }

  override write(writer: BackWriter, field: NamedField): void {
    for (let index = this.offsets.length - 1; index >= 0; index--) {
      const mark = writer.length;
      writeFields(writer, nestedTable(field), this.hunk(index), 0);
      closeRecord(writer, mark, field);
    }
  }

  override list(): DiffHunk[] {
    return Array.from({ length: this.offsets.length }, (_, index) => this.hunk(index));
  }

  private hunk(index: number): DiffHunk {
    const hunk = new Members(this.text, this.offsets.get(index));
    const lines = this.text.json.utf8(hunk.text("lines"));
    return { oldStart: hunk.u32("old_start"), newStart: hunk.u32("new_start"), lines };
  }
}
