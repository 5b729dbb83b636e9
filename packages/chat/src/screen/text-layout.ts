// Text → rows of a screen, with widths as a terminal counts them. We break rows ourselves and leave the last column
// free, so that no terminal has to decide where a line wraps.

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

const TAB = 8;

export type Laid = { rows: string[]; cursor: { row: number; column: number } };

/** `lead` stands before the first row, `next` before every other line of the text. */
export function layOut(text: string, cursor: number, columns: number, lead: string, next: string): Laid {
  const width = Math.max(8, columns - 1);
  const rows: string[] = [];
  let row = lead;
  let used = widthOf(lead);
  let place = { row: 0, column: used };
  let at = 0;
  const breakRow = (start: string): void => {
    rows.push(row);
    row = start;
    used = widthOf(start);
  };
  for (const { segment } of segmenter.segment(text)) {
    if (at === cursor) place = { row: rows.length, column: used };
    at += segment.length;
    if (segment === "\n") {
      breakRow(next);
      continue;
    }
    const shown = segment === "\t" ? "    " : shownSegment(segment);
    const wide = widthOf(shown);
    if (used + wide > width) breakRow("");
    row += shown;
    used += wide;
  }
  if (at === cursor) {
    if (used >= width) breakRow("");
    place = { row: rows.length, column: used };
  }
  rows.push(row);
  return { rows, cursor: place };
}

/** Lines no wider than this; breaks at blanks where there are any. Our own styling in them stays whole. */
export function wrap(text: string, width: number): string[] {
  const most = Math.max(8, width);
  return text.split("\n").flatMap((line) => {
    if (line.length <= most && widthOf(line) <= most) return [line];
    return Bun.wrapAnsi(line, most, { hard: true, trim: false }).split("\n");
  });
}

/** Tabs as blanks: only so a width is a width. */
export function withoutTabs(line: string): string {
  if (!line.includes("\t")) return line;
  let out = "";
  for (const [place, part] of line.split("\t").entries()) {
    out += (place === 0 ? "" : " ".repeat(TAB - (widthOf(out) % TAB))) + part;
  }
  return out;
}

export function widthOf(text: string): number {
  return Bun.stringWidth(text);
}

/** At most this wide, with … when something is missing. */
export function cutToWidth(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  return `${text.slice(0, fitting(text, Math.max(1, width - 1)))}…`;
}

function fitting(text: string, width: number): number {
  let used = 0;
  let at = 0;
  for (const { segment } of segmenter.segment(text)) {
    const wide = widthOf(segment);
    if (used + wide > width) break;
    used += wide;
    at += segment.length;
  }
  return Math.max(1, at);
}

// What the person pasted may hold anything: shown, never acted upon.
function shownSegment(segment: string): string {
  return /^[\x20-\x7e]+$/.test(segment) ? segment : visible(segment);
}

function visible(segment: string): string {
  // eslint-disable-next-line no-control-regex -- exactly the ones that act
  return segment.replace(/[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, (one) => {
    const code = one.charCodeAt(0);
    return code < 0x20 ? `^${String.fromCharCode(code + 64)}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

export function homeRelative(folder: string, home: string): string {
  return folder === home || folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder;
}
