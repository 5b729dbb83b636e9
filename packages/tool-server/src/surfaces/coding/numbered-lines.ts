// Lines with their numbers, as view and the edit snippet show them (reference §2.3.1, D9).
import type { NumberedLine } from "@bosun/engine";

/** Numbers right-aligned to the last one, a tab, the text. A gap in the numbers is shown as such. */
export function numberedLines(lines: readonly NumberedLine[]): string {
  const width = String(lines.at(-1)?.number ?? 0).length;
  let shown = "";
  let expected = lines[0]?.number ?? 1;
  for (const { number, text, totalChars } of lines) {
    if (number !== expected) shown += `${"...".padStart(width)}\n`;
    const cut = totalChars === undefined ? "" : `... [truncated, ${totalChars} chars total]`;
    shown += `${String(number).padStart(width)}\t${text}${cut}\n`;
    expected = number + 1;
  }
  return shown;
}
