// A Markdown table → rows in columns that fit the screen. Cells that are too wide go on in further rows.
import type { Style } from "./style.ts";
import { widthOf, wrap } from "./text-layout.ts";

const GAP = "  ";
const MIN_WIDTH = 8;
/** Behind this nothing in a table stands where our own lines begin. */
const INDENT = "  ";

/** Undefined: these lines are no table. */
export function tableRows(
  lines: readonly string[],
  { columns, style, isUtf8 }: { columns: number; style: Style; isUtf8: boolean },
): string[] | undefined {
  const [head, rule, ...body] = lines.map(cellsOf);
  if (head === undefined || rule === undefined || !rule.every((cell) => /^:?-+:?$/.test(cell))) return undefined;
  const count = head.length;
  const alignRight = rule.map((cell) => /^-+:$/.test(cell));
  const rows = [head, ...body].map((cells) => Array.from({ length: count }, (_, at) => plain(cells[at] ?? "")));
  const widths = fitted(
    Array.from({ length: count }, (_, at) => Math.max(1, ...rows.map((cells) => widthOf(cells[at] ?? "")))),
    columns - INDENT.length - GAP.length * (count - 1) - 1,
  );
  const [headRow = [], ...bodyRows] = rows;
  const line = widths.map((width) => (isUtf8 ? "─" : "-").repeat(width)).join(GAP);
  return [
    ...laidOut(headRow, widths, alignRight).map((row) => INDENT + style.bold(row)),
    INDENT + style.dim(line),
    ...bodyRows.flatMap((cells) => laidOut(cells, widths, alignRight).map((row) => INDENT + row)),
  ];
}

function laidOut(cells: readonly string[], widths: readonly number[], alignRight: readonly boolean[]): string[] {
  const wrapped = cells.map((cell, at) => wrapCell(cell, widths[at] ?? MIN_WIDTH));
  const height = Math.max(1, ...wrapped.map((rows) => rows.length));
  return Array.from({ length: height }, (_, row) =>
    wrapped
      .map((rows, at) => {
        const text = rows[row] ?? "";
        const blanks = " ".repeat(Math.max(0, (widths[at] ?? 0) - widthOf(text)));
        return alignRight[at] === true ? blanks + text : text + blanks;
      })
      .join(GAP)
      .trimEnd(),
  );
}

function wrapCell(text: string, width: number): string[] {
  if (widthOf(text) <= width) return [text];
  return wrap(text, width).map((row) => row.trim());
}

/** The widest column gives way first. */
function fitted(wished: readonly number[], room: number): number[] {
  const widths = [...wished];
  for (let over = widths.reduce((sum, width) => sum + width, 0) - room; over > 0; over -= 1) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= MIN_WIDTH) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function cellsOf(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function plain(cell: string): string {
  return cell.replace(/\*\*([^*]+)\*\*/g, "$1").replace(/`([^`]+)`/g, "$1");
}
