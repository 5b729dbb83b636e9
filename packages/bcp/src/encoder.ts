// The encoder as a builder: add blocks, say things about the last one, encode as often as you like.

import { EncodeError } from "./bcp-errors.ts";
import { priorityValue } from "./block-types.ts";
import type {
  AnnotationKind,
  DataFormat,
  DiffHunk,
  FileEntry,
  FormatHint,
  Lang,
  MediaType,
  Priority,
  Role,
  Status,
} from "./block-types.ts";
import type { ContentStore } from "./content-store.ts";
import { encode } from "./encode-payload.ts";
import type { EncodeOptions, NewBlock } from "./encode-payload.ts";
import { toUtf8 } from "./utf8-text.ts";

/** Text is written as UTF-8. */
export type Content = string | Uint8Array;

type Mutable = { -readonly [K in keyof EncodeOptions]: EncodeOptions[K] };

/**
 * What is said with `with…` goes to the last block that was added by name. The reference attaches it to the last block
 * of any kind, so that a summary after a priority ends up on the priority's annotation; that loses it (D-30).
 */
export class Encoder {
  private readonly list: NewBlock[] = [];
  private readonly options: Mutable = {};
  private target = -1;

  add(block: NewBlock): this {
    this.target = this.list.push(block) - 1;
    return this;
  }

  addCode(lang: Lang, path: string, content: Content, range?: { lineStart: number; lineEnd: number }): this {
    return this.add({ type: "code", lang, path, content: toBytes(content), ...range });
  }

  addConversation(role: Role, content: Content, toolCallId?: string): this {
    const id = toolCallId === undefined ? {} : { toolCallId };
    return this.add({ type: "conversation", role, content: toBytes(content), ...id });
  }

  addFileTree(rootPath: string, entries: readonly FileEntry[]): this {
    return this.add({ type: "file_tree", rootPath, entries });
  }

  addToolResult(toolName: string, status: Status, content: Content, schemaHint?: string): this {
    const hint = schemaHint === undefined ? {} : { schemaHint };
    return this.add({ type: "tool_result", toolName, status, content: toBytes(content), ...hint });
  }

  addDocument(title: string, content: Content, formatHint: FormatHint): this {
    return this.add({ type: "document", title, content: toBytes(content), formatHint });
  }

  addStructuredData(format: DataFormat, content: Content, schema?: string): this {
    const named = schema === undefined ? {} : { schema };
    return this.add({ type: "structured_data", format, content: toBytes(content), ...named });
  }

  addDiff(path: string, hunks: readonly DiffHunk[]): this {
    return this.add({ type: "diff", path, hunks });
  }

  addAnnotation(targetBlockId: number, kind: AnnotationKind, value: Content): this {
    return this.add({ type: "annotation", targetBlockId, kind, value: toBytes(value) });
  }

  addEmbeddingRef(vectorId: Content, sourceHash: Uint8Array, model: string): this {
    return this.add({ type: "embedding_ref", vectorId: toBytes(vectorId), sourceHash, model });
  }

  addImage(mediaType: MediaType, altText: string, data: Content): this {
    return this.add({ type: "image", mediaType, altText, data: toBytes(data) });
  }

  addExtension(namespace: string, typeName: string, content: Content): this {
    return this.add({ type: "extension", namespace, typeName, content: toBytes(content) });
  }

  addUnknown(typeId: number, body: Content): this {
    return this.add({ type: "unknown", typeId, body: toBytes(body) });
  }

  withSummary(summary: string): this {
    return this.revise("with_summary", { summary });
  }

  /** Adds an annotation behind the block: later blocks move by one. */
  withPriority(priority: Priority): this {
    const targetBlockId = this.requireTarget("with_priority");
    this.list.push({ type: "annotation", targetBlockId, kind: "priority", value: priorityValue(priority) });
    return this;
  }

  withCompression(): this {
    return this.revise("with_compression", { compress: true });
  }

  withContentAddressing(): this {
    return this.revise("with_content_addressing", { address: true });
  }

  /** All blocks, those already added and those to come. */
  compressBlocks(): this {
    this.options.compressBlocks = true;
    return this;
  }

  compressPayload(): this {
    this.options.compressPayload = true;
    return this;
  }

  setContentStore(store: ContentStore): this {
    this.options.store = store;
    return this;
  }

  dedup(): this {
    this.options.dedup = true;
    return this;
  }

  get blocks(): readonly NewBlock[] {
    return this.list;
  }

  encode(): Promise<Uint8Array> {
    return encode(this.list, this.options);
  }

  private revise(method: string, change: { summary?: string; compress?: boolean; address?: boolean }): this {
    const target = this.requireTarget(method);
    const block = this.list[target];
    if (block) this.list[target] = { ...block, ...change };
    return this;
  }

  private requireTarget(method: string): number {
    if (this.target >= 0) return this.target;
    throw new EncodeError("NoBlockTarget", `${method} called but no blocks have been added yet`);
  }
}

function toBytes(content: Content): Uint8Array {
  return typeof content === "string" ? toUtf8(content) : content;
}
