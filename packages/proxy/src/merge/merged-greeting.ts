// What several servers can do together, and what each of them wants the model to know.
import { isObject } from "@bosun/mcp/server";
import type { Json, JsonObject } from "@bosun/mcp/server";
import { parseExactly } from "@bosun/platform/json";
import type { Backend } from "../servers/backend.ts";
import { editMembers } from "../messages/message-json.ts";

/** What the proxy can pass on for a server that has not said yet what it can do. Capabilities cannot be added later. */
const PERHAPS: JsonObject = {
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
};

/** `isWhole`: all servers have said what they can do. */
export function mergedCapabilities(all: readonly (Json | undefined)[], isWhole: boolean): JsonObject {
  const merged = all.reduce<JsonObject>((sum, one) => (isObject(one) ? union(sum, one) : sum), isWhole ? {} : PERHAPS);
  // Tools are always there (ours), and more may come when a server that was down comes up.
  return union(merged, { tools: { listChanged: true } });
}

/** A greeting of one server's, for a client that may hear from us that tools have changed. The same text when it may anyway. */
export function announceToolChanges(greeting: string): string {
  const { capabilities } = parseExactly(greeting) as JsonObject;
  if (!isObject(capabilities) || !isObject(capabilities["tools"]) || capabilities["tools"]["listChanged"] === true)
    return greeting;
  const tools = { ...capabilities["tools"], listChanged: true };
  return editMembers(greeting, [], { capabilities: { ...capabilities, tools } }).text;
}

export function mergedInstructions(greeted: readonly [Backend, JsonObject][]): { instructions?: string } {
  const said = greeted.flatMap(([backend, { instructions }]) =>
    typeof instructions === "string" && instructions !== "" ? [{ name: backend.name, instructions }] : [],
  );
  if (said.length === 0) return {};
  return { instructions: said.map(({ name, instructions }) => `${name}:\n${instructions}`).join("\n\n") };
}

function union(left: JsonObject, right: JsonObject): JsonObject {
  const result: JsonObject = { ...left };
  for (const [key, value] of Object.entries(right)) {
    const known = result[key];
    if (isObject(known) && isObject(value)) result[key] = union(known, value);
    else if (known === undefined || known === false) result[key] = value;
  }
  return result;
}
