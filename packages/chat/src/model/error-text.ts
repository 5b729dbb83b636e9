// The message in an error, whichever of the many shapes a model server gave it.
import { isObject } from "@bosun/mcp";

const MAX_PLAIN = 2000;

/** From a parsed body or an `error` member. */
export function messageIn(value: unknown, depth = 0): string | undefined {
  if (depth > 4) return undefined;
  if (typeof value === "string") return value.trim() === "" ? undefined : value.trim();
  if (Array.isArray(value)) return value.length === 0 ? undefined : messageIn(value[0], depth + 1);
  if (!isObject(value)) return undefined;
  // FastAPI puts a list of problems into `detail`, each with `msg`.
  const { error, message, detail, msg, metadata } = value;
  const own = messageIn(message, depth + 1) ?? messageIn(error, depth + 1) ?? messageIn(detail, depth + 1);
  const raw = isObject(metadata) ? messageIn(metadata["raw"], depth + 1) : undefined;
  const place = Array.isArray(value["loc"]) ? `${value["loc"].join(".")}: ` : "";
  const said = messageIn(msg, depth + 1);
  const found = own ?? (said === undefined ? undefined : `${place}${said}`);
  return found !== undefined && raw !== undefined && !found.includes(raw) ? `${found} (${raw})` : (found ?? raw);
}

/** From a response body as text: JSON of any shape, HTML, plain text, or nothing. */
export function messageInBody(body: string): string | undefined {
  const text = body.trim();
  if (text === "") return undefined;
  try {
    return messageIn(JSON.parse(text));
  } catch {
    // HTML or plain text: what a proxy in between answers
    if (!/<html|<!doctype/i.test(text)) return text.slice(0, MAX_PLAIN);
    const title = /<title[^>]*>([^<]*)<\/title>/i.exec(text)?.[1] ?? /<h1[^>]*>([^<]*)<\/h1>/i.exec(text)?.[1];
    return title?.trim() === "" ? undefined : title?.trim();
  }
}
