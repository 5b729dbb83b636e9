// What a 2026-07-28 server still needs before it can answer: its questions put to whoever answers for this client.
import { isObject } from "../wire/json.ts";
import type { Json, JsonObject } from "../wire/json.ts";
import { ConnectionError, RpcError } from "../wire/rpc-error.ts";

type Answer = (method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;
export type Input = { inputResponses?: JsonObject; requestState: Json | undefined };

/** The answers to an `input_required` result, and the state that must go back with them. */
export async function answerInputRequests(result: JsonObject, answer: Answer, signal: AbortSignal): Promise<Input> {
  const { inputRequests, requestState } = result;
  if (inputRequests === undefined) return { requestState };
  if (!isObject(inputRequests)) throw unknownForm();
  const given = Object.entries(inputRequests).map(async ([key, question]): Promise<[string, Json]> => {
    if (!isObject(question) || typeof question["method"] !== "string") throw unknownForm();
    const params = isObject(question["params"]) ? question["params"] : {};
    return [key, await answerHere(answer, question["method"], params, signal)];
  });
  return { inputResponses: Object.fromEntries(await Promise.all(given)), requestState };
}

/** Errors of our own must not look like the server's. */
async function answerHere(
  answer: Answer,
  method: string,
  params: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject> {
  try {
    return await answer(method, params, signal);
  } catch (error) {
    throw error instanceof RpcError ? new ConnectionError("invalid", error.message) : error;
  }
}

function unknownForm(): ConnectionError {
  return new ConnectionError("invalid", "the server asked in a form we do not know");
}
