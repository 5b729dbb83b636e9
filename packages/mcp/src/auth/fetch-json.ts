// One small JSON document over HTTP from a server nobody has to trust: capped, timed, never redirected elsewhere, and its
// members by type: one of the wrong type is an error, a missing one is not.
import { AuthorizationError } from "./authorization-error.ts";
import { safeUrl } from "./safe-url.ts";
import type { UrlPolicy } from "./safe-url.ts";

export type HttpFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** How the OAuth code reaches the network. */
export type AuthHttp = {
  fetch: HttpFetch;
  urls: UrlPolicy;
  timeoutMs: number;
};

export type JsonObject = { readonly [key: string]: unknown };

/** `body` is undefined when the reply is not a JSON object. */
export type JsonReply = { status: number; headers: Headers; body: JsonObject | undefined };

/** Real metadata and key sets are a few KB; a provider with many keys stays far below this. */
export const MAX_DOCUMENT_BYTES = 256 * 1024;
export const DEFAULT_TIMEOUT_MS = 15_000;
const MAX_REDIRECTS = 3;

export async function getJson(http: AuthHttp, url: URL): Promise<JsonReply> {
  let target = url;
  for (let hops = 0; ; hops += 1) {
    const reply = await exchange(http, target, { method: "GET", headers: { accept: "application/json" } });
    if (!isRedirect(reply.status)) return reply;
    const next = redirectTarget(http, target, reply.headers);
    // What a document says is believed because of where it came from, so another origin cannot stand in for this one.
    if (next.origin !== url.origin || hops === MAX_REDIRECTS)
      throw new AuthorizationError("redirect_refused", `${url.href} redirects too often, or to another origin`);
    target = next;
  }
}

export async function postForm(
  http: AuthHttp,
  url: URL,
  form: URLSearchParams,
  headers: Record<string, string> = {},
): Promise<JsonReply> {
  const contentType = "application/x-www-form-urlencoded";
  return await post(http, url, form.toString(), { ...headers, "content-type": contentType });
}

export async function postJson(http: AuthHttp, url: URL, value: JsonObject): Promise<JsonReply> {
  return await post(http, url, JSON.stringify(value), { "content-type": "application/json" });
}

// Never follows a redirect: the body holds a code or a secret that is meant for this address only.
async function post(http: AuthHttp, url: URL, body: string, headers: Record<string, string>): Promise<JsonReply> {
  const reply = await exchange(http, url, {
    method: "POST",
    body,
    headers: { accept: "application/json", ...headers },
  });
  if (isRedirect(reply.status))
    throw new AuthorizationError("redirect_refused", `${url.href} answered with a redirect`);
  return reply;
}

async function exchange(http: AuthHttp, url: URL, init: RequestInit): Promise<JsonReply> {
  try {
    const signal = AbortSignal.timeout(http.timeoutMs);
    const response = await http.fetch(url, { ...init, redirect: "manual", signal });
    const text = await readCapped(response, url);
    return { status: response.status, headers: response.headers, body: parseObject(text) };
  } catch (error) {
    // a limit of ours has spoken already; the rest is the network's
    if (error instanceof AuthorizationError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new AuthorizationError("network", `${url.origin}${url.pathname} could not be read: ${reason}`);
  }
}

async function readCapped(response: Response, url: URL): Promise<string> {
  if (!response.body) return "";
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > MAX_DOCUMENT_BYTES) {
      await reader.cancel();
      throw new AuthorizationError("response_too_large", `${url.href} is larger than ${MAX_DOCUMENT_BYTES} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    // a page for people, or nothing: callers treat it as no document
    return undefined;
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304;
}

function redirectTarget(http: AuthHttp, from: URL, headers: Headers): URL {
  const location = headers.get("location");
  if (location === null) throw new AuthorizationError("redirect_refused", `${from.href} redirects to nowhere`);
  const absolute = URL.parse(location, from.href)?.href ?? location;
  return safeUrl(absolute, http.urls, "redirect target");
}

/** Longer lists are no use to anyone and would be carried around for ever. */
const MAX_LIST = 500;

export function textField(document: JsonObject, key: string): string | undefined {
  const value = document[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw wrong(key, "a string");
  return value;
}

export function requiredText(document: JsonObject, key: string): string {
  const value = textField(document, key);
  if (value === undefined || value === "") throw wrong(key, "a non-empty string");
  return value;
}

export function listField(document: JsonObject, key: string): string[] | undefined {
  const value = document[key];
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || value.length > MAX_LIST) throw wrong(key, "a list of strings");
  return value.map((item: unknown) => {
    if (typeof item !== "string") throw wrong(key, "a list of strings");
    return item;
  });
}

export function flagField(document: JsonObject, key: string): boolean {
  const value = document[key];
  if (value === undefined || value === null) return false;
  if (typeof value !== "boolean") throw wrong(key, "true or false");
  return value;
}

/** Seconds; some servers write numbers as strings. */
export function secondsField(document: JsonObject, key: string): number | undefined {
  const value = document[key];
  if (value === undefined || value === null) return undefined;
  const seconds = typeof value === "string" && /^\d{1,12}$/.test(value) ? Number(value) : value;
  if (typeof seconds !== "number" || !Number.isFinite(seconds) || seconds < 0) throw wrong(key, "a number of seconds");
  return seconds;
}

function wrong(key: string, expected: string): AuthorizationError {
  return new AuthorizationError("bad_document", `"${key}" must be ${expected}`);
}
