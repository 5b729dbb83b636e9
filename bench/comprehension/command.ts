// npm run bench -- comprehension: can what was shortened be read? First a reader that is a program, then any model.
import { helpText, readFlags, UsageError, whole } from "@bosun/platform/flags";
import type { Program } from "@bosun/platform/flags";
import type { FormName } from "./forms.ts";
import { FORMS } from "./forms.ts";
import { markdownOf, MUST_BE_RIGHT, naiveScores } from "./naive.ts";
import { runModel } from "./run-model.ts";

const COMPREHENSION: Program = {
  name: "npm run bench -- comprehension",
  summary: "can shortened results be read: a naive reader, or with --model any OpenAI-compatible endpoint",
  usage: [
    "npm run bench -- comprehension [--generated N]",
    "npm run bench -- comprehension --model URL [--name MODEL]",
  ],
  flags: [
    { name: "generated", value: "N", help: "how many generated results the naive reader gets (10000)" },
    { name: "model", value: "URL", help: "an endpoint such as http://127.0.0.1:8080/v1; its key from OPENAI_API_KEY" },
    { name: "name", value: "MODEL", help: "which model to ask for (default)" },
    { name: "forms", value: "LIST", help: `what to show: ${FORMS.join(",")} (all)` },
    { name: "limit", value: "N", help: "how many results (400)" },
    {
      name: "out",
      value: "FILE",
      help: "one line per answer; the same file again goes on where it was (comprehension.jsonl)",
    },
    { name: "yes", help: "also where it would take more than two million tokens" },
  ],
  examples: [],
};

const TIMEOUT_MS = 120_000;
const FIRST_WAIT_MS = 1000;

export async function comprehension(words: readonly string[]): Promise<number> {
  const flags = readFlags(COMPREHENSION, words);
  if (flags.isHelp) {
    console.log(helpText(COMPREHENSION));
    return 0;
  }
  const url = flags.text("model");
  if (url === undefined) return naive(whole(flags, "generated", { min: 1, max: 10_000_000 }, 10_000));
  const forms = flags.text("forms")?.split(",") ?? [...FORMS];
  const unknown = forms.find((form) => !FORMS.some((name) => name === form));
  if (unknown !== undefined)
    throw new UsageError(`--forms must be of ${FORMS.join(", ")}; got ${JSON.stringify(unknown)}`);
  const key = process.env["OPENAI_API_KEY"];
  const outcome = await runModel(
    {
      endpoint: { url, model: flags.text("name") ?? "default", key, timeoutMs: TIMEOUT_MS, waitMs: FIRST_WAIT_MS },
      forms: forms as FormName[],
      limit: whole(flags, "limit", { min: 1, max: 1_000_000 }, 400),
      out: flags.text("out") ?? "comprehension.jsonl",
      isAllowed: flags.isOn("yes"),
    },
    (line) => console.error(line),
  );
  (outcome.exit === 0 ? console.log : console.error)(outcome.text);
  return outcome.exit;
}

function naive(generated: number): number {
  const rows = naiveScores(generated);
  console.log(markdownOf(rows));
  const wrong = rows.filter(({ form }) => MUST_BE_RIGHT.some((name) => name === form)).flatMap((row) => row.wrong);
  for (const { id, question, answer } of wrong) {
    console.error(
      `WRONG ${id}: ${question.asks}\n  wanted ${JSON.stringify(question.answer)}\n  got ${JSON.stringify(answer)}`,
    );
  }
  return wrong.length === 0 ? 0 : 1;
}
