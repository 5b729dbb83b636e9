// What a server asks of a client, in requests of its own (legacy) or in `input_required` results (2026-07-28), and how it
// is answered: by the same handlers.
import { isObject } from "../wire/json-value.ts";
import type { Json, JsonObject } from "../wire/json-value.ts";
import { errorText } from "../wire/message.ts";
import type { Id, Request } from "../wire/message.ts";
import { replyTo } from "../wire/reply.ts";
import { INVALID_REQUEST, RpcError, METHOD_NOT_FOUND, ConnectionError } from "../wire/rpc-error.ts";

/** A server that asks more at once is broken or hostile. */
const MAX_ASKED = 100;
/** Answers on their way to a server that may not read them: beyond these it gets no more. */
const MAX_UNREAD = 1000;
const MAX_UNREAD_CHARS = 16 * 1024 * 1024;

type HandleServerRequest = (method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

/** Requests of a legacy server: each is answered once, and not too many at a time. */
export class ServerRequests {
  private readonly answer: HandleServerRequest;
  private readonly reply: (text: string) => Promise<void>;
  private readonly open = new Map<Id, AbortController>();
  private unread = 0;
  private unreadChars = 0;

  constructor(answer: HandleServerRequest, reply: (text: string) => Promise<void>) {
    this.answer = answer;
    this.reply = reply;
  }

  take(request: Request): void {
    if (this.unread >= MAX_UNREAD || this.unreadChars >= MAX_UNREAD_CHARS) return;
    // A server that has gone needs no answer.
    void this.answerTo(request)
      .then((text) => (text === undefined ? undefined : this.send(text)))
      .catch(() => {}); // see above
  }

  cancel(id: Id): void {
    this.open.get(id)?.abort();
  }

  end(): void {
    for (const controller of this.open.values()) controller.abort();
  }

  private async send(text: string): Promise<void> {
    this.unread++;
    this.unreadChars += text.length;
    try {
      await this.reply(text);
    } finally {
      this.unread--;
      this.unreadChars -= text.length;
    }
  }

  private async answerTo({ id, method, params = {} }: Request): Promise<string | undefined> {
    if (this.open.has(id)) return errorText(id, new RpcError(INVALID_REQUEST, `request ${id} is still being answered`));
    if (this.open.size >= MAX_ASKED) {
      return errorText(id, new RpcError(INVALID_REQUEST, `more than ${MAX_ASKED} requests are being answered`));
    }
    const controller = new AbortController();
    this.open.set(id, controller);
    const { signal } = controller;
    const replied = await replyTo(id, signal, () => (method === "ping" ? {} : this.answer(method, params, signal)));
    this.open.delete(id);
    return replied?.text.toString();
  }
}

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

export type Input = { inputResponses?: JsonObject; requestState: Json | undefined };

/** The answers to an `input_required` result, and the state that must go back with them. */
export async function answerInputRequests(
  result: JsonObject,
  answer: HandleServerRequest,
  signal: AbortSignal,
): Promise<Input> {
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
  answer: HandleServerRequest,
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
