// What each block type looks like in a manifest. Reading an entry checks its shape; building it, later, its words.

import { priorityValue } from "../block-types.ts";
import type { KnownType } from "../block-types.ts";
import { fromHex } from "../content-store.ts";
import type { Steps } from "../cooperative-work.ts";
import type { JsonNode } from "../json-document.ts";
import type { LazyBlock } from "../lazy-block.ts";
import {
  annotationWord,
  dataWord,
  documentWord,
  langWord,
  mediaWord,
  priorityWord,
  roleWord,
  statusWord,
} from "./enum-words.ts";
import { imageData } from "./image-data.ts";
import { ManifestError, WORD_BYTES } from "./json-members.ts";
import type { ManifestText, Members } from "./json-members.ts";
import { DiffHunks, TreeEntries } from "./nested-entries.ts";

/** `strict` is what the reference reads; `extended` adds the other block types and more keys. */
export type ManifestShape = "strict" | "extended";

/** Builds the block from its content, or without one. */
export type EntryBuilder =
  | { readonly content: "required" | "optional"; build(content: Uint8Array | undefined): LazyBlock }
  | { readonly content: "none"; readonly nested?: NestedSteps; build(): LazyBlock };

/** What is nested in an entry, read and checked in steps: there may be millions. */
type NestedSteps = {
  /** Checks its shape; comes before everything else. */
  read(): Steps<unknown>;
  /** Checks its words. */
  check(): Steps<void>;
};

type Read = (entry: Members, shape: ManifestShape, text: ManifestText) => EntryBuilder;

const NO_BYTES = new Uint8Array(0);

/** The types of the reference, in the order in which it lists them. */
export const STRICT_TYPES = ["code", "conversation", "tool_result", "document", "structured_data"] as const;

export const ENTRIES: Readonly<Record<KnownType, Read>> = {
  code(entry, shape, { json }) {
    const lang = entry.word("lang");
    const path = entry.text("path");
    const range = shape === "extended" ? lineRange(entry) : {};
    return withContent((content) => ({ type: "code", lang: langWord(lang), path: json.utf8(path), content, ...range }));
  },

  conversation(entry, shape, text) {
    const role = entry.word("role");
    const id = shape === "extended" ? entry.optionalText("tool_call_id") : undefined;
    return withContent((content) => ({
      type: "conversation",
      role: roleWord(role),
      content,
      ...present("toolCallId", id, text),
    }));
  },

  tool_result(entry, shape, text) {
    const extended = shape === "extended";
    const name = extended ? entry.text("name", "tool_name") : entry.text("name");
    const status = entry.optionalWord("status") ?? "ok";
    const hint = extended ? entry.optionalText("schema_hint") : undefined;
    return withContent((content) => ({
      type: "tool_result",
      toolName: text.json.utf8(name),
      status: statusWord(status),
      content,
      ...present("schemaHint", hint, text),
    }));
  },

  document(entry, shape, { json }) {
    const title = entry.text("title");
    const format = shape === "extended" ? entry.optionalWord("format", "format_hint") : entry.optionalWord("format");
    return withContent((content) => ({
      type: "document",
      title: json.utf8(title),
      content,
      formatHint: documentWord(format ?? "markdown"),
    }));
  },

  structured_data(entry, shape, text) {
    const format = entry.word("format");
    const schema = shape === "extended" ? entry.optionalText("schema") : undefined;
    return withContent((content) => ({
      type: "structured_data",
      format: dataWord(format),
      content,
      ...present("schema", schema, text),
    }));
  },

  file_tree(entry, _shape, text) {
    const root = entry.text("root", "root_path");
    const list = entry.optionalList("entries");
    const entries = new TreeEntries(text);
    return {
      content: "none",
      nested: {
        read: () => (list === undefined ? nothing() : entries.read(list)),
        check: () => entries.checkKinds(),
      },
      build: () => ({ type: "file_tree", rootPath: text.json.utf8(root), entries }),
    };
  },

  diff(entry, _shape, text) {
    const path = entry.text("path");
    const list = entry.optionalList("hunks");
    const hunks = new DiffHunks(text);
    return {
      content: "none",
      nested: { read: () => (list === undefined ? nothing() : hunks.read(list)), check: nothing },
      build: () => ({ type: "diff", path: text.json.utf8(path), hunks }),
    };
  },

  annotation(entry, _shape, { json }) {
    const targetBlockId = entry.u32("target_block_id");
    const kindName = entry.word("kind");
    const value = entry.text("value");
    return {
      content: "none",
      build() {
        const kind = annotationWord(kindName);
        const isPriority = kind === "priority";
        const bytes = isPriority ? priorityValue(priorityWord(json.text(value, WORD_BYTES))) : json.utf8(value);
        return { type: "annotation", targetBlockId, kind, value: bytes };
      },
    };
  },

  embedding_ref(entry, _shape, { json }) {
    const vectorId = entry.text("vector_id");
    const hash = entry.text("source_hash");
    const model = entry.text("model");
    return {
      content: "none",
      build() {
        const sourceHash = fromHex(json.utf8(hash));
        if (!sourceHash) throw new ManifestError("source_hash must be hexadecimal");
        return { type: "embedding_ref", vectorId: json.utf8(vectorId), sourceHash, model: json.utf8(model) };
      },
    };
  },

  image(entry, _shape, { json }) {
    const mediaName = entry.word("media_type");
    const altText = entry.text("alt_text");
    const data = entry.optionalText("data");
    return {
      content: "optional", // from content_file; `data` wins
      build(content) {
        const bytes = data === undefined ? content : imageData(json.utf8(data));
        if (!bytes) throw new ManifestError('image block requires either "data" or "content_file"');
        return { type: "image", mediaType: mediaWord(mediaName), altText: json.utf8(altText), data: bytes };
      },
    };
  },

  extension(entry, _shape, { json }) {
    const namespace = entry.text("namespace");
    const typeName = entry.text("type_name");
    return withContent((content) => ({
      type: "extension",
      namespace: json.utf8(namespace),
      typeName: json.utf8(typeName),
      content,
    }));
  },
};

function* nothing(): Steps<void> {}

function withContent(build: (content: Uint8Array) => LazyBlock): EntryBuilder {
  return { content: "required", build: (content) => build(content ?? NO_BYTES) };
}

type Present<K extends string> = { readonly [P in K]?: Uint8Array };

function present<K extends string>(key: K, node: JsonNode | undefined, { json }: ManifestText): Present<K> {
  return node === undefined ? {} : ({ [key]: json.utf8(node) } as Present<K>);
}

function lineRange(entry: Members): { lineStart?: number; lineEnd?: number } {
  const lineStart = entry.optionalU32("line_start");
  const lineEnd = entry.optionalU32("line_end");
  if (lineStart === undefined && lineEnd === undefined) return {};
  if (lineStart === undefined || lineEnd === undefined) throw entry.problem("line_start and line_end belong together");
  return { lineStart, lineEnd };
}
