// The naive reader over recorded and generated results: every question about every form, and what it answers wrong.
import { readFileSync } from "node:fs";
import path from "node:path";
import { hasCorpus, readCorpus, textOf } from "../../packages/shrink/test/corpus.ts";
import type { FormName } from "./forms.ts";
import { shownAs } from "./forms.ts";
import { generatedResults } from "./generated-results.ts";
import type { Score, Shown, Wrong } from "./score.ts";
import { emptyScore, scoreResult } from "./score.ts";

export type NaiveRow = Score & { form: string; source: string; wrong: Wrong[] };

/** Forms that this reader must understand without a fault. */
export const MUST_BE_RIGHT: readonly FormName[] = ["original", "plain", "dense"];
const MAX_WRONG = 5;
const SEED = 1;

export function naiveScores(generated: number): NaiveRow[] {
  const rows: NaiveRow[] = [];
  for (const form of MUST_BE_RIGHT) {
    if (hasCorpus) rows.push(scoreOf(form, "recorded", recorded(form)));
    rows.push(scoreOf(form, "generated", madeUp(form, generated)));
  }
  rows.push(scoreOf("before plain", "fixture", oldNotation()));
  return rows;
}

export function markdownOf(rows: readonly NaiveRow[]): string {
  const lines = rows.map(
    ({ form, source, results, folded, asked, right, askedOfFolded, rightOfFolded }) =>
      `| ${form} | ${source} | ${results} | ${folded} | ${right} of ${asked} | ${rightOfFolded} of ${askedOfFolded} |`,
  );
  return [
    "| form | results | number | shortened | answered right | about shortened ones |",
    "| --- | --- | --: | --: | --: | --: |",
    ...lines,
  ].join("\n");
}

function scoreOf(form: string, source: string, results: Iterable<Shown>): NaiveRow {
  const score = emptyScore();
  const wrong: Wrong[] = [];
  let seed = 0;
  for (const result of results) {
    for (const one of scoreResult(result, seed++, score)) if (wrong.length < MAX_WRONG) wrong.push(one);
  }
  return { ...score, form, source, wrong };
}

function* recorded(form: FormName): Generator<Shown> {
  for (const record of readCorpus()) {
    const original = textOf(record);
    yield { id: record.id, class: record.class, original, shown: shownAs(form, original) ?? original };
  }
}

function* madeUp(form: FormName, count: number): Generator<Shown> {
  for (const { id, class: kind, text } of generatedResults(count, SEED)) {
    yield { id, class: kind, original: text, shown: shownAs(form, text) ?? text };
  }
}

// The notation that went before, recorded: what it was like not to be understood.
function oldNotation(): Shown[] {
  const lines = readFileSync(path.join(import.meta.dirname, "old-notation.jsonl"), "utf8").split("\n");
  return lines.filter(Boolean).map((line) => JSON.parse(line) as Shown);
}
