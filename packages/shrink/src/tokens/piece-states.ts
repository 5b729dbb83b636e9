// How most pieces of a text are cut, as a table: state and character → next state. One step for every character and one
// way out of the loop, because what a processor guesses wrongly at the many turns of a grammar takes longer than all the
// rest. Knows ASCII only, and says where split.ts has to look.

const STATES = [
  "start",
  "sign",
  "space",
  "tab",
  "upper",
  "lower",
  "digit",
  "digits",
  "number",
  "signs",
  "breaks",
  "blanks",
  "lines",
] as const;
const KINDS = ["other", "upper", "lower", "digit", "space", "tab", "line", "slash", "apostrophe", "sign"] as const;
type State = (typeof STATES)[number];
type Kind = (typeof KINDS)[number];

const ROW = 16;
/** The piece ends before this character. */
export const ENDS = 254;
/** What follows has to be looked at closely. */
export const UNSURE = 255;

const SIGNS = ["slash", "apostrophe", "sign"] as const;
const WORD = { upper: "upper", lower: "lower" } as const;
const MOVES: Record<State, Partial<Record<Kind, State | "unsure">>> = {
  start: { ...WORD, digit: "digit", space: "space", tab: "tab", line: "lines", ...each(SIGNS, "sign") },
  sign: { ...WORD, line: "breaks", ...each(SIGNS, "signs") },
  space: { ...WORD, space: "blanks", tab: "blanks", line: "lines", ...each(SIGNS, "signs") },
  tab: { ...WORD, space: "blanks", tab: "blanks", line: "lines" },
  // An apostrophe may belong to the word.
  upper: { ...WORD, apostrophe: "unsure" },
  lower: { lower: "lower", apostrophe: "unsure" },
  digit: { digit: "digits" },
  digits: { digit: "number" },
  number: {},
  signs: { line: "breaks", ...each(SIGNS, "signs") },
  breaks: { line: "breaks", slash: "breaks" },
  blanks: { space: "blanks", tab: "blanks", line: "lines" },
  lines: { line: "lines", space: "unsure", tab: "unsure" },
};

/** Of each ASCII character. */
export const KIND_OF = Uint8Array.from({ length: 128 }, (_, unit) => KINDS.indexOf(kindOf(unit)));
/** By state and kind. */
export const NEXT = new Uint8Array(STATES.length * ROW);
for (const [i, state] of STATES.entries()) {
  for (const [k, kind] of KINDS.entries()) NEXT[i * ROW + k] = codeOf(state, kind);
}
export const [START, BLANKS, LINES] = [rowOf("start"), rowOf("blanks"), rowOf("lines")];

function codeOf(state: State, kind: Kind): number {
  // What ends in any case ends before letters of other alphabets, too.
  if (kind === "other") return state === "number" || state === "breaks" ? ENDS : UNSURE;
  const next = MOVES[state][kind];
  return next === undefined ? ENDS : next === "unsure" ? UNSURE : rowOf(next);
}

function rowOf(state: State): number {
  return STATES.indexOf(state) * ROW;
}

function kindOf(unit: number): Kind {
  const char = String.fromCharCode(unit);
  // A zero would look like no character at all where characters are gathered in numbers.
  if (unit === 0) return "other";
  if (/[A-Z]/.test(char)) return "upper";
  if (/[a-z]/.test(char)) return "lower";
  if (/\d/.test(char)) return "digit";
  if (char === " ") return "space";
  if (/[\r\n]/.test(char)) return "line";
  if (/\s/.test(char)) return "tab";
  return char === "/" ? "slash" : char === "'" ? "apostrophe" : "sign";
}

function each(kinds: readonly Kind[], state: State): Partial<Record<Kind, State>> {
  return Object.fromEntries(kinds.map((kind) => [kind, state]));
}
