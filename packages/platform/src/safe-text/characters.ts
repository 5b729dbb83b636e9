// What a code point does to a screen: shows itself, stacks on its neighbour, joins emoji, or acts unseen.
// One table for everything that judges foreign text (screens, names, definitions).

export const VISIBLE = 0;
export const UNSEEN = 1; // controls, bidi, zero width, fillers, tags, noncharacters, lone surrogates
export const MARK = 2; // combining marks: fine in small stacks
export const JOINER = 3; // U+200D: fine between emoji
export const SELECTOR = 4; // U+FE0F: fine after an emoji

// Ranges of the basic plane, inclusive. Sources: Unicode general categories Cc, Cf, Zl, Zp, Cs, the
// Default_Ignorable_Code_Point property, and blanks that look like nothing although they are letters.
const UNSEEN_RANGES: readonly (readonly [number, number])[] = [
  [0x0000, 0x0008],
  [0x000b, 0x001f],
  [0x007f, 0x009f],
  [0x00ad, 0x00ad],
  [0x034f, 0x034f],
  [0x0600, 0x0605],
  [0x061c, 0x061c],
  [0x06dd, 0x06dd],
  [0x070f, 0x070f],
  [0x0890, 0x0891],
  [0x08e2, 0x08e2],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x2800, 0x2800],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfdd0, 0xfdef],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0xfffe, 0xffff],
];

const ASTRAL_UNSEEN: readonly (readonly [number, number])[] = [
  [0x110bd, 0x110bd],
  [0x110cd, 0x110cd],
  [0x13430, 0x1345f],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff], // tags, and the second block of variation selectors: both carry hidden text
];

const UNASKED = 255;
// Built when the first text beyond ASCII comes, filled in as characters are met: start-up must not pay for it.
let plane0: Uint8Array | undefined;
const MARKS = /^\p{M}$/u;
const EMOJI = /^\p{Extended_Pictographic}$/u;

export function classOf(point: number): number {
  if (point < 0x10000) return classInPlane0(point);
  if ((point & 0xfffe) === 0xfffe) return UNSEEN;
  for (const [from, to] of ASTRAL_UNSEEN) if (point >= from && point <= to) return UNSEEN;
  return MARKS.test(String.fromCodePoint(point)) ? MARK : VISIBLE;
}

/** True when every code unit shows itself alone, line feed and tab included: nothing to escape, stack or join. */
export function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x20 && unit < 0x7f) continue;
    if (classInPlane0(unit) !== VISIBLE) return false;
  }
  return true;
}

export function isEmojiBase(point: number): boolean {
  if (point < 0x23) return false;
  // Keycaps: digit, # or * with U+FE0F and U+20E3.
  if (point < 0x80) return point === 0x23 || point === 0x2a || (point >= 0x30 && point <= 0x39);
  return EMOJI.test(String.fromCodePoint(point));
}

/** What may stand before a zero-width joiner: a real emoji, not a digit. */
export function isJoinable(point: number): boolean {
  return point >= 0x80 && EMOJI.test(String.fromCodePoint(point));
}

export function isEmojiModifier(point: number): boolean {
  return point >= 0x1f3fb && point <= 0x1f3ff;
}

function classInPlane0(point: number): number {
  plane0 ??= tableOfPlane0();
  const known = plane0[point] ?? UNSEEN;
  if (known !== UNASKED) return known;
  return (plane0[point] = MARKS.test(String.fromCharCode(point)) ? MARK : VISIBLE);
}

function tableOfPlane0(): Uint8Array {
  const table = new Uint8Array(0x10000).fill(UNASKED, 0x300);
  for (const [from, to] of UNSEEN_RANGES) table.fill(UNSEEN, from, to + 1);
  table[0x200d] = JOINER;
  table[0xfe0f] = SELECTOR;
  return table;
}
