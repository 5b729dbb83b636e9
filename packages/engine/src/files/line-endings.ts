// How lines end in a file, and text made to fit.
const NEWLINE = 10;
const RETURN = 13;

/** `mixed` has both; `none` has no newline at all. */
export type LineEndings = "lf" | "crlf" | "mixed" | "none";

export function lineEndingsOf(content: Buffer): LineEndings {
  let lf = false;
  let crlf = false;
  for (let at = content.indexOf(NEWLINE); at >= 0; at = content.indexOf(NEWLINE, at + 1)) {
    if (at > 0 && content[at - 1] === RETURN) crlf = true;
    else lf = true;
    if (lf && crlf) return "mixed";
  }
  if (crlf) return "crlf";
  return lf ? "lf" : "none";
}

/** Bare newlines become CRLF; those that already are stay. */
export function toCrlf(text: string): string {
  return text.replace(/(?<!\r)\n/g, "\r\n");
}

export function hasBareNewline(text: string): boolean {
  return /(?<!\r)\n/.test(text);
}
