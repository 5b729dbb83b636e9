// Secrets out of what is shown, logged, audited or handed to a child. Linear in the length of the text, whatever it is.
import { byShape, NOTE, type SecretRange } from "./find-secrets.ts";
import { isSecretName } from "./secret-shapes.ts";

export type Redactor = {
  /** The text with every secret replaced by a note of its kind. */
  text(text: string): string;
  /** A copy of a JSON value: members with a secret's name replaced, every string redacted. */
  value(value: unknown): unknown;
  /** Where the secrets are, in order, not overlapping. */
  find(text: string): SecretRange[];
};

export type RedactorOptions = {
  /** Secrets known by value (tokens we hold): gone wherever they appear, in any shape. */
  secrets?: readonly string[];
};

const SHORTEST_KNOWN_SECRET = 6; // shorter ones would eat ordinary words
const MAX_DEPTH = 64;

let plain: Redactor | undefined;

/** Redacts by shape and name alone. Where our own tokens are at hand, make a redactor that knows them. */
export function redact(text: string): string {
  plain ??= createRedactor();
  return plain.text(text);
}

export function createRedactor(options: RedactorOptions = {}): Redactor {
  const known = knownSecrets(options.secrets ?? []);
  const find = (text: string): SecretRange[] => {
    const found = byShape(text);
    if (known.length > 0) found.push(...byValue(text, known));
    return found.length === 0 ? found : merged(found);
  };
  const redactText = (text: string): string => replaceRanges(text, find(text));
  return { find, text: redactText, value: (value) => redactValue(value, redactText, 0) };
}

/** What a question shows of a secret: enough to recognise it, not enough to use it. */
export function masked(secret: string): string {
  const start = secret.length >= 12 ? secret.slice(0, 2) : "";
  return `"${start}…" (${secret.length} characters)`;
}

export function replaceRanges(text: string, ranges: readonly SecretRange[]): string {
  if (ranges.length === 0) return text;
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, label } of ranges) {
    parts.push(text.slice(from, start), `${NOTE}${label}]`);
    from = end;
  }
  parts.push(text.slice(from));
  return parts.join("");
}

function knownSecrets(secrets: readonly string[]): string[] {
  const pieces = secrets.flatMap((secret) => [secret, ...secret.split(/\r?\n/)]);
  const usable = pieces.map((piece) => piece.trim()).filter((piece) => piece.length >= SHORTEST_KNOWN_SECRET);
  // As it appears in JSON, in a URL and in a Basic header, too.
  const forms = usable.flatMap((piece) => [
    piece,
    JSON.stringify(piece).slice(1, -1),
    encodeURIComponent(piece.toWellFormed()),
  ]);
  return [...new Set(forms)];
}

function byValue(text: string, known: readonly string[]): SecretRange[] {
  const found: SecretRange[] = [];
  for (const secret of known) {
    for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + secret.length)) {
      found.push({ start: at, end: at + secret.length, label: "secret" });
    }
  }
  return found;
}

function merged(ranges: SecretRange[]): SecretRange[] {
  const sorted = ranges.sort((left, right) => left.start - right.start || right.end - left.end);
  const result: SecretRange[] = [];
  for (const range of sorted) {
    const last = result.at(-1);
    if (last !== undefined && range.start < last.end) last.end = Math.max(last.end, range.end);
    else result.push({ ...range });
  }
  return result;
}

function redactValue(value: unknown, redactText: (text: string) => string, depth: number): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return "[nested too deeply]";
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redactText, depth + 1));
  const shown: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const item: unknown = Reflect.get(value, key);
    const isSecret = isSecretName(key) && item !== null && typeof item !== "boolean" && item !== "";
    setMember(shown, redactText(key), isSecret ? "[redacted secret]" : redactValue(item, redactText, depth + 1));
  }
  return shown;
}

/** Also one whose name an assignment would take for something else. */
function setMember(into: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") into[key] = value;
  else Object.defineProperty(into, key, { value, writable: true, enumerable: true, configurable: true });
}
