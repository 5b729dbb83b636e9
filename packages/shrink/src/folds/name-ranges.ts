// Names that count, such as the pictures of a film: the first and the last number, as a shell would write them.
//
//   frame-{001..120}.png          frame-001.png, frame-002.png, … frame-120.png
import type { Named } from "./alike-folders.ts";
import { UnfoldError } from "./fold.ts";

/** A few names in a row are as quickly read, and have more in common with the others of their list. */
const MIN_RUN = 10;
/** More digits are no count but a time or an id, and the sum would not be exact. */
const MAX_DIGITS = 9;
const RANGE = /\{(\d{1,9})\.\.(\d{1,9})\}/;

/** Would this name be taken for several? */
export function looksLikeRange(name: string): boolean {
  return name.includes("..") && RANGE.test(name);
}

/** The names, with those that count in one. */
export function joinRanges(names: readonly Named[]): Named[] {
  if (names.length < MIN_RUN) return [...names];
  const joined: Named[] = [];
  for (let i = 0; i < names.length;) {
    const first = names[i] as Named;
    const number = numberBefore(first.name, names[i + 1]);
    let end = i + 1;
    if (number !== undefined) while (end < names.length && isNext(names[end] as Named, first, number, end - i)) end++;
    if (number === undefined || end - i < MIN_RUN) {
      joined.push(first);
      i++;
      continue;
    }
    const { start, digits, rest } = number;
    const last = count(digits, end - i - 1);
    joined.push({ name: `${first.name.slice(0, start)}{${digits}..${last}}${rest}`, label: first.label });
    i = end;
  }
  return joined;
}

/** The names that a name with a range stands for; `most` of them at most. */
export function expandRange(name: string, most: number): string[] {
  const [whole = "", digits = "", last = ""] = RANGE.exec(name) ?? [];
  const times = Number(last) - Number(digits) + 1;
  if (!(times > 0 && times <= most)) throw new UnfoldError(`too many names: ${name}`);
  const start = name.indexOf(whole);
  const [before, after] = [name.slice(0, start), name.slice(start + whole.length)];
  return Array.from({ length: times }, (_, i) => before + count(digits, i) + after);
}

type Counted = { start: number; digits: string; rest: string };

// Where the next name differs from this one, if that is in a number.
function numberBefore(name: string, next: Named | undefined): Counted | undefined {
  if (next === undefined) return undefined;
  let start = 0;
  while (start < name.length && name.charCodeAt(start) === next.name.charCodeAt(start)) start++;
  while (start > 0 && isDigit(name.charCodeAt(start - 1))) start--;
  let end = start;
  while (isDigit(name.charCodeAt(end))) end++;
  if (end === start || end - start > MAX_DIGITS - 1) return undefined;
  return { start, digits: name.slice(start, end), rest: name.slice(end) };
}

function isNext({ name, label, together }: Named, first: Named, { start, digits, rest }: Counted, by: number): boolean {
  if (label !== first.label || together === true || !name.endsWith(rest)) return false;
  const number = count(digits, by);
  return name.length === start + number.length + rest.length && name === first.name.slice(0, start) + number + rest;
}

// As wide as the first one where that began with a nought.
function count(digits: string, by: number): string {
  const number = String(Number(digits) + by);
  return digits.startsWith("0") ? number.padStart(digits.length, "0") : number;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}
