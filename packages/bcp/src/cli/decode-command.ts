// `bcp decode`: a file as text.

import { oneOf, whole } from "@bosun/platform/flags";
import type { FlagValues } from "@bosun/platform/flags";
import { RenderError } from "../bcp-errors.ts";
import { KNOWN_TYPES } from "../block-types.ts";
import type { BlockType } from "../block-types.ts";
import { repeatWithPauses } from "../cooperative-work.ts";
import { quote } from "../quote.ts";
import { BlockRenderer } from "../render/block-renderer.ts";
import type { Plan } from "../render/block-renderer.ts";
import { BudgetPlan } from "../render/budget-plan.ts";
import { PartQueue } from "../render/part-queue.ts";
import { MODES } from "../render/render-mode.ts";
import { budgetOf, VERBOSITIES } from "../render/render-options.ts";
import type { RenderOptions } from "../render/render-options.ts";
import type { RenderedBlock } from "../render/render.ts";
import type { Part } from "../render/text-buffer.ts";
import { ChunkedWriter, piecesOf } from "./chunked-writer.ts";
import { isStandard, writeOutput } from "./file-access.ts";
import { CliFailure } from "./io.ts";
import type { BcpIo } from "./io.ts";
import { JsonArrayWriter } from "./json-array-writer.ts";
import { loadOrFail } from "./load-payload.ts";
import type { Loaded } from "./load-payload.ts";
import { osText } from "./os-error.ts";

const MAX_BUDGET = 0xffff_ffff;

export async function decodeCommand(io: BcpIo, file: string, parsed: FlagValues): Promise<number> {
  const budget = whole(parsed, "budget", { max: MAX_BUDGET });
  const summaries = oneOf(parsed, "summaries", ["code", "all"]);
  const binaryImages = oneOf(parsed, "binary-images", ["error", "placeholder"]);
  // The file is looked at before the words, as in the reference.
  const loaded = await loadOrFail(io, file, parsed);
  const options: RenderOptions = {
    mode: word(parsed, "mode", MODES, "xml", new Map([["md", "markdown" as const]])),
    verbosity: word(parsed, "verbosity", VERBOSITIES, "adaptive"),
    ...(budget === undefined ? {} : { budget }),
    ...included(parsed.text("include")),
    ...(summaries ? { summaries } : {}),
    ...(binaryImages ? { binaryImages } : {}),
  };
  const plan = await planFor(loaded, options).catch(failRendering);
  // Once for nothing: what cannot be rendered is found out before the first word of it is written.
  await renderBlocks(loaded, options, plan, {}).catch(failRendering);
  const put = (out: ChunkedWriter): Promise<void> =>
    parsed.has("json")
      ? writeJson(file, (to) => renderBlocks(loaded, options, plan, to), out)
      : renderBlocks(loaded, options, plan, { write: (part) => out.write(part) });
  const output = parsed.text("output");
  if (output === undefined || isStandard(output)) {
    const out = new ChunkedWriter((chunk) => io.stdout(chunk));
    await put(out);
    // A file gets the text exactly; a terminal gets a line that ends.
    if (!out.endsLine) await out.write("\n");
    await out.flush();
    return 0;
  }
  const fill = async (write: (chunk: Uint8Array) => Promise<void>): Promise<void> => {
    const out = new ChunkedWriter(write);
    await put(out);
    await out.flush();
  };
  await writeOutput(io, output, fill).catch((error: unknown) => {
    throw new CliFailure(`cannot write ${output}: ${osText(error)}`);
  });
  return 0;
}

// As one object would be written. The text may be far longer than a string should be, and there may be as much to say
// about the blocks: each has a rendering of its own.
async function writeJson(file: string, rendered: (to: RenderTo) => Promise<void>, out: ChunkedWriter): Promise<void> {
  await out.write(`{\n  "file": ${JSON.stringify(file)},\n  "text": "`);
  await rendered({
    async write(part) {
      for (const piece of piecesOf(part)) await out.write(JSON.stringify(piece).slice(1, -1));
    },
  });
  await out.write('",\n  "blocks": ');
  const blocks = new JsonArrayWriter(out);
  await rendered({ report: (block) => blocks.add(block) });
  await blocks.end();
  await out.write("\n}\n");
}

