// A rough count of the tokens that another vocabulary would make of a text. Models read with different ones: what is
// fewer tokens in ours because of how it cuts blanks, digits or letters must not be more in theirs. The grammar is the
// older one that most share (a blank belongs to the word after it, digits stay together); how far a word is cut is a
// guess by its length.

/** In halves of a token, so that everything is counted in whole numbers. */
const TOKEN = 2;
const LETTERS_PER_TOKEN = 6;
const SIGNS_PER_TOKEN = 3;
/** On top, for each: many of them are two tokens where ours has one. */
const BEYOND_ASCII = 1;

const [BLANK, LETTER, DIGIT, SIGN] = [0, 1, 2, 3];
const ASCII_KINDS = Uint8Array.from({ length: 128 }, (_, unit) => asciiKind(unit));

/** Beyond this share ours and theirs have never been seen to disagree about which text is the smaller one. */
const SURE_SHARE = 0.6;
/** What a mark may cost more there than here, and how far the guess may be wrong. */
const MIN_TOKENS = 4;
const MIN_SHARE = 0.01;

/** Whether a text that is smaller in our vocabulary is smaller in others too, as far as one can tell. */
export function isSmallerElsewhere(before: string, after: string, tokensBefore: number, tokensAfter: number): boolean {
  if (tokensAfter <= tokensBefore * (1 - SURE_SHARE)) return true;
  return estimate(after) + MIN_TOKENS < roughTokens(before) * (1 - MIN_SHARE);
}

// The same text is compared with one draft after the other.
let latest = { text: "", tokens: 0 };

export function roughTokens(text: string): number {
  if (latest.text !== text) latest = { text, tokens: estimate(text) };
  return latest.tokens;
}

function estimate(text: string): number {
  const { length } = text;
  let halves = 0;
  let at = 0;
  while (at < length) {
    const start = at;
    const kind = kindAt(text, at);
    let wide = 0;
    do wide += text.charCodeAt(at++) >> 7 === 0 ? 0 : 1;
    while (at < length && kindAt(text, at) === kind);
    const chars = at - start;
    if (kind === BLANK) halves += costOfBlanks(text, chars, at);
    else if (kind === DIGIT && isOneDigit(text, start, at)) halves += TOKEN;
    else halves += TOKEN * Math.ceil(chars / (kind === LETTER ? LETTERS_PER_TOKEN : SIGNS_PER_TOKEN));
    halves += wide * BEYOND_ASCII;
  }
  return halves / TOKEN;
}

// The last blank goes with the word that follows; any other white space there stands alone.
function costOfBlanks(text: string, chars: number, end: number): number {
  if (end === text.length) return TOKEN;
  const rest = chars > 1 ? TOKEN : 0;
  return text.charCodeAt(end - 1) === 0x20 ? rest : rest + TOKEN;
}

// A row of zeros is one token elsewhere.
function isOneDigit(text: string, start: number, end: number): boolean {
  for (let at = start + 1; at < end; at++) if (text.charCodeAt(at) !== text.charCodeAt(start)) return false;
  return true;
}

function kindAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit < 128 ? (ASCII_KINDS[unit] as number) : LETTER;
}

function asciiKind(unit: number): number {
  const sign = String.fromCharCode(unit);
  if (/\s/.test(sign)) return BLANK;
  return /[A-Za-z]/.test(sign) ? LETTER : /\d/.test(sign) ? DIGIT : SIGN;
}
