// Our counts against gpt-tokenizer's: the same numbers, and how much faster.
//
//   node scripts/bun.mjs packages/shrink/bench/tokenizer.ts
import { countTokens as known } from "gpt-tokenizer/encoding/o200k_base";

import { countTokens } from "../src/index.ts";
import { readCorpus, textOf } from "../test/corpus.ts";

const texts = readCorpus().map(textOf);
const chars = texts.reduce((sum, text) => sum + text.length, 0);
const reference = (text: string) => known(text, { disallowedSpecial: new Set() });

const start = performance.now();
countTokens("load");
console.log(`load: ${(performance.now() - start).toFixed(0)} ms`);
for (let round = 1; round <= 3; round++) {
  const [ours, theirs] = [time(countTokens), time(reference)];
  console.log(
    `round ${round}: ours ${mbps(ours.ms)} MB/s, gpt-tokenizer ${mbps(theirs.ms)} MB/s, ${(theirs.ms / ours.ms).toFixed(1)} times as fast, ${ours.tokens} and ${theirs.tokens} tokens`,
  );
}

function time(count: (text: string) => number): { ms: number; tokens: number } {
  const from = performance.now();
  let tokens = 0;
  for (const text of texts) tokens += count(text);
  return { ms: performance.now() - from, tokens };
}

function mbps(ms: number): string {
  return (chars / ms / 1000).toFixed(1);
}
