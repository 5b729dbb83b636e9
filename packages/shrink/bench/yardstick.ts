// How small could a class of results be at all? Three yardsticks beside what we reach, all in o200k tokens:
//
//   digests     certain: random digits cannot be written in fewer tokens than their bits over those of a token
//   brotli      everything else packed by brotli, in tokens drawn from the whole vocabulary: as dense as can be, and no text
//   words       the same in words of 12 bits, which a text can hold: what packing without a thought for the reader gives
//
//   node scripts/bun.mjs packages/shrink/bench/yardstick.ts [CLASS]
import { brotliCompressSync, constants } from "node:zlib";

import type { ToolResult } from "../src/index.ts";
import { countTokens, Shrinker, wholeText } from "../src/index.ts";
import { hasCorpus, readCorpus } from "../test/corpus.ts";

const TOKEN_BITS = Math.log2(199_998);
const WORD_BITS = 12;
const DIGEST = /(?<![0-9A-Za-z_])(?:[0-9a-f]{40}|[0-9a-f]{64})(?![0-9A-Za-z_])/g;

const wanted = process.argv[2] ?? "paths";
if (!hasCorpus) console.log("no corpus here: set BOSUN_SHARED to the folder that holds corpus/");
else report(readCorpus().flatMap((record) => (record.class === wanted ? [record.result as ToolResult] : [])));

function report(results: ToolResult[]): void {
  let before = 0;
  let after = 0;
  let digestTokens = 0;
  let digestBits = 0;
  let packedBits = 0;
  for (const result of results) {
    const text = wholeText(result);
    before += countTokens(text);
    after += countTokens(wholeText(new Shrinker().shrink(result).result));
    const digests = new Set(text.match(DIGEST));
    for (const digest of text.match(DIGEST) ?? []) digestTokens += countTokens(digest);
    for (const digest of digests) digestBits += digest.length * 4;
    packedBits += packed(text.replace(DIGEST, "#"));
  }
  const line = (name: string, tokens: number) =>
    console.log(
      `${name.padEnd(34)} ${String(Math.round(tokens)).padStart(8)} ${((100 * (before - tokens)) / before).toFixed(1)} %`,
    );
  console.log(`class ${wanted}: ${results.length} results, ${digestTokens} tokens of digests (${digestBits} bits)`);
  line("as they are", before);
  line("folded", after);
  line("digests alone, at the least", digestBits / TOKEN_BITS);
  line("digests and brotli, whole vocabulary", (digestBits + packedBits) / TOKEN_BITS);
  line("digests and brotli, words", (digestBits + packedBits) / WORD_BITS);
}

function packed(text: string): number {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
  };
  return brotliCompressSync(text, { params }).length * 8;
}
