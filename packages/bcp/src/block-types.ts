// Every block type: its fields in a table that reads and writes it, and its TypeScript type (FORMAT.md, "Block types").

import { block } from "./block-table.ts";
import type { BlockFrame, BlockOf, BlockTable } from "./block-table.ts";
import { anyOf, bytes, oneOf, optional, records, table, text, u32, u64 } from "./field-table.ts";
import type { RecordOf, Table } from "./field-table.ts";
import type { RecordList } from "./record-list.ts";

// CODE: a piece of source text.

/** Languages with a name. 255 says "unknown" outright; every other byte is kept as a number. */
export const LANGS = [
  "rust",
  "typescript",
  "javascript",
  "python",
  "go",
  "java",
  "c",
  "cpp",
  "ruby",
  "shell",
  "sql",
  "html",
  "css",
  "json",
  "yaml",
  "toml",
  "markdown",
] as const;

const code = block(1, "code", {
  lang: anyOf<LangName>(1, "Lang", LANGS, new Map([[255, "unknown"]])),
  path: text(2),
  content: bytes(3),
  // One range in two fields: a single one of them is no range, and is never written.
  lineStart: optional(u32(4)),
  lineEnd: optional(u32(5)),
});

type LangName = (typeof LANGS)[number] | "unknown";
export type Lang = LangName | number;
export type CodeBlock = BlockOf<typeof code>;

// CONVERSATION: one turn.

export const ROLES = ["system", "user", "assistant", "tool"] as const;

const conversation = block(2, "conversation", {
  role: oneOf(1, "Role", ROLES),
  content: bytes(2),
  toolCallId: optional(text(3)),
});

export type Role = (typeof ROLES)[number];
export type ConversationBlock = BlockOf<typeof conversation>;

// FILE_TREE: a directory listing of any depth.

export type FileEntry = {
  readonly name: string;
  readonly kind: "file" | "directory";
  /** Bytes; a bigint from 2^53 on. Absent where nobody knows it: then none is written, read or shown. */
  readonly size?: number | bigint;
  /** An array, or what lies in the payload and is read when it is asked for. */
  readonly children?: RecordList<FileEntry>;
};

const fileEntry: Table = table({
  name: text(1),
  // The only enumeration that starts at 0, and the only one the reference compares in all its 64 bits.
  kind: oneOf(2, "FileEntryKind", ["file", "directory"], { first: 0, wide: true }),
  size: optional(u64(3)),
  children: optional(records<FileEntry>(4, () => fileEntry)),
});

const fileTree = block(3, "file_tree", {
  rootPath: text(1),
  entries: records<FileEntry>(2, () => fileEntry),
});

export type FileTreeBlock = BlockOf<typeof fileTree>;

// TOOL_RESULT: what one tool call returned.

export const STATUSES = ["ok", "error", "timeout"] as const;

const toolResult = block(4, "tool_result", {
  toolName: text(1),
  status: oneOf(2, "Status", STATUSES),
  content: bytes(3),
  schemaHint: optional(text(4)),
});

export type Status = (typeof STATUSES)[number];
export type ToolResultBlock = BlockOf<typeof toolResult>;

// DOCUMENT: prose with a title.

export const FORMAT_HINTS = ["markdown", "plain", "html"] as const;

const document = block(5, "document", {
  title: text(1),
  content: bytes(2),
  formatHint: oneOf(3, "FormatHint", FORMAT_HINTS),
});

export type FormatHint = (typeof FORMAT_HINTS)[number];
export type DocumentBlock = BlockOf<typeof document>;

// STRUCTURED_DATA: a value in some notation.

export const DATA_FORMATS = ["json", "yaml", "toml", "csv"] as const;

const structuredData = block(6, "structured_data", {
  format: oneOf(1, "DataFormat", DATA_FORMATS),
  schema: optional(text(2)),
  content: bytes(3),
});

export type DataFormat = (typeof DATA_FORMATS)[number];
export type StructuredDataBlock = BlockOf<typeof structuredData>;

// DIFF: changes to one file.

