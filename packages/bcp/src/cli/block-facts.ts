// What `inspect` and `stats` say about a block. Sizes are those of the content, not of what is stored (D-47).

import { priorityOf } from "../block-types.ts";
import type { AnnotationBlock, Block, DiffBlock, Lang } from "../block-types.ts";
import { runWithPauses } from "../cooperative-work.ts";
import type { PauseIfDue, Steps } from "../cooperative-work.ts";
import { GarbageCollection } from "../garbage-collection.ts";
import { escapeControls, quoted } from "../quote.ts";
import { cursorOf } from "../record-list.ts";
import { typeHex } from "../render/render-mode.ts";
import { piecesOf } from "./chunked-writer.ts";

const NO_BYTES = new Uint8Array(0);
const ENTRY_BYTES = 8; // what the reference counts for each top-level entry of a tree
const EMBEDDING_BYTES = 32;
// What reading a hunk leaves behind.
const HUNK_COST = 256;
const STEP_HUNKS = 256;

/** `CODE`, `UNKNOWN`. */
export function typeTitle(block: Block): string {
  return block.type.toUpperCase();
}

/** What stands behind the type in `inspect`, with a leading space; in pieces, since a value may be longer than a string. */
export function* detail(block: Block): Generator<string, void> {
  switch (block.type) {
    case "code":
      yield ` [${langTitle(block.lang)}] path=`;
      yield* quoted([block.path]);
      return;
    case "conversation":
      yield ` [${block.role}]`;
      return;
    case "file_tree":
      yield " root=";
      yield* quoted([block.rootPath]);
      return;
    case "tool_result":
      yield ` [${escapeControls(block.toolName)}] status=${block.status}`;
      return;
    case "document":
      yield " title=";
      yield* quoted([block.title]);
      return;
    case "structured_data":
      yield ` format=${block.format}`;
      return;
    case "diff":
      yield " path=";
      yield* quoted([block.path]);
      return;
    case "annotation":
      yield ` target=${block.targetBlockId} kind=${block.kind} value=`;
      yield* quoted(annotationText(block));
      return;
    case "embedding_ref":
      yield " [embedding ref]";
      return;
    case "image":
      yield ` [${block.mediaType}] alt=`;
      yield* quoted([block.altText]);
      return;
    case "extension":
      yield " namespace=";
      yield* quoted([block.namespace]);
      yield " type=";
      yield* quoted([block.typeName]);
      return;
    case "unknown":
      yield ` [0x${typeHex(block)}]`;
  }
}

/** Where it takes long, with pauses. */
export function size(block: Block, pauseIfDue: PauseIfDue): number | Promise<number> {
  switch (block.type) {
    case "file_tree":
      return ENTRY_BYTES * block.entries.length;
    case "diff":
      return runWithPauses(hunkBytes(block), pauseIfDue);
    case "embedding_ref":
      return EMBEDDING_BYTES;
    default:
      return primaryBytes(block).length;
  }
}

function* hunkBytes({ hunks }: DiffBlock): Steps<number> {
  const garbage = new GarbageCollection();
  const cursor = cursorOf(hunks);
  let bytes = 0;
  let count = 0;
  for (let hunk = cursor.next(); hunk; hunk = cursor.next()) {
    bytes += hunk.lines.length;
    garbage.add(HUNK_COST);
    if (++count % STEP_HUNKS === 0) yield;
  }
  return bytes;
}

/** What `--show-body` and `--show-hex` show; nothing for blocks made of records. */
export function primaryBytes(block: Block): Uint8Array {
  switch (block.type) {
    case "file_tree":
    case "diff":
    case "embedding_ref":
      return NO_BYTES;
    case "annotation":
      return block.value;
    case "image":
      return block.data;
    case "unknown":
      return block.body;
    default:
      return block.content;
  }
}

/**
 * The same for programs: the small fields of the block under their names on the wire. An annotation's value, which may not
 * be small, is left out.
 */
export function facts(block: Block): Record<string, unknown> {
  switch (block.type) {
    case "code": {
      const { lineStart, lineEnd } = block;
      const range =
        lineStart === undefined || lineEnd === undefined ? {} : { line_start: lineStart, line_end: lineEnd };
      return { lang: langTitle(block.lang), path: block.path, ...range };
    }
    case "conversation":
      return { role: block.role, ...(block.toolCallId === undefined ? {} : { tool_call_id: block.toolCallId }) };
    case "file_tree":
      return { root_path: block.rootPath, top_level_entries: block.entries.length };
    case "tool_result": {
      const hint = block.schemaHint === undefined ? {} : { schema_hint: block.schemaHint };
      return { tool_name: block.toolName, status: block.status, ...hint };
    }
    case "document":
      return { title: block.title, format_hint: block.formatHint };
    case "structured_data":
      return { format: block.format, ...(block.schema === undefined ? {} : { schema: block.schema }) };
    case "diff":
      return { path: block.path, hunks: block.hunks.length };
    case "annotation":
      return { target_block_id: block.targetBlockId, kind: block.kind };
    case "embedding_ref":
      return { model: block.model };
    case "image":
      return { media_type: block.mediaType, alt_text: block.altText };
    case "extension":
      return { namespace: block.namespace, type_name: block.typeName };
    case "unknown":
      return { type_id: block.typeId };
  }
}

/** The priority that it sets, or its value as text. */
export function annotationText(block: AnnotationBlock): Iterable<string> {
  const priority = priorityOf(block);
  return priority === undefined ? piecesOf(block.value) : [priority];
}

function langTitle(lang: Lang): string {
  return typeof lang === "number" ? `other(${lang})` : lang;
}
