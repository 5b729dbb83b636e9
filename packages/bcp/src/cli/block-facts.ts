// What `inspect` and `stats` say about a block. Sizes are those of the content, not of what is stored (D-47).

import { priorityOf } from "../blocks/annotation.ts";
import type { AnnotationBlock } from "../blocks/annotation.ts";
import type { Block } from "../blocks/all.ts";
import type { Lang } from "../blocks/code.ts";
import { quote } from "../quote.ts";
import { typeHex } from "../render/mode.ts";
import { decodeLossy } from "../utf8.ts";

const NO_BYTES = new Uint8Array(0);
const ENTRY_BYTES = 8; // what the reference counts for each top-level entry of a tree
const EMBEDDING_BYTES = 32;

/** `CODE`, `UNKNOWN`. */
export function typeTitle(block: Block): string {
  return block.type.toUpperCase();
}

/** What stands behind the type in `inspect`, with a leading space. */
export function detail(block: Block): string {
  switch (block.type) {
    case "code":
      return ` [${langTitle(block.lang)}] path=${quote(block.path)}`;
    case "conversation":
      return ` [${block.role}]`;
    case "file_tree":
      return ` root=${quote(block.rootPath)}`;
    case "tool_result":
      return ` [${block.toolName}] status=${block.status}`;
    case "document":
      return ` title=${quote(block.title)}`;
    case "structured_data":
      return ` format=${block.format}`;
    case "diff":
      return ` path=${quote(block.path)}`;
    case "annotation":
      return ` target=${block.targetBlockId} kind=${block.kind} value=${quote(annotationText(block))}`;
    case "embedding_ref":
      return " [embedding ref]";
    case "image":
      return ` [${block.mediaType}] alt=${quote(block.altText)}`;
    case "extension":
      return ` namespace=${quote(block.namespace)} type=${quote(block.typeName)}`;
    case "unknown":
      return ` [0x${typeHex(block)}]`;
  }
}

export function size(block: Block): number {
  switch (block.type) {
    case "file_tree":
      return ENTRY_BYTES * block.entries.length;
    case "diff":
      return block.hunks.reduce((sum, { lines }) => sum + lines.length, 0);
    case "embedding_ref":
      return EMBEDDING_BYTES;
    default:
      return primaryBytes(block).length;
  }
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

/** The same for programs: the small fields of the block under their names on the wire. */
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
      return { target_block_id: block.targetBlockId, kind: block.kind, value: annotationText(block) };
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

function annotationText(block: AnnotationBlock): string {
  return priorityOf(block) ?? decodeLossy(block.value);
}

function langTitle(lang: Lang): string {
  return typeof lang === "number" ? `other(${lang})` : lang;
}
