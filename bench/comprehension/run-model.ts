// A model over the same questions in several forms, resumable; what is compared was fixed beforehand.
import { createHash } from "node:crypto";
import { countTokens } from "@bosun/shrink";
import { hasCorpus, readCorpus, textOf } from "../../packages/shrink/test/corpus.ts";
import type { Answer } from "./answers-file.ts";
import { addAnswers, readAnswers } from "./answers-file.ts";
import type { Endpoint } from "./ask-model.ts";
import { askModel } from "./ask-model.ts";
import type { FormName } from "./forms.ts";
import { shownAs } from "./forms.ts";
import { generatedResults } from "./generated-results.ts";
import { isSameAnswer, questionsOf } from "./questions.ts";
import { readPlain } from "./reading.ts";
import type { Pair } from "./statistics.ts";
import { pairedDifference, wilson } from "./statistics.ts";

export type ModelRun = {
  endpoint: Endpoint;
  forms: readonly FormName[];
  limit: number;
  out: string;
  isAllowed: boolean;
};

/** `exit`: 0, 2 for a run that must be asked for with --yes, 3 where too much failed to judge. */
export type ModelOutcome = { exit: number; text: string };

type Item = { id: string; class: string; text: string };

const MAX_RESULT_TOKENS = 8000;
const MAX_RUN_TOKENS = 2_000_000;
const MAX_FAILED_SHARE = 0.05;
/** Of the interval's lower end, in percentage points. */
const MARGIN = 2;
const ERROR = "error";

export async function runModel(run: ModelRun, say: (line: string) => void): Promise<ModelOutcome> {
  const items = chosenResults(run.limit);
  const known = readAnswers(run.out);
  const done = new Set(known.map(({ result, form, digest, model }) => keyOf(result, form, digest, model)));
  const jobs = items.flatMap((item) =>
    run.forms.flatMap((form) => {
      const shown = shownAs(form, item.text);
      if (shown === undefined || countTokens(shown) > MAX_RESULT_TOKENS) return [];
      const digest = createHash("sha256").update(shown).digest("hex").slice(0, 16);
      return [{ item, form, shown, digest, isDone: done.has(keyOf(item.id, form, digest, run.endpoint.model)) }];
    }),
  );
  const left = jobs.filter(({ isDone }) => !isDone);
  const estimate = left.reduce((sum, { shown }) => sum + countTokens(shown) + 200, 0);
  say(`${left.length} requests of ${jobs.length}, about ${estimate} prompt tokens`);
  if (estimate > MAX_RUN_TOKENS && !run.isAllowed)
    return { exit: 2, text: `about ${estimate} tokens: say --yes if that is meant` };
  for (const { item, form, shown, digest } of shuffled(left)) {
    const questions = questionsOf(readPlain(item.text), seedOf(item.id));
    if (questions.length === 0) continue;
    const start = performance.now();
    const reply = await askModel(run.endpoint, shown, questions);
    const ms = Math.round(performance.now() - start);
    const answers = questions.map((question, i): Answer => {
      const answer = reply === undefined ? ERROR : (reply.answers.get(i + 1) ?? "");
      const ok = reply !== undefined && isSameAnswer(answer, question.answer);
      const base = {
        q: `${item.id}#${i + 1}`,
        form,
        model: run.endpoint.model,
        digest,
        class: item.class,
        result: item.id,
      };
      return { ...base, answer, ok, promptTokens: reply?.promptTokens ?? -1, ms };
    });
    addAnswers(run.out, answers);
    known.push(...answers);
  }
  return judged(
    known.filter(({ model, form }) => model === run.endpoint.model && run.forms.includes(form as FormName)),
    run.forms,
  );
}

function judged(answers: readonly Answer[], forms: readonly FormName[]): ModelOutcome {
  const failed = new Set(answers.filter(({ promptTokens }) => promptTokens < 0).map(({ result }) => result));
  const results = new Set(answers.map(({ result }) => result));
  if (failed.size > results.size * MAX_FAILED_SHARE) return { exit: 3, text: "too many failed requests to judge" };
  // Left out for all forms, so that all are asked the same.
  const kept = answers.filter(({ result }) => !failed.has(result));
  const classes = ["all", ...[...new Set(kept.map((answer) => answer.class))].sort()];
  const rows = classes.flatMap((name) =>
    forms.flatMap((form) => {
      const own = kept.filter((answer) => answer.form === form && (name === "all" || answer.class === name));
      return own.length === 0 ? [] : [rowOf(name, form, own)];
    }),
  );
  const table = [
    "| class | form | answered right | 95 % | prompt tokens |",
    "| --- | --- | --: | --- | --: |",
    ...rows,
  ];
  const compared = forms.filter((form) => form !== "original").flatMap((form) => verdictOf(form, kept));
  return { exit: 0, text: [...table, "", ...compared].join("\n") };
}

function rowOf(name: string, form: string, answers: readonly Answer[]): string {
  const right = answers.filter(({ ok }) => ok).length;
  const { low, high } = wilson(right, answers.length);
  const tokens = new Map(answers.map(({ result, promptTokens }) => [result, promptTokens]));
  const sum = [...tokens.values()].reduce((total, one) => total + one, 0);
  const share = ((100 * right) / answers.length).toFixed(1);
  return `| ${name} | ${form} | ${share} % (${right} of ${answers.length}) | ${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)} | ${sum} |`;
}

// Only plain against original, over all classes, is the test; the rest describes.
function verdictOf(form: FormName, answers: readonly Answer[]): string[] {
  const pairs = new Map<string, Pair & { other: number }>();
  for (const { result, form: own, ok } of answers) {
    if (own !== form && own !== "original") continue;
    const pair = pairs.get(result) ?? { asked: 0, right: 0, rightOfOther: 0, other: 0 };
    pairs.set(result, pair);
    if (own === form) {
      pair.asked++;
      if (ok) pair.right++;
    } else {
      pair.other++;
      if (ok) pair.rightOfOther++;
    }
  }
  const both = [...pairs.values()].filter(({ asked, other }) => asked > 0 && asked === other);
  if (both.length === 0) return [];
  const { difference, low, high } = pairedDifference(both);
  const said = `${form} − original: ${difference.toFixed(1)} points (${low.toFixed(1)} to ${high.toFixed(1)})`;
  return form === "plain" && low > -MARGIN
    ? [said, `plain: not worse than original by more than ${MARGIN} points`]
    : [said];
}

// In proportion to class, always the same ones.
export function chosenResults(limit: number): Item[] {
  const all: Item[] = hasCorpus
    ? readCorpus().map((record) => ({ id: record.id, class: record.class, text: textOf(record) }))
    : [...generatedResults(limit, 1)];
  const asked = all.filter(({ text }) => countTokens(text) >= 40);
  const step = Math.max(1, asked.length / limit);
  const sorted = asked.sort((a, b) => (a.class + a.id < b.class + b.id ? -1 : 1));
  return Array.from({ length: Math.min(limit, sorted.length) }, (_, i) => sorted[Math.floor(i * step)] as Item);
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  const out = [...items];
  let state = 1;
  for (let i = out.length - 1; i > 0; i--) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const at = state % (i + 1);
    [out[i], out[at]] = [out[at] as Item, out[i] as Item];
  }
  return out;
}

export function seedOf(id: string): number {
  return createHash("sha256").update(id).digest().readUInt32LE(0);
}

function keyOf(result: string, form: string, digest: string, model: string): string {
  return [result, form, digest, model].join("\0");
}
