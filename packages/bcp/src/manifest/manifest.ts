// JSON manifest → blocks (FORMAT.md, "Manifests").

import { KNOWN_TYPES } from "../blocks/all.ts";
import type { KnownType } from "../blocks/all.ts";
import { priorityValue } from "../blocks/annotation.ts";
import type { NewBlock } from "../encode.ts";
import { JsonError, parseJson } from "../json.ts";
import type { Json } from "../json.ts";
import { toUtf8 } from "../utf8.ts";
import { ENTRIES, STRICT_TYPES } from "./entries.ts";
import type { EntryBuilder, ManifestShape } from "./entries.ts";
import { ManifestError, manifestError, Members } from "./members.ts";
import { priorityWord } from "./words.ts";

/** A manifest whose shape has been checked. */
export type Manifest = {
  readonly entries: readonly ManifestEntry[];
  readonly compressPayload: boolean;
  readonly dedup: boolean;
};

export type ManifestEntry = {
  readonly type: KnownType;
  readonly builder: EntryBuilder;
  readonly content?: string;
  readonly contentFile?: string;
  readonly summary?: string;
  readonly priority?: string;
  readonly compress: boolean;
};

/** Checks the shape of all entries. Throws ManifestError with line and column. */
export function parseManifest(text: string, shape: ManifestShape = "strict"): Manifest {
  const top = Members.of(text, parse(text));
  const entries = top.list("blocks", true).map((json) => parseEntry(text, json, shape));
  const extended = shape === "extended";
  return {
    entries,
    compressPayload: extended && top.flag("compress_payload"),
    dedup: extended && top.flag("auto_dedup"),
  };
}

/** The blocks of a manifest. `readFile` gets each `content_file` as the manifest spells it. */
export async function buildManifest(
  manifest: Manifest,
  readFile: (path: string) => Promise<Uint8Array>,
): Promise<NewBlock[]> {
  const blocks: NewBlock[] = [];
  for (const [index, entry] of manifest.entries.entries()) {
    try {
      await addEntry(blocks, entry, readFile);
    } catch (error) {
      if (!(error instanceof ManifestError)) throw error;
      throw new ManifestError(`block ${index}: failed to apply: ${error.message}`, { block: index });
    }
  }
  return blocks;
}

function parse(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) throw manifestError(text, error.message, error.at);
    throw error;
  }
}

function parseEntry(text: string, json: Json, shape: ManifestShape): ManifestEntry {
  const members = Members.of(text, json);
  const type = members.string("type");
  const types: readonly KnownType[] = shape === "strict" ? STRICT_TYPES : KNOWN_TYPES;
  const known = types.find((name) => name === type);
  if (!known) {
    const list = types.map((name) => `\`${name}\``).join(", ");
    throw members.problem(`unknown variant \`${type}\`, expected one of ${list}`, members.at("type"));
  }
  const builder = ENTRIES[known](members, shape, text);
  const content = builder.content === "none" ? undefined : members.optionalString("content");
  const contentFile = builder.content === "none" ? undefined : members.optionalString("content_file");
  const remarks = hasRemarks(known, shape);
  const summary = remarks ? members.optionalString("summary") : undefined;
  const priority = remarks && known !== "annotation" ? members.optionalString("priority") : undefined;
  return {
    type: known,
    builder,
    ...(content === undefined ? {} : { content }),
    ...(contentFile === undefined ? {} : { contentFile }),
    ...(summary === undefined ? {} : { summary }),
    ...(priority === undefined ? {} : { priority }),
    compress: shape === "extended" && members.flag("compress"),
  };
}

// The reference silently drops both on two types (D-39).
function hasRemarks(type: KnownType, shape: ManifestShape): boolean {
  return shape === "extended" || (type !== "tool_result" && type !== "structured_data");
}

async function addEntry(
  blocks: NewBlock[],
  entry: ManifestEntry,
  readFile: (path: string) => Promise<Uint8Array>,
): Promise<void> {
  const index = blocks.length;
  // Content, then words, then the priority: the reference's order of complaints.
  const { builder } = entry;
  const block = builder.content === "none" ? builder.build() : builder.build(await contentOf(entry, readFile));
  const value = entry.priority === undefined ? undefined : priorityValue(priorityWord(entry.priority));
  const summary = entry.summary === undefined ? {} : { summary: entry.summary };
  blocks.push({ ...block, ...summary, ...(entry.compress ? { compress: true } : {}) });
  if (value) blocks.push({ type: "annotation", targetBlockId: index, kind: "priority", value });
}

async function contentOf(
  entry: ManifestEntry,
  readFile: (path: string) => Promise<Uint8Array>,
): Promise<Uint8Array | undefined> {
  if (entry.content !== undefined) return toUtf8(entry.content);
  if (entry.contentFile !== undefined) return readFile(entry.contentFile);
  if (entry.builder.content === "optional") return undefined;
  throw new ManifestError(`${entry.type} block requires either "content" or "content_file"`);
}
