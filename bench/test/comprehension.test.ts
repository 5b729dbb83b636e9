// The benchmark of comprehension itself: the naive reader, and a run over a scripted endpoint that misbehaves.
import { afterAll, expect, test } from "bun:test";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { readNaively } from "../comprehension/naive-reader.ts";
import { naiveScores } from "../comprehension/naive.ts";
import { answerFrom } from "../comprehension/questions.ts";
import { questionsOf } from "../comprehension/questions.ts";
import { readPlain } from "../comprehension/reading.ts";
import type { ModelOutcome } from "../comprehension/run-model.ts";
import { runModel } from "../comprehension/run-model.ts";
import { pairedDifference, wilson } from "../comprehension/statistics.ts";

const folder = mkdtempSync(path.join(tmpdir(), "comprehension-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** `npm run bench -- comprehension` asks about 10,000; a test needs every form a few times. */
const SCORED = 200;

test("the naive reader answers every question, plain and dense, and none about the notation before", () => {
  for (const { form, asked, right, askedOfFolded, wrong } of naiveScores(SCORED)) {
    expect(askedOfFolded > 0 || form === "original").toBe(true);
    if (form === "before plain") expect(right).toBeLessThan(asked / 10);
    else expect({ form, wrong }).toEqual({ form, wrong: [] });
  }
});

test.each<[string, string]>([
  ["an unknown mark", "[bosun: something else]\na b"],
  ["a mark in the middle of a line", "a [bosun: end]"],
  ["a row with too few values", '[bosun: "A 5 x" is pattern A with {1}=5 {2}=x]\nA = {1} {2}\nA 1'],
  ["a continued line without a heading", '[bosun: indented lines continue the last line that ends in "…"]\n x'],
  ["more cells than columns", "[bosun: JSON as key=value; rows under a header; - is absent]\n1 rows\n a\n 1 2"],
])("%s is not understood", (_, text) => {
  expect(readNaively(text)).toBeUndefined();
});

test("intervals and paired differences", () => {
  expect(wilson(0, 0)).toEqual({ low: 0, high: 1 });
  const { low, high } = wilson(90, 100);
  expect([low.toFixed(3), high.toFixed(3)]).toEqual(["0.826", "0.945"]);
  const pairs = Array.from({ length: 100 }, (_, i) => ({ asked: 6, right: i % 10 === 0 ? 0 : 6, rightOfOther: 6 }));
  const paired = pairedDifference(pairs);
  expect(paired.difference).toBeCloseTo(-10);
  expect(paired.low).toBeLessThan(-4);
  expect(paired.high).toBeGreaterThan(-17);
});

type Script = {
  isWrong?: (user: string, question: number) => boolean;
  before?: (request: number) => Response | undefined;
};

/** A model that reads as the naive reader does, and plays tricks. */
function endpoint({ isWrong = () => false, before = () => undefined }: Script): {
  url: string;
  asked: string[];
  stop: () => void;
} {
  const asked: string[] = [];
  let requests = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const trick = before(requests++);
      if (trick) return trick;
      const { messages } = (await request.json()) as { messages: { content: string }[] };
      const user = messages[1]?.content ?? "";
      asked.push(user);
      const shown = user.slice("Tool result:\n".length, user.lastIndexOf("\n\nQuestions:\n"));
      const known = ORIGINALS.get(shown);
      const reading = readNaively(shown);
      const lines = (known === undefined ? [] : questionsOf(readPlain(known.text), known.seed)).map((question, i) => {
        const answer = reading === undefined ? "" : answerFrom(reading, question);
        return `${i + 1}: ${isWrong(shown, i) ? "wrong" : (answer ?? "")}`;
      });
      return Response.json({ choices: [{ message: { content: lines.join("\n") } }], usage: { prompt_tokens: 10 } });
    },
  });
  return { url: `http://127.0.0.1:${server.port}/v1`, asked, stop: () => void server.stop(true) };
}

// What the endpoint would have to know: it answers by what it was shown, so all shown texts of the run are looked up.
const ORIGINALS = new Map<string, { text: string; seed: number }>();

async function run(script: Script, out: string): Promise<ModelOutcome & { asked: string[] }> {
  const { shownAs } = await import("../comprehension/forms.ts");
  const { chosenResults, seedOf } = await import("../comprehension/run-model.ts");
  for (const { id, text } of chosenResults(LIMIT))
    for (const form of ["original", "plain"] as const) {
      const shown = shownAs(form, text);
      if (shown !== undefined) ORIGINALS.set(shown, { text, seed: seedOf(id) });
    }
  const { url, asked, stop } = endpoint(script);
  const settings = { url, model: "scripted", key: undefined, timeoutMs: 2000, waitMs: 1 };
  try {
    const outcome = await runModel(
      { endpoint: settings, forms: ["original", "plain"], limit: LIMIT, out: path.join(folder, out), isAllowed: false },
      () => {},
    );
    return { ...outcome, asked };
  } finally {
    stop();
  }
}

const LIMIT = 40;

test("a model that reads plain as well as the original gets that verdict, whatever the endpoint does on the way", async () => {
  const tricks: Record<number, () => Response> = {
    1: () => new Response("slow down", { status: 429, headers: { "retry-after": "0" } }),
    3: () => new Response("oops", { status: 500 }),
    5: () => new Response('{"choices": [{"mess'),
  };
  const { exit, text } = await run({ before: (request) => tricks[request]?.() }, "good.jsonl");
  expect(exit).toBe(0);
  expect(text).toContain("| all | plain | 100.0 %");
  expect(text).toContain("plain: not worse than original by more than 2 points");
});

test("mistakes about plain show, and there is no verdict", async () => {
  const { exit, text } = await run({ isWrong: (shown, i) => shown.includes("[bosun:") && i % 3 === 0 }, "bad.jsonl");
  expect(exit).toBe(0);
  expect(text).toMatch(/plain − original: -\d/);
  expect(text).not.toContain("not worse");
});

test("a run that was stopped in the middle of a line goes on, asks nothing twice, and says the same", async () => {
  const whole = await run({}, "whole.jsonl");
  const lines = readFileSync(path.join(folder, "whole.jsonl"), "utf8").split("\n");
  const results = new Map(
    lines
      .filter(Boolean)
      .map((line, i) => [
        `${(JSON.parse(line) as { result: string }).result}${(JSON.parse(line) as { form: string }).form}`,
        i,
      ]),
  );
  const firstHalf = [...results.values()][Math.floor(results.size / 2)] ?? 0;
  appendFileSync(
    path.join(folder, "half.jsonl"),
    `${lines.slice(0, firstHalf + 1).join("\n")}\n${lines[firstHalf + 1]?.slice(0, 20) ?? ""}`,
  );
  const rest = await run({}, "half.jsonl");
  expect(rest.text).toBe(whole.text);
  expect(rest.asked.length).toBeLessThan(whole.asked.length);
});

test("an endpoint that is down is no result", async () => {
  const { exit, text } = await run({ before: () => new Response("down", { status: 503 }) }, "down.jsonl");
  expect({ exit, text }).toEqual({ exit: 3, text: "too many failed requests to judge" });
});
