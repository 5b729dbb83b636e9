// The arguments of a call and other long texts as an audit line shows them: redacted, and cut where they are long.
import type { Redactor } from "@bosun/platform/secrets";

const MAX_MEMBERS = 200;
const MAX_ARGUMENT_CHARS = 2000; // what a person needs to recognise a call; its digest covers the rest

export function shownArguments(value: unknown, redactor: Redactor): string {
  return cut(JSON.stringify(redactor.value(shortened(value, 0))), MAX_ARGUMENT_CHARS);
}

// A file's whole content may be an argument: what cannot be shown is not searched for secrets. Cut at twice what is
// shown, so that a secret that the cut made too short to be recognised falls away with the second cut.
export function shortText(text: string, maxChars: number, redactor: Redactor): string {
  if (text.length <= maxChars * 2) return cut(redactor.text(text), maxChars);
  const start = redactor.text(text.slice(0, maxChars * 2)).slice(0, maxChars);
  return `${start.toWellFormed()}… ${text.length - maxChars} more characters`;
}

function shortened(value: unknown, depth: number): unknown {
  if (typeof value === "string")
    return value.length > MAX_ARGUMENT_CHARS * 2 ? value.slice(0, MAX_ARGUMENT_CHARS * 2) : value;
  if (typeof value !== "object" || value === null) return value;
  if (depth > 8) return "…";
  if (isShort(value)) return value;
  if (Array.isArray(value)) return value.slice(0, MAX_MEMBERS).map((item) => shortened(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_MEMBERS)
      .map(([key, item]) => [key, shortened(item, depth + 1)]),
  );
}

/** Nothing in it has to be cut: most arguments, and they need not be copied. */
function isShort(value: object): boolean {
  let members = 0;
  for (const key in value) {
    const item: unknown = Reflect.get(value, key);
    if ((members += 1) > MAX_MEMBERS || typeof item === "object") return false;
    if (typeof item === "string" && item.length > MAX_ARGUMENT_CHARS * 2) return false;
  }
  return true;
}

export function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, maxChars).toWellFormed()}… ${text.length - maxChars} more characters`;
}
