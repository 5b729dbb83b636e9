// Colours and overwritten progress lines, as a terminal shows them: gone from the text, and the mark says so. What was
// taken out travels beside the text, so that the inverse is exact here too.
import { UnfoldError } from "./form.ts";

/** SGR, erase, and the other sequences that move or colour; or a line's text that a carriage return overwrites. */
// oxlint-disable-next-line no-control-regex -- escape sequences are what this is about
const ANSI = /\u001b(?:\[[0-9;?]*[A-Za-z]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[()][A-Z0-9])/g;
/** More than this beside the text would be a second result. */
const MAX_LAYOUT_CHARS = 64_000;

/** undefined: there are none. */
export function withoutColours(text: string): { text: string; layout: string } | undefined {
  if (!text.includes("\u001b") && !/\r(?!\n)/.test(text)) return undefined;
  const removed = takeOut(text);
  if (removed.pieces.length === 0) return undefined;
  const layout = JSON.stringify([removed.codes, removed.pieces]);
  return layout.length > MAX_LAYOUT_CHARS ? undefined : { text: removed.plain, layout };
}

/** What was removed: where (as the distance in plain text from the one before) and which code. */
type Removed = { plain: string; codes: string[]; pieces: number[] };

function takeOut(text: string): Removed {
  const codes = new Map<string, number>();
  const pieces: number[] = [];
  const plain: string[] = [];
  let gap = 0;
  const remove = (piece: string) => {
    let code = codes.get(piece);
    if (code === undefined) codes.set(piece, (code = codes.size));
    pieces.push(gap, code);
    gap = 0;
  };
  const keep = (piece: string) => {
    if (piece === "") return;
    plain.push(piece);
    gap += piece.length;
  };
  for (const line of text.split(/(?<=\n)/)) {
    const covered = overwrittenPart(line);
    if (covered !== "") remove(covered);
    let at = covered.length;
    for (const { 0: code, index } of line.slice(at).matchAll(ANSI)) {
      keep(line.slice(at, covered.length + index));
      remove(code);
      at = covered.length + index + code.length;
    }
    keep(line.slice(at));
  }
  return { plain: plain.join(""), codes: [...codes.keys()], pieces };
}

// Everything before the last carriage return, when what follows covers it.
function overwrittenPart(line: string): string {
  const end = line.endsWith("\r\n") ? line.length - 2 : line.endsWith("\n") ? line.length - 1 : line.length;
  const at = line.lastIndexOf("\r", end - 1);
  if (at < 0) return "";
  const shown = width(line.slice(at + 1, end));
  const covered = line
    .slice(0, at)
    .split("\r")
    .every((frame) => width(frame) <= shown);
  return covered && shown > 0 ? line.slice(0, at + 1) : "";
}

function width(frame: string): number {
  return frame.replace(ANSI, "").trimEnd().length;
}

/** The exact inverse. */
export function withColours(plain: string, layout: string): string {
  const parts: unknown = JSON.parse(layout);
  if (!Array.isArray(parts) || parts.length !== 2) throw new UnfoldError("the colours are missing");
  const [codes, pieces] = parts as [string[], number[]];
  const out: string[] = [];
  let at = 0;
  for (let i = 0; i + 1 < pieces.length; i += 2) {
    const gap = pieces[i] ?? 0;
    const code = codes[pieces[i + 1] ?? -1];
    if (typeof code !== "string" || gap < 0 || at + gap > plain.length) throw new UnfoldError("the colours do not fit");
    out.push(plain.slice(at, at + gap), code);
    at += gap;
  }
  return out.join("") + plain.slice(at);
}
