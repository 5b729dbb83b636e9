// Numbers that JavaScript would round, as the JSON text they were sent in (JSON.rawJSON): a definition in which only the
// last digit of such a number changes is another definition.

const raw = JSON as unknown as { isRawJSON(value: unknown): boolean; rawJSON(text: string): unknown };
/** No more digits than this survive in a number of JavaScript's, whatever they are. */
const SURE_DIGITS = 15;

/** The number as one text for all its spellings, as far as JavaScript can tell them to be one; undefined for others. */
export function exactNumberText(value: object): string | undefined {
  if (!raw.isRawJSON(value)) return undefined;
  const text = JSON.stringify(value);
  const number = Number(text);
  return Number.isFinite(number) && digitsIn(text) <= SURE_DIGITS ? JSON.stringify(number) : text;
}

/** JSON.parse that keeps such numbers. */
export function parseKeepingNumbers(text: string): unknown {
  const keep = (_: string, value: unknown, { source }: { source?: string } = {}): unknown =>
    typeof value === "number" && source !== undefined && JSON.stringify(value) !== source ? raw.rawJSON(source) : value;
  return JSON.parse(text, keep as (key: string, value: unknown) => unknown);
}

function digitsIn(text: string): number {
  return text
    .replace(/[eE].*$/, "")
    .replace(/[^\d]/g, "")
    .replace(/^0+/, "").length;
}
