// A line of content-search output, as data and as the text everybody knows.

export type GrepLine =
  | {
      readonly kind: "match" | "context";
      readonly path: string;
      readonly line: number;
      readonly text: string;
      /** `text` is only the beginning of the line. */
      readonly cut: boolean;
    }
  | { readonly kind: "separator" }
  /** The rest of the file was not searched: a NUL was met. */
  | { readonly kind: "binary"; readonly path: string; readonly offset: number };

export function formatGrepLine(line: GrepLine, lineNumbers: boolean): string {
  if (line.kind === "separator") return "--";
  if (line.kind === "binary")
    return `${line.path}: binary file matches (found "\\0" byte around offset ${line.offset})`;
  const mark = line.kind === "match" ? ":" : "-";
  const number = lineNumbers ? `${line.line}${mark}` : "";
  return `${line.path}${mark}${number}${line.text}${line.cut ? "... [truncated]" : ""}`;
}
