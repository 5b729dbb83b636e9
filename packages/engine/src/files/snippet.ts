// The lines around a change, so that whoever made it sees what it has become.
import { LineCollector } from "./line-collector.ts";
import { takenApart } from "./line-run.ts";
import type { NumberedLine } from "./line-run.ts";

const NEWLINE = 10;
/** Lines shown either side of the line where the change starts. */
const AROUND = 4;
/** A longer replacement is shown by both its ends. */
const MAX_WHOLE_LINES = 60;
const MAX_LINE_CHARS = 2000;

/** Of `content`, where `length` new bytes stand at `at`. Empty when nothing is left of the file. */
export function snippetAround(content: Buffer, at: number, length: number): NumberedLine[] {
  const start = lineAt(content, at);
  const end = start + countNewlines(content, at, at + Math.max(0, length - 1));
  const last = Math.max(start + AROUND, end);
  if (last - start <= MAX_WHOLE_LINES) return linesOf(content, start - AROUND, last);
  return [...linesOf(content, start - AROUND, start + AROUND), ...linesOf(content, end - AROUND, end)];
}

function linesOf(content: Buffer, first: number, last: number): NumberedLine[] {
  const collector = new LineCollector({
    first: Math.max(1, first),
    last,
    maxLineChars: MAX_LINE_CHARS,
    maxTextBytes: Infinity,
    describe: { path: "", shown: "" },
  });
  collector.push(content);
  collector.end();
  return takenApart(collector.runs);
}

/** 1-based line that holds the byte at `at`; a deletion at the very end belongs to the last line there is. */
function lineAt(content: Buffer, at: number): number {
  const before = countNewlines(content, 0, at);
  const pastTheEnd = at >= content.length && at > 0 && content[at - 1] === NEWLINE;
  return pastTheEnd ? before : before + 1;
}

function countNewlines(content: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = content.indexOf(NEWLINE, from); at >= 0 && at < to; at = content.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}
