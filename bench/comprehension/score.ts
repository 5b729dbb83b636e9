// Every question of every result, put to the naive reader for one form: how many it answers right.
import type { Question } from "./questions.ts";
import { answerFrom, isSameAnswer, questionsOf } from "./questions.ts";
import { readNaively } from "./naive-reader.ts";
import { readPlain } from "./reading.ts";

export type Shown = { id: string; class: string; original: string; shown: string };
export type Wrong = { id: string; question: Question; answer: string | undefined };
export type Score = {
  results: number;
  folded: number;
  asked: number;
  right: number;
  askedOfFolded: number;
  rightOfFolded: number;
};

export function emptyScore(): Score {
  return { results: 0, folded: 0, asked: 0, right: 0, askedOfFolded: 0, rightOfFolded: 0 };
}

/** Adds one result to the score; gives what was answered wrong. */
export function scoreResult({ id, original, shown }: Shown, seed: number, into: Score): Wrong[] {
  const wrong: Wrong[] = [];
  const isFolded = shown !== original;
  const reading = readNaively(shown);
  into.results++;
  if (isFolded) into.folded++;
  for (const question of questionsOf(readPlain(original), seed)) {
    const answer = reading && answerFrom(reading, question);
    const isRight = isSameAnswer(answer, question.answer);
    into.asked++;
    if (isFolded) into.askedOfFolded++;
    if (isRight) into.right++;
    if (isRight && isFolded) into.rightOfFolded++;
    if (!isRight) wrong.push({ id, question, answer });
  }
  return wrong;
}
