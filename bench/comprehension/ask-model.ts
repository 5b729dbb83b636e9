// One request to an OpenAI-compatible endpoint: a result and its questions, answered by number.
import type { Question } from "./questions.ts";

export type Endpoint = { url: string; model: string; key: string | undefined; timeoutMs: number; waitMs: number };
export type Reply = { answers: Map<number, string>; promptTokens: number };

const TRIES = 5;
const MAX_WAIT_MS = 30_000;
const MAX_ANSWER_TOKENS = 300;
const SYSTEM = "Answer from the tool result only. One line per question: number, colon, answer.";

/** undefined: the endpoint did not answer, however often it was asked. */
export async function askModel(
  endpoint: Endpoint,
  shown: string,
  questions: readonly Question[],
): Promise<Reply | undefined> {
  const asked = questions.map(({ asks }, i) => `${i + 1}: ${asks}`).join("\n");
  const body = JSON.stringify({
    model: endpoint.model,
    temperature: 0,
    max_tokens: MAX_ANSWER_TOKENS,
    messages: [
      { role: "system", content: SYSTEM },
      { role: "user", content: `Tool result:\n${shown}\n\nQuestions:\n${asked}` },
    ],
  });
  for (let tries = 0; tries < TRIES; tries++) {
    const outcome = await post(endpoint, body);
    if ("reply" in outcome) return outcome.reply;
    if (outcome.isFinal) return undefined;
    const wait = outcome.afterMs ?? Math.min(endpoint.waitMs * 2 ** tries, MAX_WAIT_MS);
    if (tries + 1 < TRIES) await new Promise((resolve) => setTimeout(resolve, wait));
  }
  return undefined;
}

type Outcome = { reply: Reply } | { isFinal: boolean; afterMs?: number };

async function post({ url, key, timeoutMs }: Endpoint, body: string): Promise<Outcome> {
  try {
    const response = await fetch(`${url.replace(/\/$/, "")}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.status === 429 || response.status >= 500) {
      const after = Number(response.headers.get("retry-after"));
      return { isFinal: false, ...(after > 0 ? { afterMs: Math.min(after * 1000, MAX_WAIT_MS) } : {}) };
    }
    if (!response.ok) return { isFinal: true };
    return replyOf((await response.json()) as Completion);
  } catch {
    return { isFinal: false }; // refused, cut off or too slow: worth another try
  }
}

type Completion = { choices?: { message?: { content?: unknown } }[]; usage?: { prompt_tokens?: unknown } };

function replyOf({ choices, usage }: Completion): Outcome {
  const content = choices?.[0]?.message?.content;
  if (typeof content !== "string") return { isFinal: false };
  const answers = new Map<number, string>();
  for (const [, number, answer = ""] of content.matchAll(/^\s*(\d+)\s*[:.)] ?(.*)$/gm))
    answers.set(Number(number), answer);
  const tokens = usage?.prompt_tokens;
  return { reply: { answers, promptTokens: typeof tokens === "number" ? tokens : 0 } };
}
