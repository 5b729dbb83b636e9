// Values in `Mcp-Name` and `Mcp-Param-*` headers (2026-07-28): plain where a header can carry them, wrapped where not.

const OPEN = "=?base64?";
const CLOSE = "?=";
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

export function encodeHeaderText(value: string): string {
  if (value === "") return "";
  const looksWrapped = value.startsWith(OPEN) && value.endsWith(CLOSE);
  if (PLAIN.test(value) && !looksWrapped) return value;
  return `${OPEN}${Buffer.from(value, "utf8").toString("base64")}${CLOSE}`;
}

/** Undefined when the wrapping is there but what it wraps is not proper base64 of UTF-8. */
export function decodeHeaderText(header: string): string | undefined {
  const value = header.trim();
  if (!value.startsWith(OPEN) || !value.endsWith(CLOSE) || value.length < OPEN.length + CLOSE.length) return value;
  const encoded = value.slice(OPEN.length, -CLOSE.length);
  // Buffer.from and atob take what must be refused: check the alphabet and the padding first.
  if (!BASE64.test(encoded)) return undefined;
  const bytes = Buffer.from(encoded, "base64");
  if (bytes.toString("base64") !== encoded) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
