// What a server may ask of us besides forms: an answer of our model, and which folder this is. Both only after a yes, and
// both with everything shown that goes to the one or comes back to the other.
import { isObject, RpcError } from "@bosun/mcp";
import type { JsonObject } from "@bosun/mcp";
import { askModel } from "../model/ask-model.ts";
import { framedText } from "../screen/untrusted-text.ts";
import type { TerminalPrompts } from "../screen/terminal-prompts.ts";
import type { Terminal } from "../screen/terminal.ts";
import { textOfContent } from "../servers/prompts-and-resources.ts";
import type { ChatState } from "../turn/chat-state.ts";

const REJECTED = -1;

export type AskedPerson = { terminal: Terminal; prompts: TerminalPrompts; chat: ChatState };

export async function sample(
  { terminal, prompts, chat }: AskedPerson,
  alias: string,
  params: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject> {
  const given = Array.isArray(params["messages"]) ? params["messages"].filter(isObject) : [];
  const system = typeof params["systemPrompt"] === "string" ? params["systemPrompt"] : "";
  const messages: JsonObject[] = [
    ...(system === "" ? [] : [{ role: "system", content: system }]),
    ...given.map(({ role, content }) => ({
      role: role === "assistant" ? "assistant" : "user",
      content: textOfContent(content),
    })),
  ];
  const text = messages.map(({ role, content }) => `${String(role)}: ${String(content)}`).join("\n");
  const { frames, style } = terminal;
  terminal.line(
    [style.yellow(`${frames.top}${alias} wants to ask your model`), ...framedText(terminal, text)].join("\n"),
  );
  const refused = new RpcError(REJECTED, "the person said no");
  if (!(await asked(prompts, `${frames.bottom}let it?`, signal))) throw refused;
  const { model } = chat;
  const answer = await askModel({
    endpoint: model.endpoint,
    body: () => model.body(messages, undefined, false),
    facts: { hasToolTurns: false, wrapsUp: false },
    signal,
    fetch: chat.fetch,
    waitScale: chat.waitScale,
    events: {},
  });
  if (answer.kind !== "answer" || answer.meaning.kind !== "text")
    throw new RpcError(REJECTED, "the model gave no answer");
  const { usage, text: said } = answer.answer;
  chat.cost.request(usage, model.settings);
  terminal.line([style.yellow(`${frames.top}your model says to ${alias}`), ...framedText(terminal, said)].join("\n"));
  if (!(await asked(prompts, `${frames.bottom}send it?`, signal))) throw refused;
  return { role: "assistant", content: { type: "text", text: said }, model: model.wire, stopReason: "endTurn" };
}

/** Whoever asked may have gone by the time the person looks up. */
async function asked(prompts: TerminalPrompts, question: string, signal: AbortSignal): Promise<boolean> {
  const withdrawn = (): void => prompts.withdraw();
  signal.addEventListener("abort", withdrawn, { once: true });
  try {
    return (await prompts.confirm(question)) && !signal.aborted;
  } finally {
    signal.removeEventListener("abort", withdrawn);
  }
}
