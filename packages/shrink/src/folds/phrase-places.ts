// Letters for phrases, all in one pass over the text: replacing phrase by phrase would copy it once for each.
import type { Phrase } from "./phrases.ts";

/** Phrases are looked for by their first characters; none is shorter. */
const KEY_CHARS = 4;
const BUCKET_BITS = 12;

/** Where each phrase stands in the text, first to last, and cuts no word. Places may overlap. */
export function placesOf(text: string, phrases: readonly Phrase[]): number[][] {
  const places: number[][] = phrases.map(() => []);
  const keys = new Int32Array(phrases.length);
  const heads = new Int16Array(1 << BUCKET_BITS).fill(-1);
  const next = new Int16Array(phrases.length);
  for (let i = phrases.length - 1; i >= 0; i--) {
    const { start } = phrases[i] as Phrase;
    let key = 0;
    for (let at = start; at < start + KEY_CHARS; at++) key = (key << 8) ^ text.charCodeAt(at);
    keys[i] = key;
    next[i] = heads[bucketOf(key)] ?? -1;
    heads[bucketOf(key)] = i;
  }
  let key = 0;
  for (let at = 0; at < text.length; at++) {
    key = (key << 8) ^ text.charCodeAt(at); // what is four characters back has been shifted out
    for (let i = heads[bucketOf(key)] ?? -1; i >= 0; i = next[i] ?? -1) {
      if (keys[i] !== key || at + 1 < KEY_CHARS) continue;
      const { start, end } = phrases[i] as Phrase;
      if (standsAt(text, at + 1 - KEY_CHARS, start, end)) places[i]?.push(at + 1 - KEY_CHARS);
    }
  }
  return places;
}

// Used again for the next text: a fresh pair each would keep the collector busy.
const buffers = [new Uint8Array(4096), new Uint8Array(4096)];

function cleared(which: number, size: number): Uint8Array {
  let buffer = buffers[which];
  if (buffer === undefined || buffer.length < size) buffers[which] = buffer = new Uint8Array(size * 2);
  return buffer.fill(0, 0, size);
}

/** Places of a text that are taken, none twice. Phrases must come longest first. One text at a time. */
export class Taken {
  readonly #starts: Uint8Array;
  readonly #covered: Uint8Array;
  readonly #sizes: number[] = [];

  constructor(chars: number) {
    this.#starts = cleared(0, chars + 1);
    this.#covered = cleared(1, chars + 1);
  }

  /** Those places of a phrase that are free and do not overlap each other. */
  free(places: readonly number[], size: number): number[] {
    const free: number[] = [];
    let after = 0;
    for (const place of places) {
      // Whatever was taken is at least as long as this: if it reaches in here, it covers one of the ends.
      if (place < after || this.#covered[place] === 1 || this.#covered[place + size - 1] === 1) continue;
      free.push(place);
      after = place + size;
    }
    return free;
  }

  take(places: readonly number[], size: number): void {
    this.#sizes.push(size);
    for (const place of places) {
      this.#starts[place] = this.#sizes.length;
      for (let at = place; at < place + size; at++) this.#covered[at] = 1;
    }
  }

  /** The text with the n-th that was taken written as the n-th letter. */
  write(text: string, letters: readonly string[]): string {
    const out: string[] = [];
    let from = 0;
    for (let at = 0; at < text.length;) {
      const which = this.#starts[at] ?? 0;
      if (which === 0) {
        at++;
        continue;
      }
      out.push(text.slice(from, at), letters[which - 1] ?? "");
      from = at += this.#sizes[which - 1] ?? 1;
    }
    out.push(text.slice(from));
    return out.join("");
  }
}

// Phrases that begin alike are many: what is none of them mostly ends differently. All of it is compared: a key has room
// for Latin characters only, and others can make the same one.
function standsAt(text: string, place: number, start: number, end: number): boolean {
  if (text.charCodeAt(place + end - start - 1) !== text.charCodeAt(end - 1)) return false;
  if (isInsideWord(text, place) || isInsideWord(text, place + end - start)) return false;
  for (let i = start, at = place; i < end; i++, at++) {
    if (text.charCodeAt(i) !== text.charCodeAt(at)) return false;
  }
  return true;
}

/**
 * Whether a cut here would leave half a word or half a number: the reader would have to put it together. The parts of
 * camelCase are words.
 */
export function isInsideWord(text: string, at: number): boolean {
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  if (isDigit(after)) return isDigit(before);
  return isSmall(after) && (isSmall(before) || (before >= 0x41 && before <= 0x5a));
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function isSmall(unit: number): boolean {
  return unit >= 0x61 && unit <= 0x7a;
}

function bucketOf(key: number): number {
  return Math.imul(key, 0x9e3779b1) >>> (32 - BUCKET_BITS);
}
