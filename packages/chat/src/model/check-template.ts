// Some chat templates drop tool results without any error, so no error would ever tell. llama.cpp renders a conversation
// without generating anything: look whether a result is still in it.
import { isObject } from "@bosun/mcp";
import type { HttpFetch, JsonObject } from "@bosun/mcp";
import { askModel } from "./ask-model.ts";
import type { Model } from "./model.ts";

const MARK = "result-9f31c2";
const WAIT_MS = 2000;
const LOOK: JsonObject = {
  type: "function",
  function: { name: "look", description: "Gives a code.", parameters: { type: "object", properties: {} } },
};

/** Whether results as `role: "tool"` reach the model; undefined when the server cannot say without generating. */
export async function keepsToolResults(fetch: HttpFetch, baseUrl: string): Promise<boolean | undefined> {
  const root = baseUrl.replace(/\/v1\/?$/, "");
  try {
    const response = await fetch(`${root}/apply-template`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ messages: conversation("look") }),
      signal: AbortSignal.timeout(WAIT_MS),
    });
    const body: unknown = response.ok ? await response.json() : undefined;
    const prompt = isObject(body) ? body["prompt"] : undefined;
    return typeof prompt === "string" ? prompt.includes(MARK) : undefined;
  } catch {
    return undefined; // not llama.cpp, or away: it cannot say
  }
}

/** The same by asking the model itself: one request. Undefined when there was no answer to judge by. */
export async function sawToolResult(model: Model, fetch: HttpFetch, signal: AbortSignal): Promise<boolean | undefined> {
  const question = "Look with the tool, then repeat the code it gave, letter by letter.";
  const asked = await askModel({
    endpoint: model.endpoint,
    body: () => model.body(conversation(question), [LOOK], false),
    facts: { hasToolTurns: true, wrapsUp: false },
    signal,
    fetch,
    events: {},
  });
  if (asked.kind !== "answer" || asked.meaning.kind !== "text") return undefined;
  return asked.answer.text.includes(MARK);
}

function conversation(question: string): JsonObject[] {
  const call = { id: "abcdefghi", type: "function", function: { name: "look", arguments: "{}" } };
  return [
    { role: "user", content: question },
    { role: "assistant", content: "", tool_calls: [call] },
    { role: "tool", tool_call_id: "abcdefghi", name: "look", content: MARK },
  ];
}
