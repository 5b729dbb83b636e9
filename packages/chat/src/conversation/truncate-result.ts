// A result that is too long for the model: head and tail, cut at line ends where that is possible, and a line between
// that says what is missing and how to get it.

export type Limits = { perResult: number; perRound: number };

const CHARS_PER_TOKEN = 3.5;
const HEAD_SHARE = 0.7;

/** What one result and all results of one round may take, in characters. */
export function resultLimits(maxChars: number, windowTokens: number): Limits {
  const window = windowTokens * CHARS_PER_TOKEN;
  return {
    perResult: Math.max(400, Math.floor(Math.min(maxChars, window * 0.25))),
    perRound: Math.max(800, Math.floor(window * 0.5)),
  };
}

export function headAndTail(text: string, limit: number, name: string): string {
  const note = (left: number): string =>
    `[… ${count(left)} of ${count(text.length)} characters left out; result ${name}; read more with aish__read_result]`;
  const room = Math.max(0, limit - note(text.length).length - 2);
  const head = cutEnd(text, Math.floor(room * HEAD_SHARE));
  const tail = cutStart(text, room - Math.floor(room * HEAD_SHARE));
  return `${head}\n${note(text.length - head.length - tail.length)}\n${tail}`;
}

function cutEnd(text: string, most: number): string {
  const piece = text.slice(0, most);
  const line = piece.lastIndexOf("\n");
  return line > most * 0.6 ? piece.slice(0, line) : withoutHalf(piece);
}

function cutStart(text: string, most: number): string {
  const piece = text.slice(text.length - most);
  const line = piece.indexOf("\n");
  if (line >= 0 && line < most * 0.4) return piece.slice(line + 1);
  return /^[\udc00-\udfff]/.test(piece) ? piece.slice(1) : piece;
}

function withoutHalf(piece: string): string {
  return /[\ud800-\udbff]$/.test(piece) ? piece.slice(0, -1) : piece;
}

function count(number: number): string {
  return number.toLocaleString("en-US");
}
