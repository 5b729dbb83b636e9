// Asking the person behind the client: one primitive for handlers, several ways to carry the question.
//
// Up to 2025-11-25 a question is a request that the server sends and awaits. In 2026-07-28 the call itself ends with
// `input_required`, the client gathers the answers and calls again, and the handler runs from its top: so a handler must
// have no side effects before its last `ask`.
import type { Call } from "./call.ts";
import { isObject } from "../wire/json-value.ts";
import type { Json, JsonObject } from "../wire/json-value.ts";
import { atLeast, isModern } from "../wire/revisions.ts";
import { CAPABILITY_MISSING, INVALID_PARAMS, INVALID_REQUEST, RpcError } from "../wire/rpc-error.ts";
import { digestOf } from "./state-cipher.ts";
import type { StateCipher } from "./state-cipher.ts";

/** How long a person may think before the encrypted state expires. */
const STATE_LIFETIME_MS = 60 * 60 * 1000;

export type Question = { method: "elicitation/create" | "sampling/createMessage" | "roots/list"; params: JsonObject };
export type Answers = { [key: string]: JsonObject };
/**
 * Puts questions to the client, by key; gives the answers under the same keys. What is not answered within `timeoutMs`
 * is withdrawn, where the client holds the question open, and the asking fails (ConnectionError, "timeout").
 */
export type Ask = (questions: { [key: string]: Question }, options?: { timeoutMs?: number }) => Promise<Answers>;

/** A form: a flat object schema of strings, numbers, booleans and choices. */
export function elicitForm(message: string, requestedSchema: JsonObject): Question {
  return { method: "elicitation/create", params: { mode: "form", message, requestedSchema } };
}

/** A page to visit; only consent comes back. */
export function elicitUrl(message: string, url: string): Question {
  return { method: "elicitation/create", params: { mode: "url", message, url, elicitationId: crypto.randomUUID() } };
}

export function sample(params: JsonObject): Question {
  return { method: "sampling/createMessage", params };
}

export function listRoots(): Question {
  return { method: "roots/list", params: {} };
}

/** Ends a modern call: what is still missing, and what must come back with it. Not an error. */
export class InputRequired extends Error {
  readonly questions: { [key: string]: Question };
  readonly state: string;

  constructor(questions: { [key: string]: Question }, state: string) {
    super("input required");
    this.questions = questions;
    this.state = state;
  }

  toResult(): JsonObject {
    const inputRequests: JsonObject = {};
    for (const [key, question] of Object.entries(this.questions)) inputRequests[key] = wireForm(question);
    return { resultType: "input_required", inputRequests, requestState: this.state };
  }
}

/** Can this client be asked that? `mode` matters for elicitation: `{}` means forms only. */
export function canAsk(call: Call, question: Question): boolean {
  return missingCapability(declaredBy(call), question) === undefined;
}

/** The way of asking that fits the call's revision. */
export async function askerFor(call: Call, cipher: StateCipher): Promise<Ask> {
  return isModern(call.revision) ? roundTripAsk(call, cipher) : directAsk(call);
}

/** Refuses, before anybody is bothered, what the client did not declare. */
export function demandCapabilities(call: Call, questions: { [key: string]: Question }): void {
  for (const question of Object.values(questions)) {
    const missing = missingCapability(declaredBy(call), question);
    if (missing === undefined) continue;
    const name = Object.keys(missing)[0] ?? "";
    const message = `the client did not declare the ${name} capability this call needs`;
    // The code that says so belongs to 2026-07-28; older clients would not know it.
    if (!isModern(call.revision)) throw new RpcError(INVALID_REQUEST, message);
    throw new RpcError(CAPABILITY_MISSING, message, { requiredCapabilities: missing });
  }
}

/** A capability counts only where the revision has it: elicitation came with 2025-06-18, URLs with 2025-11-25. */
function declaredBy({ client: { capabilities }, revision }: Call): JsonObject {
  if (atLeast(revision, "2025-11-25")) return capabilities;
  const { elicitation, sampling, ...rest } = capabilities;
  if (sampling !== undefined) rest["sampling"] = {};
  if (elicitation !== undefined && revision === "2025-06-18") rest["elicitation"] = {};
  return rest;
}