const hunkFields = {
  oldStart: u32(1),
  newStart: u32(2),
  // Body lines with their prefix; an `@@` line is only shown if it stands in here (D-34).
  lines: bytes(3),
};
const diffHunk: Table = table(hunkFields);

export type DiffHunk = RecordOf<typeof hunkFields>;

const diff = block(7, "diff", {
  path: text(1),
  hunks: records<DiffHunk>(2, () => diffHunk),
});

export type DiffBlock = BlockOf<typeof diff>;

// ANNOTATION: a remark on another block, by its position; never rendered.

export const ANNOTATION_KINDS = ["priority", "summary", "tag"] as const;

/** In the order in which a budget is spent; the first is 1 on the wire. */
export const PRIORITIES = ["critical", "high", "normal", "low", "background"] as const;

const annotation = block(8, "annotation", {
  /** Counts every block of the payload from 0, annotations too. */
  targetBlockId: u32(1),
  kind: oneOf(2, "AnnotationKind", ANNOTATION_KINDS),
  value: bytes(3),
});

export type AnnotationKind = (typeof ANNOTATION_KINDS)[number];
export type Priority = (typeof PRIORITIES)[number];
export type AnnotationBlock = BlockOf<typeof annotation>;

/** The priority that an annotation sets, if it does and the value is one. */
export function priorityOf(annotation: AnnotationBlock): Priority | undefined {
  return annotation.kind === "priority" ? PRIORITIES[(annotation.value[0] ?? 0) - 1] : undefined;
}

/** The `value` of an annotation that sets a priority. */
export function priorityValue(priority: Priority): Uint8Array {
  return Uint8Array.of(PRIORITIES.indexOf(priority) + 1);
}

// EMBEDDING_REF: a vector kept elsewhere.

const embeddingRef = block(9, "embedding_ref", {
  vectorId: bytes(1),
  sourceHash: bytes(2),
  model: text(3),
});

export type EmbeddingRefBlock = BlockOf<typeof embeddingRef>;

// IMAGE: a picture, or a URI of one; nothing in the format tells which (D-20).

export const MEDIA_TYPES = ["png", "jpeg", "gif", "svg", "webp"] as const;

const image = block(10, "image", {
  mediaType: oneOf(1, "MediaType", MEDIA_TYPES),
  altText: text(2),
  data: bytes(3),
});

export type MediaType = (typeof MEDIA_TYPES)[number];
export type ImageBlock = BlockOf<typeof image>;

// EXTENSION: what others define.

const extension = block(254, "extension", {
  namespace: text(1),
  typeName: text(2),
  content: bytes(3),
});

export type ExtensionBlock = BlockOf<typeof extension>;

/** A block of a type that this version does not know, carried through unchanged. */
export type UnknownBlock = BlockFrame & {
  readonly type: "unknown";
  readonly typeId: number;
  readonly body: Uint8Array;
};

export type Block =
  | CodeBlock
  | ConversationBlock
  | FileTreeBlock
  | ToolResultBlock
  | DocumentBlock
  | StructuredDataBlock
  | DiffBlock
  | AnnotationBlock
  | EmbeddingRefBlock
  | ImageBlock
  | ExtensionBlock
  | UnknownBlock;

export type BlockType = Block["type"];
export type KnownType = Exclude<BlockType, "unknown">;

const TABLES = [
  code,
  conversation,
  fileTree,
  toolResult,
  document,
  structuredData,
  diff,
  annotation,
  embeddingRef,
  image,
  extension,
] as const satisfies readonly BlockTable[];

/** The types that have a table, in the order of their numbers. */
export const KNOWN_TYPES: readonly KnownType[] = TABLES.map(({ type }) => type);

const byId = new Map<number, BlockTable>(TABLES.map((table) => [table.typeId, table]));
const byType = new Map<string, BlockTable>(TABLES.map((table) => [table.type, table]));

export function tableById(typeId: number): BlockTable | undefined {
  return byId.get(typeId);
}

export function tableByType(type: string): BlockTable | undefined {
  return byType.get(type);
}
