// Some chat templates drop tool results without any error, so no error would ever tell. llama.cpp renders a conversation
// without generating anything: look whether a result is still in it.
import { isObject } from "@bosun/mcp";
import type { HttpFetch } from "@bosun/mcp";

const MARK = "result-9f31c2";
const WAIT_MS = 2000;

/** Whether results as `role: "tool"` reach the model; undefined when the server cannot say. */
export async function keepsToolResults(fetch: HttpFetch, baseUrl: string): Promise<boolean | undefined> {
  const root = baseUrl.replace(/\/v1\/?$/, "");
  const call = { id: "abcdefghi", type: "function", function: { name: "look", arguments: "{}" } };
  const messages = [
    { role: "user", content: "look" },
    { role: "assistant", content: "", tool_calls: [call] },
    { role: "tool", tool_call_id: "abcdefghi", name: "look", content: MARK },
  ];
  try {
    const response = await fetch(`${root}/apply-template`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ messages }),
      signal: AbortSignal.timeout(WAIT_MS),
    });
    const body: unknown = response.ok ? await response.json() : undefined;
    const prompt = isObject(body) ? body["prompt"] : undefined;
    return typeof prompt === "string" ? prompt.includes(MARK) : undefined;
  } catch {
    return undefined;
  }
}
