// What every server demands of a request body, and what the strict ones demand on top: three validators.
import { isObject } from "@bosun/mcp";
import type { JsonObject } from "@bosun/mcp";

const WIRE = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/;

/** The rules that hold for any server and any switches. */
export function problemsOf(body: JsonObject): string[] {
  const problems: string[] = [];
  const messages = Array.isArray(body["messages"]) ? body["messages"].filter(isObject) : [];
  if (!Array.isArray(body["messages"]) || messages.length === 0) return ["no messages"];
  if ("tools" in body && (!Array.isArray(body["tools"]) || body["tools"].length === 0)) problems.push("empty tools");
  if ("tool_choice" in body && !("tools" in body)) problems.push("tool_choice without tools");
  problems.push(...toolNameProblems(body["tools"]));
  const isSystem = (message: JsonObject): boolean => message["role"] === "system" || message["role"] === "developer";
  messages.forEach((message, place) => {
    if (isSystem(message) && place > 0) problems.push(`a second system message at ${place}`);
  });
  const rest = messages.filter((message) => !isSystem(message));
  const last = rest.at(-1)?.["role"];
  if (last !== "user" && last !== "tool") problems.push(`the last message is ${String(last)}`);
  const ids = new Set<string>();
  let waiting: string[] = [];
  let turn = "user";
  for (const [place, message] of rest.entries()) {
    const { role, content } = message;
    const toolCalls = Array.isArray(message["tool_calls"]) ? message["tool_calls"].filter(isObject) : [];
    if ((role === "user" || role === "tool") && !isFilled(content)) problems.push(`empty content at ${place}`);
    if (role === "tool") {
      const id = waiting.shift();
      if (id === undefined || message["tool_call_id"] !== id) problems.push(`tool message out of place at ${place}`);
      continue;
    }
    if (waiting.length > 0) problems.push(`call without a result before ${place}`);
    waiting = [];
    if (role === "assistant" && toolCalls.length > 0) {
      for (const one of toolCalls) {
        const id = String(one["id"]);
        if (ids.has(id) || id === "") problems.push(`id used twice: ${id}`);
        ids.add(id);
        waiting.push(id);
        problems.push(...callProblems(one));
      }
      continue;
    }
    if (Array.isArray(content) && role === "user") continue; // pictures after results
    if (role === "assistant" && !isFilled(content)) problems.push(`empty assistant text at ${place}`);
    if (role !== turn) problems.push(`expected ${turn} at ${place}, found ${String(role)}`);
    turn = role === "user" ? "assistant" : "user";
  }
  if (waiting.length > 0) problems.push("the last call has no result");
  return problems;
}

/** Plays Mistral: strict alternation, ids of nine letters or digits, and no question right after results. */
export function mistralProblems(body: JsonObject): string[] {
  const problems = problemsOf(body);
  const messages = Array.isArray(body["messages"]) ? body["messages"].filter(isObject) : [];
  messages.forEach((message, place) => {
    const toolCalls = Array.isArray(message["tool_calls"]) ? message["tool_calls"].filter(isObject) : [];
    for (const one of toolCalls) {
      if (!/^[A-Za-z0-9]{9}$/.test(String(one["id"]))) problems.push(`id ${String(one["id"])} is not 9 characters`);
    }
    if (message["role"] === "tool" && !/^[A-Za-z0-9]{9}$/.test(String(message["tool_call_id"]))) {
      problems.push("tool_call_id is not 9 characters");
    }
    if (message["role"] === "user" && messages[place - 1]?.["role"] === "tool") problems.push("user right after tool");
  });
  return problems;
}

/** Plays Ollama: arguments in the history must parse to objects. */
export function ollamaProblems(body: JsonObject): string[] {
  const messages = Array.isArray(body["messages"]) ? body["messages"].filter(isObject) : [];
  return messages.flatMap((message) => {
    const toolCalls = Array.isArray(message["tool_calls"]) ? message["tool_calls"].filter(isObject) : [];
    return toolCalls.flatMap((one) => (argumentsParse(one) ? [] : ["invalid tool call arguments"]));
  });
}

function toolNameProblems(tools: unknown): string[] {
  const names = Array.isArray(tools)
    ? tools.map((tool) => (isObject(tool) && isObject(tool["function"]) ? String(tool["function"]["name"]) : ""))
    : [];
  const problems = names.filter((name) => !WIRE.test(name)).map((name) => `tool name ${name}`);
  if (new Set(names).size !== names.length) problems.push("two tools with one name");
  if (names.join("\n") !== [...names].sort().join("\n")) problems.push("tools not sorted");
  return problems;
}

function callProblems(one: JsonObject): string[] {
  const made = isObject(one["function"]) ? one["function"] : {};
  const problems = argumentsParse(one) ? [] : [`arguments are not an object: ${String(made["arguments"])}`];
  if (!WIRE.test(String(made["name"]))) problems.push(`call name ${String(made["name"])}`);
  return problems;
}

function argumentsParse(one: JsonObject): boolean {
  const made = isObject(one["function"]) ? one["function"] : {};
  try {
    return typeof made["arguments"] === "string" && isObject(JSON.parse(made["arguments"]));
  } catch {
    return false;
  }
}

function isFilled(content: unknown): boolean {
  return Array.isArray(content) ? content.length > 0 : typeof content === "string" && content.trim() !== "";
}
