// Runs in a process of its own: does one thing with one payload, and prints how it ended and what it cost. The payload
// comes as a file, because making it may take more memory than reading it.

import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import {
  decode,
  DecodeError,
  decodeStream,
  EncodeError,
  encodePlain,
  render,
  RenderError,
  renderParts,
  runBcp,
} from "../../src/index.ts";
import type { Mode, RenderOptions } from "../../src/index.ts";
import { peakKib } from "./peak.ts";

const [file = "", way = "", ...words] = process.argv.slice(2);
const inputBytes = statSync(file).size;
const [ends, grownKib] = await (way === "library" ? library(words) : way === "stream" ? stream() : command());
console.log(JSON.stringify({ ends, grownKib, inputBytes }));

// The payload itself is the caller's.
async function library([mode, budget]: readonly string[]): Promise<[string, number]> {
  const payload = readFileSync(file);
  Bun.gc(true);
  const before = peakKib();
  const ends = await ending(() => {
    const { blocks } = decode(payload);
    if (mode === "encode") encodePlain(blocks);
    else if (mode === "parts") for (const _ of renderParts(blocks)) continue;
    else if (mode)
      render(blocks, { mode: mode as Mode, ...(budget ? { budget: Number(budget) } : {}) } as RenderOptions);
  });
  return [ends, peakKib() - before];
}

async function stream(): Promise<[string, number]> {
  const before = peakKib();
  const ends = await ending(async () => {
    const references = words[0] === "in-file" ? "in-file" : "store";
    for await (const _ of decodeStream(Bun.file(file).stream(), { references })) continue;
  });
  return [ends, peakKib() - before];
}

async function command(): Promise<[string, number]> {
  // The first run loads what every run needs.
  await run("--help");
  const before = peakKib();
  const [name = "", ...rest] = words;
  const ends = way === "stdin" ? await run(name, "-", ...rest) : await run(way, file, ...words);
  return [ends, peakKib() - before];
}

async function run(...argv: readonly string[]): Promise<string> {
  let written = 0;
  let said = "";
  const exit = await runBcp(argv, {
    cwd: path.dirname(file),
    stdin: Bun.file(file).stream(),
    stdout: (chunk) => {
      written += chunk.length;
    },
    stderr: (text) => {
      said += text;
    },
  });
  return exit === 0 ? `${written} written` : said.slice(said.lastIndexOf(": ") + 2).trim();
}

async function ending(work: () => void | Promise<void>): Promise<string> {
  try {
    await work();
    return "text";
  } catch (error) {
    const isOurs = error instanceof DecodeError || error instanceof RenderError || error instanceof EncodeError;
    if (!isOurs) throw error;
    return error.code;
  }
}