function directAsk(call: Call): Ask {
  return async (questions, options) => {
    demandCapabilities(call, questions);
    const asked = Object.entries(questions).map(async ([key, question]) => {
      const params = call.revision === "2025-06-18" ? without("mode", question.params) : question.params;
      return [key, await call.request(question.method, params, { ...options, signal: call.signal })] as const;
    });
    return Object.fromEntries(await Promise.all(asked));
  };
}

async function roundTripAsk(call: Call, cipher: StateCipher): Promise<Ask> {
  const { inputResponses, requestState, name, uri, arguments: args } = call.params;
  // Nested, not merged: a member of params must not be able to pass for the owner or the method.
  const binding = await digestOf([call.method, call.owner, { name, uri, arguments: args }]);
  const earlier = await earlierRound(requestState, binding, cipher);
  const known = { ...earlier.answers, ...givenAnswers(inputResponses, earlier.asked) };
  return async (questions) => {
    const missing = Object.entries(questions).filter(([key]) => !Object.hasOwn(known, key));
    if (missing.length === 0) return Object.fromEntries(Object.keys(questions).map((key) => [key, known[key] ?? {}]));
    const open = Object.fromEntries(missing);
    demandCapabilities(call, open);
    const expires = Date.now() + STATE_LIFETIME_MS;
    // A round carries only its own answers: the earlier ones come back in the state. The salt makes every state new.
    const asked = Object.keys(open);
    const state = await cipher.encrypt({ binding, expires, asked, answers: known, salt: crypto.randomUUID() });
    throw new InputRequired(open, state);
  };
}

/** `asked`: the questions of the round before; unknown when the client brings no state along. */
type Round = { answers: Answers; asked: readonly Json[] | undefined };

async function earlierRound(state: Json | undefined, binding: string, cipher: StateCipher): Promise<Round> {
  if (state === undefined) return { answers: {}, asked: undefined };
  const opened = typeof state === "string" ? await cipher.decrypt(state) : undefined;
  if (!isObject(opened)) throw new RpcError(INVALID_PARAMS, "requestState is not one this server issued");
  if (opened["binding"] !== binding) throw new RpcError(INVALID_PARAMS, "requestState belongs to another request");
  if (!(Number(opened["expires"]) > Date.now())) throw new RpcError(INVALID_PARAMS, "requestState has expired");
  const { answers, asked } = opened;
  return { answers: isObject(answers) ? (answers as Answers) : {}, asked: Array.isArray(asked) ? asked : [] };
}

/**
 * Only what was asked in the round before: an answer that runs ahead of its question is not one. A client without a
 * state may know the questions from an earlier call; what it answers is its person's business either way.
 */
function givenAnswers(responses: Json | undefined, asked: readonly Json[] | undefined): Answers {
  if (responses === undefined) return {};
  if (!isObject(responses)) throw new RpcError(INVALID_PARAMS, "inputResponses must be an object");
  const answers: Answers = {};
  for (const [key, answer] of Object.entries(responses)) {
    if (!isObject(answer)) throw new RpcError(INVALID_PARAMS, `inputResponses.${key} must be an object`);
    if (!asked || asked.includes(key)) answers[key] = answer;
  }
  return answers;
}

function missingCapability(capabilities: JsonObject, question: Question): JsonObject | undefined {
  if (question.method === "roots/list") return isObject(capabilities["roots"]) ? undefined : { roots: {} };
  if (question.method === "sampling/createMessage") return missingSampling(capabilities["sampling"], question.params);
  const elicitation = capabilities["elicitation"];
  const mode = question.params["mode"] === "url" ? "url" : "form";
  if (!isObject(elicitation)) return { elicitation: { [mode]: {} } };
  const modes = Object.keys(elicitation);
  const supported = modes.includes(mode) || (mode === "form" && !modes.includes("url"));
  return supported ? undefined : { elicitation: { [mode]: {} } };
}

function missingSampling(declared: Json | undefined, params: JsonObject): JsonObject | undefined {
  const needsTools = params["tools"] !== undefined || params["toolChoice"] !== undefined;
  if (isObject(declared) && (!needsTools || declared["tools"] !== undefined)) return undefined;
  return { sampling: needsTools ? { tools: {} } : {} };
}

/** As 2026-07-28 spells it: elicitationId exists in 2025-11-25 only. */
export function wireForm({ method, params }: Question): JsonObject {
  return method === "roots/list" ? { method } : { method, params: without("elicitationId", params) };
}

function without(name: string, members: JsonObject): JsonObject {
  const rest = { ...members };
  delete rest[name];
  return rest;
}
