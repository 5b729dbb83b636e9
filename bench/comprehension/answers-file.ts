// The answers of a run, one JSON line each, flushed: a run that was stopped goes on where it was.
import { appendFileSync, existsSync, readFileSync, truncateSync } from "node:fs";

export type Answer = {
  q: string;
  form: string;
  model: string;
  digest: string;
  class: string;
  result: string;
  answer: string;
  ok: boolean;
  promptTokens: number;
  ms: number;
};

/** What is there already; a line that was cut off is taken away. */
export function readAnswers(file: string): Answer[] {
  if (!existsSync(file)) return [];
  const text = readFileSync(file, "utf8");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole.length < text.length) truncateSync(file, Buffer.byteLength(whole));
  return whole
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Answer);
}

export function addAnswers(file: string, answers: readonly Answer[]): void {
  appendFileSync(file, answers.map((answer) => `${JSON.stringify(answer)}\n`).join(""));
}
