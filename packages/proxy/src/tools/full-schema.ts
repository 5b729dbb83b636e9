// With a lazy list a model sees less of a schema than its server checks. The error of the first call that goes wrong carries
// all of it, once for each tool and client.
import { isObject, RpcError } from "@bosun/mcp/server";
import type { Call, Json, JsonObject, RawJson } from "@bosun/mcp/server";
import type { ToolDefinition } from "@bosun/shrink";
import { decodedOf, editMembers, jsonOf } from "../messages/message-json.ts";
import { revealHiddenText } from "./reveal-hidden-text.ts";

const INVALID_PARAMS = -32602;

export class FullSchemas {
  private readonly shown = new Set<string>();

  /** The answer, with the schema behind an error that it would have avoided. */
  async after(answer: Promise<JsonObject | RawJson>, call: Call, tool: ToolDefinition | undefined) {
    try {
      const given = await answer;
      if (!tool || decodedOf(given)["isError"] !== true) return given;
      if (fits(call.params["arguments"] ?? {}, tool.inputSchema)) return given;
      const text = await this.textOf(call, tool);
      if (text === undefined) return given;
      const { content } = decodedOf(given);
      return editMembers(jsonOf(given), [], {
        content: [...(Array.isArray(content) ? content : []), { type: "text", text }],
      });
    } catch (error) {
      // The server refuses the arguments as such: its words, and behind them ours.
      const text =
        error instanceof RpcError && error.code === INVALID_PARAMS && tool ? await this.textOf(call, tool) : undefined;
      if (!(error instanceof RpcError) || text === undefined) throw error;
      throw new RpcError(error.code, `${error.message}\n${text}`, error.data);
    }
  }

  private async textOf(call: Call, tool: ToolDefinition): Promise<string | undefined> {
    const name = String(call.params["name"]);
    if (this.shown.has(name)) return undefined;
    this.shown.add(name);
    const [visible = tool] = await revealHiddenText([tool]);
    const { description, inputSchema } = visible;
    return [`[bosun: full schema of ${name}]`, ...(description ? [description] : []), JSON.stringify(inputSchema)].join(
      "\n",
    );
  }
}

/** As far as it can be said without a whole validator: types, what is required, choices, and names that are not there. */
export function fits(value: Json | undefined, schema: unknown): boolean {
  if (!isObject(schema as Json)) return true;
  const { type, enum: choices, required, properties, items, additionalProperties } = schema as JsonObject;
  if (type !== undefined && !(Array.isArray(type) ? type : [type]).some((one) => isOfType(value, one))) return false;
  if (Array.isArray(choices) && !choices.some((choice) => JSON.stringify(choice) === JSON.stringify(value)))
    return false;
  if (Array.isArray(value)) return value.every((item) => fits(item, items));
  if (!isObject(value)) return true;
  if (Array.isArray(required) && !required.every((name) => Object.hasOwn(value, String(name)))) return false;
  const known = isObject(properties) ? properties : {};
  return Object.entries(value).every(([name, own]) =>
    Object.hasOwn(known, name) ? fits(own, known[name]) : additionalProperties !== false,
  );
}

function isOfType(value: Json | undefined, type: Json): boolean {
  switch (type) {
    case "object":
      return isObject(value);
    case "array":
      return Array.isArray(value);
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
    default:
      return true;
  }
}