function failRendering(error: unknown): never {
  if (!(error instanceof RenderError)) throw error;
  const index = error.blockIndex === undefined ? {} : { block_index: error.blockIndex };
  const facts = { code: error.code, ...index };
  throw new CliFailure(`driver render failed: ${error.message}`, { ...ADVICE[error.code], facts });
}

const ADVICE: Partial<Record<RenderError["code"], Partial<Pick<CliFailure, "note" | "option">>>> = {
  InvalidContent: { option: "a binary image? --binary-images placeholder shows its place, --include leaves it out" },
  EmptyInput: { note: "the file has no block that is shown, or the wanted types or the budget left none" },
};

function word<W extends string>(
  parsed: FlagValues,
  option: string,
  words: readonly W[],
  fallback: W,
  aliases: ReadonlyMap<string, W> = new Map(),
): W {
  const given = parsed.text(option);
  if (given === undefined) return fallback;
  const lower = given.toLowerCase();
  const found = words.find((candidate) => candidate === lower) ?? aliases.get(lower);
  if (found === undefined) throw new CliFailure(`unknown ${option} ${quote(given)} — expected ${words.join("|")}`);
  return found;
}

function included(list: string | undefined): { include?: ReadonlySet<BlockType> } {
  if (list === undefined) return {};
  const include = new Set<BlockType>();
  for (const item of list.split(",")) {
    const name = item.trim();
    if (name === "") continue;
    const type = KNOWN_TYPES.find((known) => [known, known.replaceAll("_", "")].includes(name.toLowerCase()));
    if (!type) throw new CliFailure(`unknown block type ${quote(name)}`, { note: `known: ${KNOWN_TYPES.join(", ")}` });
    include.add(type);
  }
  return { include };
}

type Blocks = Pick<Loaded, "blocks" | "pauseIfDue">;

/** What becomes of the blocks, where a budget decides it. */
export async function planFor(loaded: Blocks, options: RenderOptions): Promise<Plan | undefined> {
  const budget = budgetOf(options);
  if (budget === undefined) return undefined;
  const plan = new BudgetPlan(options);
  for await (const block of loaded.blocks()) {
    const more = plan.weigh(block);
    if (more) await repeatWithPauses(more, loaded.pauseIfDue);
  }
  return plan.decide(budget);
}

export type RenderTo = {
  /** Gets the parts of the text as they come. */
  write?(part: Part): void | Promise<void>;
  /** Gets what became of each block that is shown. */
  report?(block: RenderedBlock): void | Promise<void>;
};

export async function renderBlocks(
  loaded: Blocks,
  options: RenderOptions,
  plan: Plan | undefined,
  to: RenderTo,
): Promise<void> {
  const rendering = new BlockRenderer(options, plan);
  let index = 0;
  const waiting = new PartQueue();
  const keep = to.write ? (part: Part): void => waiting.add(part) : (): void => {};
  const flush = async (): Promise<void> => {
    for (const part of waiting.take()) await to.write?.(part);
    await loaded.pauseIfDue();
  };
  for await (const block of loaded.blocks()) {
    const outcome = rendering.begin(block, keep);
    if (rendering.more()) await repeatWithPauses(rendering.more, to.write ? flush : loaded.pauseIfDue);
    for (const part of waiting.take()) await to.write?.(part);
    if (outcome) {
      const { decision, tokens } = outcome;
      await to.report?.({ index, type: block.type, decision, ...(tokens === undefined ? {} : { tokens }) });
    }
    index++;
  }
  const end = rendering.end();
  await to.write?.(end);
}
