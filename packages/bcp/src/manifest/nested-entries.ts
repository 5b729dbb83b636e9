// The entries of a file tree in a manifest, by where they stand in it: a tree may have millions.

import type { DiffHunk, FileEntry } from "../block-types.ts";
import type { Steps } from "../cooperative-work.ts";
import { DEFAULT_LIMITS } from "../decode-limits.ts";
import { NO_NODE } from "../json-document.ts";
import type { JsonNode } from "../json-document.ts";
import { NumberList } from "../number-list.ts";
import { NestedRecords } from "../record-list.ts";
import type { FlatRecords } from "../record-list.ts";
import { decodeLossy } from "../utf8-text.ts";
import { entryKindWord } from "./enum-words.ts";
import { manifestError, Members, WORD_BYTES } from "./json-members.ts";
import type { ManifestText } from "./json-members.ts";

// Of each entry, in the order in which they stand there: name, kind, size (0 where there is none), and depth.
const ENTRY_WORDS = 4;
// What looking at the kind of one leaves behind.
const WORD_COST = 128;
const STEP_ENTRIES = 256;

type OwnFields = { readonly name: Uint8Array; readonly kind: FileEntry["kind"]; readonly size: number | bigint };

export class TreeEntries extends NestedRecords<FileEntry> implements FlatRecords {
  private readonly text: ManifestText;
  private readonly offsets = new NumberList();

  constructor(text: ManifestText) {
    super();
    this.text = text;
  }

  /**
   * Reads the entries of `list`, to any depth that may be written: what is wrong with their shape is thrown. In the order of the
   * text, each entry once: read level by level, a deep tree would be read as often as it is deep.
   */
  *read(list: JsonNode, depth = 0): Steps<number> {
    const { text, offsets } = this;
    const { json } = text;
    let end = list + 1;
    for (let node = json.first(list); node !== NO_NODE; node = json.next(end)) {
      if (depth >= DEFAULT_LIMITS.treeDepth) {
        throw manifestError(json.bytes, `entries are nested more than ${depth} levels deep`, node);
      }
      const at = offsets.length;
      for (let word = 0; word < ENTRY_WORDS; word++) offsets.push(depth);
      if (this.count % STEP_ENTRIES === 0) yield;
      const entry = new Members(text, node, "children");
      for (let value = entry.stop; value !== NO_NODE; value = entry.goOn(end)) {
        end = json.kind(value) === "array" ? yield* this.read(value, depth + 1) : json.end(value);
      }
      offsets.set(at, entry.text("name"));
      offsets.set(at + 1, entry.text("kind"));
      offsets.set(at + 2, entry.optionalU64("size") === undefined ? 0 : entry.at("size"));
      entry.optionalList("children");
      end = entry.end;
    }
    return json.closed(end);
  }

  /** Throws if a kind is none. */
  *checkKinds(): Steps<void> {
    for (let index = 0; index < this.count; index++) {
      this.kind(index);
      this.text.garbage.add(WORD_COST);
      if (index % STEP_ENTRIES === 0) yield;
    }
  }

  get count(): number {
    return this.offsets.length / ENTRY_WORDS;
  }

  override flat(): FlatRecords {
    return this;
  }

  override list(): FileEntry[] {
    const open: FileEntry[][] = [[]];
    for (let index = 0; index < this.count; index++) {
      const depth = this.depth(index);
      const isParent = this.depth(index + 1) > depth;
      const { name, kind, size } = this.own(index);
      const children: FileEntry[] = [];
      open[depth]?.push({ name: decodeLossy(name), kind, size, ...(isParent ? { children } : {}) });
      open[depth + 1] = children;
    }
    return open[0] ?? [];
  }

  depth(index: number): number {
    return this.offsets.get(ENTRY_WORDS * index + 3);
  }

  own(index: number): OwnFields {
    const { json } = this.text;
    const size = this.offsets.get(ENTRY_WORDS * index + 2);
    return {
      name: json.utf8(this.offsets.get(ENTRY_WORDS * index)),
      kind: this.kind(index),
      size: size === 0 ? 0 : (json.integer(size) ?? 0),
    };
  }

  private kind(index: number): FileEntry["kind"] {
    return entryKindWord(this.text.json.text(this.offsets.get(ENTRY_WORDS * index + 1), WORD_BYTES));
  }
}

const STEP_HUNKS = 256;

export class DiffHunks extends NestedRecords<DiffHunk> implements FlatRecords {
  private readonly text: ManifestText;
  private readonly offsets = new NumberList();

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
