// JSON manifest → blocks (FORMAT.md, "Manifests").

import { KNOWN_TYPES, priorityValue } from "../block-types.ts";
import type { KnownType } from "../block-types.ts";
import { neverPause, runAtOnce, runWithPauses } from "../cooperative-work.ts";
import type { PauseIfDue, Steps } from "../cooperative-work.ts";
import type { NewBlock } from "../encode-payload.ts";
import { JsonError, jsonSteps, NO_NODE } from "../json-document.ts";
import type { JsonNode } from "../json-document.ts";
import { loadBlock } from "../lazy-block.ts";
import type { LazyBlock } from "../lazy-block.ts";
import { toUtf8 } from "../utf8-text.ts";
import { ENTRIES, STRICT_TYPES } from "./entry-types.ts";
import type { EntryBuilder, ManifestShape } from "./entry-types.ts";
import { priorityWord } from "./enum-words.ts";
import { manifestError, ManifestError, ManifestText, Members } from "./json-members.ts";

// No system has paths as long as this: what is cut here is not found, either.
const PATH_BYTES = 64 * 1024;

/** A manifest whose shape has been checked. Each walk through its entries reads them again: held, they take far more. */
export type Manifest = {
  readonly entries: Iterable<ManifestEntry>;
  /** The same with steps in between, where an entry takes long. */
  inSteps(): Iterable<ManifestEntry | undefined>;
  readonly compressPayload: boolean;
  readonly dedup: boolean;
};

export type ManifestEntry = {
  readonly type: KnownType;
  readonly builder: EntryBuilder;
  readonly contentFile?: string;
  readonly priority?: string;
  readonly compress: boolean;
  /** As UTF-8, perhaps a view of the manifest. */
  content(): Uint8Array | undefined;
  summary(): Uint8Array | undefined;
};

type ReadFile = (path: string) => Promise<Uint8Array>;

/** Checks the shape of all entries. Bytes are UTF-8. Throws ManifestError with line and column. */
export function parseManifest(source: string | Uint8Array, shape: ManifestShape = "strict"): Manifest {
  return runAtOnce(manifestSteps(typeof source === "string" ? toUtf8(source) : source, shape));
}

export function* manifestSteps(bytes: Uint8Array, shape: ManifestShape): Steps<Manifest> {
  const text = yield* parse(bytes);
  const top = new Members(text, text.json.root);
  const blocks = top.list("blocks");
  const inSteps = (): Iterable<ManifestEntry | undefined> => readEntries(text, blocks, shape);
  for (const _ of inSteps()) yield;
  const extended = shape === "extended";
  return {
    entries: { [Symbol.iterator]: () => wholeEntries(inSteps()) },
    inSteps,
    compressPayload: extended && top.flag("compress_payload"),
    dedup: extended && top.flag("auto_dedup"),
  };
}

/** The blocks of a manifest. `readFile` gets each `content_file` as the manifest spells it. */
export async function buildManifest(manifest: Manifest, readFile: ReadFile): Promise<NewBlock[]> {
  const all: NewBlock[] = [];
  for await (const block of manifestBlocks(manifest, readFile)) all.push(loadBlock(block));
  return all;
}

/** The same, one after the other, and of none more than is needed to write it. */
export async function* manifestBlocks(
  manifest: Manifest,
  readFile: ReadFile,
  pauseIfDue: PauseIfDue = neverPause,
): AsyncGenerator<LazyBlock, void> {
  let index = 0;
  let count = 0;
  for (const entry of manifest.inSteps()) {
    const pause = pauseIfDue();
    if (pause) await pause;
    if (!entry) continue;
    const blocks = await entryBlocks(entry, count, readFile, pauseIfDue).catch((error: unknown) => {
      if (!(error instanceof ManifestError)) throw error;
      throw new ManifestError(`block ${index}: failed to apply: ${error.message}`, { block: index });
    });
    yield* blocks;
    count += blocks.length;
    index++;
  }
}

function* parse(bytes: Uint8Array): Steps<ManifestText> {
  try {
    return new ManifestText(yield* jsonSteps(bytes));
  } catch (error) {
    if (error instanceof JsonError) throw manifestError(bytes, error.message, error.at);
    throw error;
  }
}

function* readEntries(
  text: ManifestText,
  list: JsonNode,
  shape: ManifestShape,
): Generator<ManifestEntry | undefined, void, undefined> {
  const { json } = text;
  let end = list + 1;
  for (let node = json.first(list); node !== NO_NODE; node = json.next(end)) {
    const members = new Members(text, node);
    end = members.end;
    yield yield* readEntry(text, members, shape);
  }
}

function* wholeEntries(entries: Iterable<ManifestEntry | undefined>): Generator<ManifestEntry, void> {
  for (const entry of entries) if (entry) yield entry;
}

function* readEntry(text: ManifestText, members: Members, shape: ManifestShape): Steps<ManifestEntry> {
  const type = members.word("type");
  const types: readonly KnownType[] = shape === "strict" ? STRICT_TYPES : KNOWN_TYPES;
  const known = types.find((name) => name === type);
  if (!known) {
    const list = types.map((name) => `\`${name}\``).join(", ");
    throw members.problem(`unknown variant \`${type}\`, expected one of ${list}`, members.at("type"));
  }
  const builder = ENTRIES[known](members, shape, text);
  if (builder.content === "none" && builder.nested) yield* builder.nested.read();
  const content = builder.content === "none" ? undefined : members.optionalText("content");
  const file = builder.content === "none" ? undefined : members.optionalText("content_file");
  const remarks = hasRemarks(known, shape);
  const summary = remarks ? members.optionalText("summary") : undefined;
  const priority = remarks && known !== "annotation" ? members.optionalWord("priority") : undefined;
  return {
    type: known,
    builder,
    ...(file === undefined ? {} : { contentFile: text.json.text(file, PATH_BYTES) }),
    ...(priority === undefined ? {} : { priority }),
    compress: shape === "extended" && members.flag("compress"),
    content: () => (content === undefined ? undefined : text.json.utf8(content)),
    summary: () => (summary === undefined ? undefined : text.json.utf8(summary)),
  };
}

// The reference silently drops both on two types (D-39).
function hasRemarks(type: KnownType, shape: ManifestShape): boolean {
  return shape === "extended" || (type !== "tool_result" && type !== "structured_data");
}

async function entryBlocks(
  entry: ManifestEntry,
  index: number,
  readFile: ReadFile,
  pauseIfDue: PauseIfDue,
): Promise<LazyBlock[]> {
  // Content, then words, then the priority: the reference's order of complaints.
  const { builder } = entry;
  if (builder.content === "none" && builder.nested) await runWithPauses(builder.nested.check(), pauseIfDue);
  const block = builder.content === "none" ? builder.build() : builder.build(await contentOf(entry, readFile));
  const value = entry.priority === undefined ? undefined : priorityValue(priorityWord(entry.priority));
  const summary = entry.summary();
  const said = summary === undefined ? {} : { summary };
  const blocks: LazyBlock[] = [{ ...block, ...said, ...(entry.compress ? { compress: true } : {}) }];
  if (value) blocks.push({ type: "annotation", targetBlockId: index, kind: "priority", value });
  return blocks;
}

async function contentOf(entry: ManifestEntry, readFile: ReadFile): Promise<Uint8Array | undefined> {
  const content = entry.content();
  if (content !== undefined) return content;
  if (entry.contentFile !== undefined) return readFile(entry.contentFile);
  if (entry.builder.content === "optional") return undefined;
  throw new ManifestError(`${entry.type} block requires either "content" or "content_file"`);
}
