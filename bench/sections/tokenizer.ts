// Our exact tokenizer beside gpt-tokenizer: the same counts, the speed, and that no input makes it slow.
import { countTokens as known } from "gpt-tokenizer/encoding/o200k_base";
import { countTokens } from "@bosun/shrink";
import { hasCorpus, readCorpus, textOf } from "../../packages/shrink/test/corpus.ts";
import { resultOf } from "../peers/recorded-results.ts";
import { median } from "../report.ts";
import type { Row, Section } from "../report.ts";

const ROUNDS = 5;
const reference = (text: string): number => known(text, { disallowedSpecial: new Set() });

/** Texts that are quadratic for a careless merge. */
const NASTY: readonly [string, string][] = [
  ["one letter", "a"],
  ["spaces", " "],
  ["digits", "1234567890"],
  ["CJK", "漢字仮名交じり文"],
  ["emoji", "👩‍👩‍👧‍👦"],
];

export const tokenizer: Section = {
  name: "tokenizer",
  about: "exact token counts beside gpt-tokenizer",
  async run(progress) {
    const recorded = hasCorpus ? readCorpus().map(textOf) : [];
    const texts = [...recorded, ...Array.from({ length: 40 }, (_, turn) => resultOf(20_000, turn))];
    progress(`${texts.length} texts`);
    const differing = texts.filter((text) => countTokens(text) !== reference(text)).length;
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      ours.push(speed(texts, countTokens));
      theirs.push(speed(texts, reference));
    }
    const [own, other] = [median(ours), median(theirs)];
    return [
      {
        what: `counts that differ, of ${texts.length} texts`,
        unit: "texts",
        ours: differing,
        theirs: {},
        target: { text: "0", reached: differing === 0 },
      },
      {
        what: "tokens counted",
        unit: "MB/s",
        ours: own,
        theirs: { "gpt-tokenizer": other },
        target: { text: "≥ 2×", reached: own >= 2 * other },
      },
      linearity(progress),
    ];
  },
};

function speed(texts: readonly string[], count: (text: string) => number): number {
  const chars = texts.reduce((sum, text) => sum + text.length, 0);
  const started = performance.now();
  for (const text of texts) count(text);
  return chars / 1000 / (performance.now() - started);
}

/** Four times the text may take about four times as long, whatever is in it. */
function linearity(progress: (text: string) => void): Row {
  let worst = 0;
  for (const [name, unit] of NASTY) {
    progress(`${name}, a quarter and the whole`);
    const time = (length: number): number => {
      const text = unit.repeat(length / unit.length);
      const runs = Array.from({ length: 5 }, () => {
        const started = performance.now();
        countTokens(text);
        return performance.now() - started;
      });
      return Math.min(...runs);
    };
    worst = Math.max(worst, time(400_000) / time(100_000));
  }
  return {
    what: "time for four times as much, at worst",
    unit: "×",
    ours: worst,
    theirs: {},
    target: { text: "linear (≤ 6×)", reached: worst <= 6 },
  };
}
