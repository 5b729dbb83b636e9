// `bcp decode`: a file as text.

import type { BlockType } from "../blocks/all.ts";
import { KNOWN_TYPES } from "../blocks/all.ts";
import { RenderError } from "../failure.ts";
import { quote } from "../quote.ts";
import { MODES } from "../render/mode.ts";
import { renderDetailed, VERBOSITIES } from "../render/render.ts";
import type { Rendered, RenderOptions } from "../render/render.ts";
import { toUtf8 } from "../utf8.ts";
import { parseCount, UsageError } from "./arguments.ts";
import type { Parsed } from "./arguments.ts";
import { isStandard, writeOutput } from "./files.ts";
import { CliFailure } from "./io.ts";
import type { BcpIo } from "./io.ts";
import { loadOrFail } from "./load.ts";
import { osText } from "./os-error.ts";

const MAX_BUDGET = 0xffff_ffff;

export async function decodeCommand(io: BcpIo, file: string, parsed: Parsed): Promise<number> {
  const budgetText = parsed.values.get("budget");
  const budget = budgetText === undefined ? undefined : parseCount(budgetText, "--budget", MAX_BUDGET);
  const summaries = choice(parsed, "summaries", ["code", "all"] as const);
  const binaryImages = choice(parsed, "binary-images", ["error", "placeholder"] as const);
  // The file is looked at before the words, as in the reference.
  const { blocks } = await loadOrFail(io, file, parsed);
  const { text, blocks: shown } = renderOrFail(blocks, {
    mode: word(parsed, "mode", MODES, "xml", new Map([["md", "markdown" as const]])),
    verbosity: word(parsed, "verbosity", VERBOSITIES, "adaptive"),
    ...(budget === undefined ? {} : { budget }),
    ...included(parsed.values.get("include")),
    ...(summaries ? { summaries } : {}),
    ...(binaryImages ? { binaryImages } : {}),
  });
  const output = parsed.values.get("output");
  if (parsed.flags.has("json")) {
    const report = `${JSON.stringify({ file, text, blocks: shown }, undefined, 2)}\n`;
    await write(io, output, report, report);
  } else {
    // A file gets the text exactly; a terminal gets a line that ends.
    await write(io, output, text, text.endsWith("\n") ? text : `${text}\n`);
  }
  return 0;
}

function renderOrFail(blocks: Parameters<typeof renderDetailed>[0], options: RenderOptions): Rendered {
  try {
    return renderDetailed(blocks, options);
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    const index = error.blockIndex === undefined ? {} : { block_index: error.blockIndex };
    const facts = { code: error.code, ...index };
    throw new CliFailure(`driver render failed: ${error.message}`, { note: ADVICE[error.code], facts });
  }
}

const ADVICE: Partial<Record<RenderError["code"], string>> = {
  InvalidContent: "a binary image? --binary-images placeholder shows its place, --include leaves it out",
  EmptyInput: "the file has no block that is shown, or --include or --budget left none",
};

async function write(io: BcpIo, output: string | undefined, exact: string, shown: string): Promise<void> {
  if (output === undefined || isStandard(output)) return io.stdout(shown);
  await writeOutput(io, output, toUtf8(exact)).catch((error: unknown) => {
    throw new CliFailure(`cannot write ${output}: ${osText(error)}`);
  });
}

function word<W extends string>(
  parsed: Parsed,
  option: string,
  words: readonly W[],
  fallback: W,
  aliases: ReadonlyMap<string, W> = new Map(),
): W {
  const given = parsed.values.get(option);
  if (given === undefined) return fallback;
  const lower = given.toLowerCase();
  const found = words.find((candidate) => candidate === lower) ?? aliases.get(lower);
  if (found === undefined) throw new CliFailure(`unknown ${option} ${quote(given)} — expected ${words.join("|")}`);
  return found;
}

// Our own options: a wrong word is misuse like any other.
function choice<W extends string>(parsed: Parsed, option: string, words: readonly W[]): W | undefined {
  const given = parsed.values.get(option);
  if (given === undefined) return undefined;
  const found = words.find((candidate) => candidate === given);
  if (found === undefined) throw new UsageError(`--${option} must be ${words.join(" or ")}, not ${quote(given)}`);
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
