// The exact inverse of foldText, with what the note beside the text says.
import type { FoldedPart, FoldNotes } from "./fold-note.ts";
import { formNamed } from "./forms/form-registry.ts";
import { withColours } from "./forms/colours.ts";
import { withoutDictionary } from "./forms/dictionary.ts";
import { UnfoldError } from "./forms/form.ts";
import { END_MARK, phraseIn } from "./forms/marks.ts";
import { withPadding } from "./forms/padding.ts";

/** What is invisible, and said first in the mark. */
const INVISIBLE = /^(?:(?:without colours|columns without padding)(?:; |$))+/;

/** Throws UnfoldError on what foldText never writes. */
export function unfoldText(shown: string, { parts, dictionary, dos }: FoldNotes): string {
  const text = dictionary === true ? withoutDictionary(shown.slice(shown.indexOf("\n") + 1)) : shown;
  const out: string[] = [];
  let from = 0;
  for (const part of parts) {
    const end = part.at + part.chars;
    if (part.at < from || end > text.length) throw new UnfoldError("the note does not fit the text");
    out.push(text.slice(from, part.at), unfoldPart(text.slice(part.at, end), part));
    from = end;
    if (part.ended !== true) continue;
    if (!text.startsWith(`\n${END_MARK}`, from)) throw new UnfoldError("a part has no end");
    from += END_MARK.length + 1;
  }
  const whole = out.join("") + text.slice(from);
  return dos === true ? whole.replaceAll("\n", "\r\n") : whole;
}

function unfoldPart(shown: string, { forms }: FoldedPart): string {
  const lineEnd = shown.indexOf("\n");
  const line = lineEnd < 0 ? shown : shown.slice(0, lineEnd);
  const isMarked = forms.some(([name]) => name !== "minified" && name !== "repeats");
  const says = isMarked ? phraseIn(line) : undefined;
  if (isMarked && says === undefined) throw new UnfoldError("the mark is missing");
  let text = isMarked ? shown.slice(lineEnd + 1) : shown;
  for (const [name, layout] of forms) {
    if (name === "colours") text = withColours(text, layout ?? "null");
    else if (name === "padding") text = withPadding(text, layout ?? "null");
    else {
      const form = formNamed(name);
      if (form === undefined) throw new UnfoldError(`no form ${name}`);
      text = form.unfold({
        phrase: (says ?? "").replace(INVISIBLE, ""),
        body: text,
        ...(layout === undefined ? {} : { layout }),
      });
    }
  }
  return text;
}
