// The entries of a file tree in a manifest, by where they stand in it: a tree may have millions.

import type { FileEntry } from "../blocks/file-tree.ts";
import type { NamedField } from "../fields.ts";
import { NO_NODE } from "../json.ts";
import type { JsonNode } from "../json.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { NestedRecords } from "../nested-records.ts";
import { Offsets } from "../offsets.ts";
import { decodeLossy } from "../utf8.ts";
import { closeRecord, nestedTable, writeFields } from "../write-fields.ts";
import type { BackWriter } from "../writer.ts";
import { manifestError, Members, WORD_BYTES } from "./members.ts";
import type { ManifestText } from "./members.ts";
import { entryKindWord } from "./words.ts";

// Of each entry, in the order in which they stand there: name, kind, size (0 where there is none), and depth.
const ENTRY_WORDS = 4;
// What looking at the kind of one leaves behind, and writing one.
const WORD_COST = 128;
const ENTRY_COST = 1024;

export class TreeEntries extends NestedRecords<FileEntry> {
  private readonly text: ManifestText;
  private readonly offsets = new Offsets();

  /** Reads the entries of `list`, to any depth that may be written: what is wrong with their shape is thrown. */
  constructor(text: ManifestText, list: JsonNode | undefined) {
    super();
    this.text = text;
    if (list !== undefined) this.read(list, 0);
  }

  /** Throws if a kind is none. */
  checkKinds(): void {
    for (let at = 0; at < this.offsets.length; at += ENTRY_WORDS) {
      this.kind(at);
      this.text.garbage.more(WORD_COST);
    }
  }

  // Each entry stands behind its parent: going from the last to the first, all that one contains is there when its turn
  // comes. The children are the field with the highest number, and so the first to be prepended.
  override write(writer: BackWriter, field: NamedField): void {
    const table = nestedTable(field);
    const children = table.fields.at(-1);
    // What had been written before the children of the open entry of each depth.
    const marks: number[] = [];
    let before = 0;
    for (let at = this.offsets.length - ENTRY_WORDS; at >= 0; at -= ENTRY_WORDS) {
      const depth = this.offsets.get(at + 3);
      for (let level = before; level < depth; level++) marks[level] = writer.length;
      const mark = before > depth ? (marks[depth] ?? 0) : writer.length;
      writeFields(writer, table, this.own(at), 0);
      closeRecord(writer, mark, depth > 0 && children ? children : field);
      before = depth;
      this.text.garbage.more(ENTRY_COST);
    }
  }

  override list(): FileEntry[] {
    const open: FileEntry[][] = [[]];
    for (let at = 0; at < this.offsets.length; at += ENTRY_WORDS) {
      const depth = this.offsets.get(at + 3);
      const isParent = this.offsets.get(at + ENTRY_WORDS + 3) > depth;
      const { name, kind, size } = this.own(at);
      const children: FileEntry[] = [];
      open[depth]?.push({ name: decodeLossy(name), kind, size, ...(isParent ? { children } : {}) });
      open[depth + 1] = children;
    }
    return open[0] ?? [];
  }

  // In the order of the text, each entry once: read level by level, a deep tree would be read as often as it is deep.
  private read(list: JsonNode, depth: number): number {
    const { text, offsets } = this;
    const { json } = text;
    let end = list + 1;
    for (let node = json.first(list); node !== NO_NODE; node = json.next(end)) {
      if (depth >= DEFAULT_LIMITS.treeDepth) {
        throw manifestError(json.bytes, `entries are nested more than ${depth} levels deep`, node);
      }
      const at = offsets.length;
      for (let word = 0; word < ENTRY_WORDS; word++) offsets.push(depth);
      const entry = new Members(text, node, { name: "children", read: (value) => this.readChildren(value, depth + 1) });
      offsets.set(at, entry.text("name"));
      offsets.set(at + 1, entry.text("kind"));
      offsets.set(at + 2, entry.optionalU64("size") === undefined ? 0 : entry.at("size"));
      entry.optionalList("children");
      end = entry.end;
    }
    return json.closed(end);
  }

  private readChildren(value: JsonNode, depth: number): number {
    const { json } = this.text;
    return json.kind(value) === "array" ? this.read(value, depth) : json.end(value);
  }

  private own(at: number): { name: Uint8Array; kind: FileEntry["kind"]; size: number | bigint } {
    const { json } = this.text;
    const size = this.offsets.get(at + 2);
    return {
      name: json.utf8(this.offsets.get(at)),
      kind: this.kind(at),
      size: size === 0 ? 0 : (json.integer(size) ?? 0),
    };
  }

  private kind(at: number): FileEntry["kind"] {
    return entryKindWord(this.text.json.text(this.offsets.get(at + 1), WORD_BYTES));
  }
}
