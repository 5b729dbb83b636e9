// What each block type looks like in a manifest. Reading an entry checks its shape; building it, later, its words.

import { priorityValue } from "../blocks/annotation.ts";
import type { KnownType } from "../blocks/all.ts";
import type { DiffHunk } from "../blocks/diff.ts";
import type { FileEntry } from "../blocks/file-tree.ts";
import { fromHex } from "../content-store.ts";
import type { NewBlock } from "../encode.ts";
import type { Json } from "../json.ts";
import { DEFAULT_LIMITS } from "../limits.ts";
import { toUtf8 } from "../utf8.ts";
import { ManifestError, Members } from "./members.ts";
import {
  annotationWord,
  dataWord,
  documentWord,
  entryKindWord,
  langWord,
  mediaWord,
  priorityWord,
  roleWord,
  statusWord,
} from "./words.ts";

/** `strict` is what the reference reads; `extended` adds the other block types and more keys. */
export type ManifestShape = "strict" | "extended";

/** Builds the block from its content, or without one. */
export type EntryBuilder =
  | { readonly content: "required" | "optional"; build(content: Uint8Array | undefined): NewBlock }
  | { readonly content: "none"; build(): NewBlock };

type Read = (entry: Members, shape: ManifestShape, text: string) => EntryBuilder;

const NO_BYTES = new Uint8Array(0);
const URI_SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/** The types of the reference, in the order in which it lists them. */
export const STRICT_TYPES = ["code", "conversation", "tool_result", "document", "structured_data"] as const;

export const ENTRIES: Readonly<Record<KnownType, Read>> = {
  code(entry, shape) {
    const lang = entry.string("lang");
    const path = entry.string("path");
    const range = shape === "extended" ? lineRange(entry) : {};
    return withContent((content) => ({ type: "code", lang: langWord(lang), path, content, ...range }));
  },

  conversation(entry, shape) {
    const role = entry.string("role");
    const id = shape === "extended" ? present("toolCallId", entry.optionalString("tool_call_id")) : {};
    return withContent((content) => ({ type: "conversation", role: roleWord(role), content, ...id }));
  },

  tool_result(entry, shape) {
    const extended = shape === "extended";
    const toolName = extended ? entry.string("name", "tool_name") : entry.string("name");
    const status = entry.optionalString("status") ?? "ok";
    const hint = extended ? present("schemaHint", entry.optionalString("schema_hint")) : {};
    return withContent((content) => ({ type: "tool_result", toolName, status: statusWord(status), content, ...hint }));
  },

  document(entry, shape) {
    const title = entry.string("title");
    const names = shape === "extended" ? ["format", "format_hint"] : ["format"];
    const format = entry.optionalString(...names) ?? "markdown";
    return withContent((content) => ({ type: "document", title, content, formatHint: documentWord(format) }));
  },

  structured_data(entry, shape) {
    const format = entry.string("format");
    const schema = shape === "extended" ? present("schema", entry.optionalString("schema")) : {};
    return withContent((content) => ({ type: "structured_data", format: dataWord(format), content, ...schema }));
  },

  file_tree(entry, _shape, text) {
    const rootPath = entry.string("root", "root_path");
    const build = treeEntries(text, entry.list("entries", false), 1);
    return { content: "none", build: () => ({ type: "file_tree", rootPath, entries: build() }) };
  },

  diff(entry, _shape, text) {
    const path = entry.string("path");
    const hunks = entry.list("hunks", false).map((json): DiffHunk => {
      const hunk = Members.of(text, json);
      const oldStart = hunk.u32("old_start");
      return { oldStart, newStart: hunk.u32("new_start"), lines: toUtf8(hunk.string("lines")) };
    });
    return { content: "none", build: () => ({ type: "diff", path, hunks }) };
  },

  annotation(entry) {
    const targetBlockId = entry.u32("target_block_id");
    const kindName = entry.string("kind");
    const value = entry.string("value");
    return {
      content: "none",
      build() {
        const kind = annotationWord(kindName);
        const bytes = kind === "priority" ? priorityValue(priorityWord(value)) : toUtf8(value);
        return { type: "annotation", targetBlockId, kind, value: bytes };
      },
    };
  },

  embedding_ref(entry) {
    const vectorId = toUtf8(entry.string("vector_id"));
    const hash = entry.string("source_hash");
    const model = entry.string("model");
    return {
      content: "none",
      build() {
        const sourceHash = fromHex(hash);
        if (!sourceHash) throw new ManifestError("source_hash must be hexadecimal");
        return { type: "embedding_ref", vectorId, sourceHash, model };
      },
    };
  },

  image(entry) {
    const mediaName = entry.string("media_type");
    const altText = entry.string("alt_text");
    const data = entry.optionalString("data");
    return {
      content: "optional", // from content_file; `data` wins
      build(content) {
        const bytes = data === undefined ? content : imageData(data);
        if (!bytes) throw new ManifestError('image block requires either "data" or "content_file"');
        return { type: "image", mediaType: mediaWord(mediaName), altText, data: bytes };
      },
    };
  },

  extension(entry) {
    const namespace = entry.string("namespace");
    const typeName = entry.string("type_name");
    return withContent((content) => ({ type: "extension", namespace, typeName, content }));
  },
};

function withContent(build: (content: Uint8Array) => NewBlock): EntryBuilder {
  return { content: "required", build: (content) => build(content ?? NO_BYTES) };
}

function present<K extends string>(key: K, value: string | undefined): { [P in K]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: string });
}

function lineRange(entry: Members): { lineStart?: number; lineEnd?: number } {
  const lineStart = entry.optionalU32("line_start");
  const lineEnd = entry.optionalU32("line_end");
  if (lineStart === undefined && lineEnd === undefined) return {};
  if (lineStart === undefined || lineEnd === undefined) throw entry.problem("line_start and line_end belong together");
  return { lineStart, lineEnd };
}

// Recursion is safe here: the depth that the encoder allows is the depth that is read.
function treeEntries(text: string, items: readonly Json[], depth: number): () => readonly FileEntry[] {
  const drafts = items.map((json) => {
    const entry = Members.of(text, json);
    if (depth > DEFAULT_LIMITS.treeDepth) throw entry.problem(`entries are nested more than ${depth - 1} levels deep`);
    const name = entry.string("name");
    const kind = entry.string("kind");
    const size = entry.optionalU64("size") ?? 0;
    const nested = entry.list("children", false);
    const children = nested.length > 0 ? treeEntries(text, nested, depth + 1) : undefined;
    return { name, kind, size, children };
  });
  return () =>
    drafts.map(({ name, kind, size, children }) => ({
      name,
      kind: entryKindWord(kind),
      size,
      ...(children ? { children: children() } : {}),
    }));
}

function imageData(data: string): Uint8Array {
  // A URI is kept as text: nothing in the format tells the two apart, so the reader has to look as well (D-20).
  if (URI_SCHEME.test(data)) return toUtf8(data);
  const compact = data.replaceAll(/\s/g, "");
  if (compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(compact)) {
    throw new ManifestError("image data is neither base64 nor a URI");
  }
  return Uint8Array.from(atob(compact), (char) => char.charCodeAt(0));
}
