// All block types together: the Block union, and the tables by type and by number.

import { annotation } from "./blocks/annotation.ts";
import type { AnnotationBlock } from "./blocks/annotation.ts";
import type { BlockFrame, BlockTable } from "./blocks/block.ts";
import { code } from "./blocks/code.ts";
import type { CodeBlock } from "./blocks/code.ts";
import { conversation } from "./blocks/conversation.ts";
import type { ConversationBlock } from "./blocks/conversation.ts";
import { diff } from "./blocks/diff.ts";
import type { DiffBlock } from "./blocks/diff.ts";
import { document } from "./blocks/document.ts";
import type { DocumentBlock } from "./blocks/document.ts";
import { embeddingRef } from "./blocks/embedding-ref.ts";
import type { EmbeddingRefBlock } from "./blocks/embedding-ref.ts";
import { extension } from "./blocks/extension.ts";
import type { ExtensionBlock } from "./blocks/extension.ts";
import { fileTree } from "./blocks/file-tree.ts";
import type { FileTreeBlock } from "./blocks/file-tree.ts";
import { image } from "./blocks/image.ts";
import type { ImageBlock } from "./blocks/image.ts";
import { structuredData } from "./blocks/structured-data.ts";
import type { StructuredDataBlock } from "./blocks/structured-data.ts";
import { toolResult } from "./blocks/tool-result.ts";
import type { ToolResultBlock } from "./blocks/tool-result.ts";

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

const byId: readonly (BlockTable | undefined)[] = indexById();
const byType = new Map<string, BlockTable>(TABLES.map((table) => [table.type, table]));

export function tableById(typeId: number): BlockTable | undefined {
  return byId[typeId];
}

export function tableByType(type: string): BlockTable | undefined {
  return byType.get(type);
}

function indexById(): (BlockTable | undefined)[] {
  const index = Array.from<BlockTable | undefined>({ length: 256 }).fill(undefined);
  for (const table of TABLES) index[table.typeId] = table;
  return index;
}
