// A stretch of text → its smallest form that is worth it.
import type { FoldNotes } from "./fold-note.ts";
import { JSON_FORMS, LINE_FORMS, LIST_FORMS, VERBATIM_FORMS } from "./forms/form-registry.ts";
import { withoutColours } from "./forms/colours.ts";
import type { Form } from "./forms/form.ts";
import type { WayBack } from "./forms/marks.ts";
import { MARK_OPENING, markOf } from "./forms/marks.ts";
import { withoutPadding } from "./forms/padding.ts";
import { parseDocument } from "./json-document.ts";
import { readsWordByWord } from "./reading-kind.ts";
import { countTokens } from "./tokens/count.ts";
import { isSmallerElsewhere } from "./tokens/other-tokenizers.ts";

export type Draft = { text: string; notes: FoldNotes; folds: string[] };

/** A saving below these is not worth a text that reads differently. */
export const MIN_SAVED_TOKENS = 20;
const MIN_SAVED_SHARE = 0.1;
/** What a mark may be, beside a body that is no longer than the text. */
const MAX_MARK_CHARS = 400;

/** The smallest form of a stretch of text that is worth it; line breaks at its end stay behind the form. */
export function foldStretch(text: string, wayBack: WayBack): Draft | undefined {
  const tokensBefore = countTokens(text);
  let best: Draft | undefined;
  let least = tokensBefore;
  for (const { phrases, body, forms, tail } of candidatesFor(text)) {
    const isMarked = phrases.some((phrase) => phrase !== "");
    const shown = isMarked ? `${markOf(phrases, wayBack)}\n${body}` : body;
    if (shown.length > text.length + MAX_MARK_CHARS) continue;
    const tokens = countTokens(shown + tail);
    if (tokens >= least || (shown.includes(MARK_OPENING) && !pays(text, shown + tail, tokensBefore, tokens))) continue;
    least = tokens;
    const part = { at: 0, chars: shown.length, forms };
    best = { text: shown + tail, notes: { parts: [part] }, folds: forms.map(([name]) => name) };
  }
  return best;
}

type Candidate = { phrases: string[]; body: string; forms: [name: string, layout?: string][]; tail: string };

function* candidatesFor(text: string): Generator<Candidate> {
  if (parseDocument(text) !== undefined) {
    for (const form of JSON_FORMS) yield* tried(form, text, "", [], []);
    return;
  }
  const shown = withoutColours(text);
  const [phrases, forms]: [string[], [string, string][]] =
    shown === undefined ? [[], []] : [["without colours"], [["colours", shown.layout]]];
  const { body, tail } = withoutTail(shown?.text ?? text);
  if (shown !== undefined) yield { phrases, body, forms, tail };
  if (readsWordByWord(body)) {
    for (const form of VERBATIM_FORMS) yield* tried(form, body, tail, phrases, forms);
    return;
  }
  for (const form of LIST_FORMS) yield* tried(form, body, tail, phrases, forms);
  const unpadded = withoutPadding(body);
  for (const form of LINE_FORMS) {
    yield* tried(form, body, tail, phrases, forms);
    if (unpadded !== undefined && form.name !== "repeats")
      yield* tried(form, unpadded.text, tail, [...phrases, PADDING_PHRASE], [["padding", unpadded.layout], ...forms]);
  }
  if (unpadded !== undefined)
    yield {
      phrases: [...phrases, PADDING_PHRASE],
      body: unpadded.text,
      forms: [["padding", unpadded.layout], ...forms],
      tail,
    };
}

const PADDING_PHRASE = "columns without padding";

// The form itself is undone first.
function* tried(
  form: Form,
  text: string,
  tail: string,
  phrases: string[],
  forms: [string, string?][],
): Generator<Candidate> {
  const folded = form.fold(text);
  if (folded === undefined) return;
  const own: [string, string?] = folded.layout === undefined ? [form.name] : [form.name, folded.layout];
  yield { phrases: [...phrases, folded.phrase], body: folded.body, forms: [own, ...forms], tail };
}

function withoutTail(text: string): { body: string; tail: string } {
  let end = text.length;
  while (end > 0 && text[end - 1] === "\n") end--;
  return { body: text.slice(0, end), tail: text.slice(end) };
}

/** Whether the saving is worth a text that reads differently, by either way of counting. */
export function pays(before: string, after: string, tokensBefore: number, tokens: number): boolean {
  const saved = tokensBefore - tokens;
  return (
    saved >= Math.max(MIN_SAVED_TOKENS, tokensBefore * MIN_SAVED_SHARE) &&
    isSmallerElsewhere(before, after, tokensBefore, tokens)
  );
}
