// The hunks of a diff in a manifest, by where they stand in it: a diff may have a million.

import type { DiffHunk } from "../blocks/diff.ts";
import { NO_NODE } from "../json-document.ts";
import type { JsonNode } from "../json-document.ts";
import { NestedRecords } from "../nested-records.ts";
import type { FlatRecords } from "../nested-records.ts";
import { Offsets } from "../number-list.ts";
import type { Steps } from "../cooperative-work.ts";
import { Members } from "./json-members.ts";
import type { ManifestText } from "./json-members.ts";

const STEP_HUNKS = 256;

export class DiffHunks extends NestedRecords<DiffHunk> implements FlatRecords {
  private readonly text: ManifestText;
  private readonly offsets = new Offsets();

  constructor(text: ManifestText) {
    super();
    this.text = text;
  }

  /** Reads the hunks of `list`: what is wrong with their shape is thrown. */
  *read(list: JsonNode): Steps<void> {
    const { json } = this.text;
    let end = list + 1;
    for (let node = json.first(list); node !== NO_NODE; node = json.next(end)) {
      const hunk = new Members(this.text, node);
      hunk.u32("old_start");
      hunk.u32("new_start");
      hunk.text("lines");
      this.offsets.push(node);
      end = hunk.end;
      if (this.count % STEP_HUNKS === 0) yield;
    }
  }

  get count(): number {
    return this.offsets.length;
  }

  override flat(): FlatRecords {
    return this;
  }

  override list(): DiffHunk[] {
    return Array.from({ length: this.count }, (_, index) => this.own(index));
  }

  depth(): number {
    return 0;
  }

  own(index: number): DiffHunk {
    const hunk = new Members(this.text, this.offsets.get(index));
    const lines = this.text.json.utf8(hunk.text("lines"));
    return { oldStart: hunk.u32("old_start"), newStart: hunk.u32("new_start"), lines };
  }
}
