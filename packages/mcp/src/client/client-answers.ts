// What a client can be asked, and how it answers: the same in a request of the server's (legacy) and in an
// `input_required` result (2026-07-28).
import { isObject } from "../wire/json.ts";
import type { JsonObject } from "../wire/json.ts";
import { METHOD_NOT_FOUND, RpcError } from "../wire/rpc-error.ts";

export type Root = { uri: string; name?: string };
export type ElicitAnswer = { action: "accept" | "decline" | "cancel"; content?: JsonObject };

/** Each one that is given is declared as a capability. */
export type RequestHandlers = {
  /** Shows a form (`requestedSchema`) or a URL to the person. Defaults the person left alone are filled in afterwards. */
  elicit?: (params: JsonObject, signal: AbortSignal) => Promise<ElicitAnswer>;
  /** Are URLs shown, too? Forms always are. */
  elicitUrls?: boolean;
  sample?: (params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;
  roots?: () => Promise<Root[]> | Root[];
};

export function declaredCapabilities(
  { elicit, elicitUrls, sample, roots }: RequestHandlers,
  legacy: boolean,
): JsonObject {
  return {
    ...(elicit ? { elicitation: elicitUrls ? { form: {}, url: {} } : {} } : {}),
    ...(sample ? { sampling: {} } : {}),
    ...(roots ? { roots: legacy ? { listChanged: true } : {} } : {}),
  };
}

export async function handleServerRequest(
  handlers: RequestHandlers,
  method: string,
  params: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject> {
  if (method === "elicitation/create" && handlers.elicit) {
    return withDefaults(await handlers.elicit(params, signal), params["requestedSchema"]);
  }
  if (method === "sampling/createMessage" && handlers.sample) return handlers.sample(params, signal);
  if (method === "roots/list" && handlers.roots) return { roots: await handlers.roots() };
  throw new RpcError(METHOD_NOT_FOUND, `this client does not answer ${method}`);
}

function withDefaults(answer: ElicitAnswer, schema: unknown): JsonObject {
  const properties = isObject(schema) ? schema["properties"] : undefined;
  if (answer.action !== "accept" || !isObject(properties)) return answer;
  const content: JsonObject = {};
  for (const [name, property] of Object.entries(properties)) {
    if (isObject(property) && property["default"] !== undefined) content[name] = property["default"];
  }
  return { ...answer, content: { ...content, ...answer.content } };
}
