// Numbers that JavaScript would round or respell, as the JSON text they were sent in (JSON.rawJSON): what is passed on must
// not change, and a definition in which only the last digit of such a number changes is another definition.

type Raw = {
  isRawJSON(value: unknown): boolean;
  rawJSON(text: string): unknown;
};

const raw = JSON as unknown as Raw;
/** No more digits than this survive in a number of JavaScript's, whatever they are. */
const SURE_DIGITS = 15;
/** Long numbers, small fractions, noughts at the end of a fraction, exponents and −0: without any of them every number survives. */
const RESPELT = /\d[\d.]{15}|\.0{5}|\.\d*0(?!\d)|\d[eE]|-0/;

/** JSON.stringify writes it unchanged. Not to be reckoned with: it is an object. */
export function exactNumber<T = unknown>(text: string): T {
  return raw.rawJSON(text) as T;
}

export function isExactNumber(value: unknown): boolean {
  return raw.isRawJSON(value);
}

/** A text that JSON.parse accepts, with every number that JavaScript would round or respell as it was sent. */
export function parseExactly<T = unknown>(text: string): T {
  return parseWith<T>(text, RESPELT, (value, source) => JSON.stringify(value) !== source);
}

/** Only integers that a number cannot hold stay as they were written; all others can be reckoned with. */
export function parseKeepingIntegers<T = unknown>(text: string): T {
  return parseWith<T>(text, /\d{16}/, (value, source) => !Number.isSafeInteger(value) && /^-?\d+$/.test(source));
}

function parseWith<T>(text: string, hint: RegExp, isKept: (value: number, source: string) => boolean): T {
  if (!hint.test(text)) return JSON.parse(text) as T;
  const keep = (_: string, value: unknown, { source }: { source?: string } = {}): unknown =>
    typeof value === "number" && source !== undefined && isKept(value, source) ? raw.rawJSON(source) : value;
  return JSON.parse(text, keep as (key: string, value: unknown) => unknown) as T;
}

/** Such a number as one text for all its spellings, as far as JavaScript can tell them to be one; undefined for others. */
export function exactNumberText(value: object): string | undefined {
  if (!raw.isRawJSON(value)) return undefined;
  const text = JSON.stringify(value);
  const number = Number(text);
  return Number.isFinite(number) && digitsIn(text) <= SURE_DIGITS ? JSON.stringify(number) : text;
}

function digitsIn(text: string): number {
  return text
    .replace(/[eE].*$/, "")
    .replace(/[^\d]/g, "")
    .replace(/^0+/, "").length;
}
