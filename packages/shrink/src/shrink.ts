// The gate: a tool result → a smaller result that unfolds to the same, or the very same object. Every fold has been
// run backwards and compared before it leaves here, and both sides are counted with an exact tokenizer.
import { cutToBudget } from "./budget.ts";
import { DEFAULT_THRESHOLD } from "./detect.ts";
import { DisguisedLater } from "./disguised-later.ts";
import { disguiseOnly, draftOfDisguise, draftOfRepeats, namingOriginal } from "./draft.ts";
import type { Draft } from "./draft.ts";
import { canBeTakenOff, escapeMarks, escapeMeta, isDisguiseOf, unescapeMarks } from "./escape.ts";
import type { FoldNote, NotedPart } from "./fold-note.ts";
import { NOTE_KEY, ORIGINAL_KEY } from "./fold-note.ts";
import type { FoldOptions } from "./fold-text.ts";
import { foldText } from "./fold-text.ts";
import { UnfoldError } from "./folds/fold.ts";
import { holdsMark } from "./folds/mark.ts";
import { Originals } from "./originals.ts";
import type { RepeatOptions } from "./repeats.ts";
import { Repeats, unfoldRepeats } from "./repeats.ts";
import { isCopyOfText } from "./structured-copy.ts";
import { countTokens } from "./tokens/count.ts";
import type { ContentBlock, ToolResult } from "./tool-result.ts";
import { blocksOf, ownText, shownText, wholeText } from "./tool-result.ts";

export type ShrinkOptions = Partial<FoldOptions> & {
  /** Drop `structuredContent` that repeats the text. Only for callers who also publish tools withoutOutputSchema. */
  dropStructuredCopies?: boolean;
  /** Let lines of earlier results stand for their repeats: how much is remembered, or false for never. */
  repeats?: RepeatOptions | false;
  /** At most so many tokens per text; what is left out can be had from the originals. */
  budget?: number;
  /** Shared between clients; a client only ever sees its own. */
  originals?: Originals;
  /** Whose session this is. */
  client?: string;
};

/** A result as it was sent: decoding has rounded its long numbers. Its structured content is looked for when it is needed. */
export type Exact = { json: string; structured?: () => string | undefined };

export type Shrunk = {
  /** The very object that came in when `changed` is false. */
  result: ToolResult;
  changed: boolean;
  /** Counted only where something was tried: 0 means that the result passed through uncounted. */
  tokensBefore: number;
  tokensAfter: number;
  folds: string[];
  /** Under which the original can be read back. */
  handle?: string;
  /** Of content that only got a disguise: in which variant, by its place. */
  disguised?: ReadonlyMap<number, number>;
  droppedStructured: boolean;
};

/**
 * Of a whole result; what is beyond passes through, because folding it would take longer than anyone wants to wait.
 * A limit in characters and not in milliseconds: on a busy machine the same result must still give the same bytes.
 */
const MAX_FOLDED_CHARS = 200_000;
/** One reference and nothing else: what is said so shortly need not be folded to see whether that is shorter. */
const REFERENCE_CHARS = 110;
/** One client's session: remembers what it has sent, in bounded memory. */
export class Shrinker {
  readonly originals: Originals;
  readonly #options: ShrinkOptions;
  readonly #fold: FoldOptions;
  readonly #repeats: Repeats | undefined;
  readonly #client: string;
  /** The last result, which is remembered when its receiver has it, or when the next one comes. */
  #latest: Sent | undefined;

  constructor(options: ShrinkOptions = {}) {
    this.#options = options;
    this.#fold = { abbreviate: options.abbreviate ?? "data", threshold: options.threshold ?? DEFAULT_THRESHOLD };
    this.originals = options.originals ?? new Originals();
    this.#client = options.client ?? "";
    const isThere = (handle: string): boolean => this.originals.read(this.#client, handle).ok;
    this.#repeats = options.repeats === false ? undefined : new Repeats(options.repeats, isThere);
  }

  /** `call`: which one gave it (callName), so that a later result can say where its lines were seen. */
  shrink(result: ToolResult, exact?: Exact, call?: string): Shrunk {
    this.#rememberLatest();
    let room = MAX_FOLDED_CHARS;
    const blocks = blocksOf(result);
    const drafts = blocks.map((block) => {
      const text = ownText(block);
      if (text === undefined) return undefined;
      const foldable = text.length <= room;
      if (foldable) room -= text.length;
      return this.#draft(text, foldable);
    });
    const droppedStructured =
      this.#options.dropStructuredCopies === true &&
      result.structuredContent !== undefined &&
      isCopyOfText(result, exact?.structured);
    const shrunk = this.#emit(result, exact?.json, drafts, droppedStructured);
    // What was cut has not been sent: a later result must not refer to it as seen.
    if (this.#repeats !== undefined && !shrunk.folds.includes("budget")) {
      this.#latest = { text: wholeText(result), result, json: exact?.json, handle: shrunk.handle, call };
      setImmediate(() => this.#rememberLatest());
    }
    return shrunk;
  }

  #rememberLatest(): void {
    const latest = this.#latest;
    this.#latest = undefined;
    if (latest !== undefined) this.#remember(latest);
  }

  #draft(text: string, foldable: boolean): Draft | undefined {
    if (!foldable) return draftOfDisguise(text);
    const escaped = escapeMarks(text);
    const plain = escaped?.text ?? text;
    const note: Omit<NotedPart, "chars"> = escaped === undefined ? {} : { escaped: escaped.variant };
    const seen = escaped === undefined ? this.#repeats?.fold(text) : undefined;
    const isReference = seen !== undefined && seen.text.length <= REFERENCE_CHARS;
    const folded = isReference ? undefined : foldText(plain, this.#fold);
    const repeated = seen && draftOfRepeats(text, seen, folded?.tokensBefore);
    if (repeated !== undefined && repeated.tokens < (folded?.tokens ?? Infinity)) return repeated;
    if (folded !== undefined) {
      const layouts = folded.layouts.length === 0 ? {} : { layouts: folded.layouts };
      return {
        before: text,
        plain,
        after: folded.text,
        note: { ...note, folded: true, ...layouts },
        folds: folded.folds,
        tokensBefore: folded.tokensBefore,
        tokens: folded.tokens,
      };
    }
    if (escaped === undefined) return undefined;
    const [tokensBefore, tokens] = [countTokens(text), countTokens(plain)];
    return { before: text, plain, after: plain, note, folds: ["escape"], tokensBefore, tokens };
  }

  #emit(
    result: ToolResult,
    json: string | undefined,
    drafts: (Draft | undefined)[],
    droppedStructured: boolean,
  ): Shrunk {
    const meta = escapeMeta(result._meta);
    const handle = this.#handleFor(result, json, drafts, droppedStructured);
    const kept = drafts.map((draft) =>
      draft !== undefined && this.#proves(draft) ? namingOriginal(draft, handle) : undefined,
    );
    const cut = this.#cut(blocksOf(result), kept, handle);
    const counts = countsOf(kept, cut);
    // A resource keeps its bytes, whatever it looks like; only the note can say that its marks are not ours.
    const imitates = blocksOf(result).some(
      (block) => ownText(block) === undefined && holdsMark(shownText(block) ?? ""),
    );
    if (cut.every((text) => text === undefined) && !droppedStructured && !imitates) {
      if (meta === undefined)
        return {
          result,
          changed: false,
          ...counts,
          tokensAfter: counts.tokensBefore,
          folds: [],
          droppedStructured: false,
        };
      return {
        result: { ...result, _meta: meta },
        changed: true,
        ...counts,
        folds: ["escape"],
        droppedStructured: false,
      };
    }
    const content = blocksOf(result).map((block, i) => withText(block, cut[i]?.text));
    const note = noteOf(content, kept, cut, imitates);
    const ours = {
      ...(handle === undefined ? {} : { [ORIGINAL_KEY]: handle }),
      ...(note === undefined ? {} : { [NOTE_KEY]: note }),
    };
    const emitted: ToolResult = { ...result, content, _meta: { ...(meta ?? result._meta), ...ours } };
    if (droppedStructured) delete emitted["structuredContent"];
    const folds = kept.flatMap((draft) => draft?.folds ?? []);
    if (droppedStructured) folds.push("structured");
    if (cut.some((text) => text?.omitted === true)) folds.push("budget");
    const shrunk = { result: emitted, changed: true, ...counts, folds, droppedStructured, ...disguisedIn(kept, cut) };
    return handle === undefined ? shrunk : { ...shrunk, handle };
  }

  // The last word: nothing leaves that does not come back the same, or that costs more.
  #proves(draft: Draft): boolean {
    // Only a disguise may cost the same: it is there for safety, not to save.
    const variant = disguiseOnly(draft);
    const { before, after } = draft;
    if (after instanceof DisguisedLater) return canBeTakenOff(before, after.variant);
    if (variant !== undefined)
      return draft.tokens <= draft.tokensBefore && isDisguiseOf({ text: after, variant }, before);
    return draft.tokens < draft.tokensBefore && this.#inverse(draft) === draft.before;
  }

  #inverse({ after: later, plain: given, note }: Draft): string | undefined {
    const [after, plain] = [String(later), String(given)];
    try {
      if (note.repeats === true) return unfoldRepeats(after, (handle) => this.#earlier(handle));
      // foldText has proven its part already; taking it back a second time would double the time for nothing.
      const unfolded = note.folded === true ? plain : after;
      return note.escaped === undefined ? unfolded : unescapeMarks({ text: unfolded, variant: note.escaped });
    } catch (error) {
      if (error instanceof UnfoldError) return undefined;
      throw error;
    }
  }

  #earlier(handle: string): string | undefined {
    const read = this.originals.read(this.#client, handle);
    return read.ok ? wholeText(read.result) : undefined;
  }

  // Stored before anything is emitted that names it.
  #handleFor(
    result: ToolResult,
    json: string | undefined,
    drafts: (Draft | undefined)[],
    droppedStructured: boolean,
  ): string | undefined {
    const { budget } = this.#options;
    const mayCut = budget !== undefined && blocksOf(result).some((block) => (shownText(block)?.length ?? 0) > budget);
    if (drafts.every((draft) => draft === undefined) && !droppedStructured && !mayCut) return undefined;
    return this.originals.put(this.#client, result, json);
  }

  // Cut from the text as it was, not as it was folded: what is said to be missing must be what the handle gives.
  #cut(blocks: ContentBlock[], kept: (Draft | undefined)[], handle: string | undefined): (Cut | undefined)[] {
    const { budget } = this.#options;
    let textBefore = "";
    return blocks.map((block, i) => {
      const draft = kept[i];
      const shown = shownText(block);
      const place = { handle: handle ?? "", textBefore };
      if (shown !== undefined) textBefore += `${shown}\n`;
      const fits = draft !== undefined && draft.tokens > 0 && draft.tokens <= (budget ?? Infinity);
      if (
        budget !== undefined &&
        handle !== undefined &&
        ownText(block) !== undefined &&
        shown !== undefined &&
        !fits
      ) {
        const shorter = cutToBudget(String(draft?.plain ?? shown), budget, place);
        if (shorter !== undefined) return { text: shorter, omitted: true, tokens: countTokens(shorter) };
      }
      return draft === undefined ? undefined : { text: draft.after, omitted: false, tokens: draft.tokens };
    });
  }

  #remember({ text, result, json, handle: known, call }: Sent): void {
    if (this.#repeats === undefined) return;
    if (text.length < 160 || text.length > MAX_FOLDED_CHARS) return;
    const handle = known ?? this.originals.put(this.#client, result, json);
    if (handle !== undefined) this.#repeats.remember(text, handle, call);
  }
}

/** A result as it was; the handle only where it has one already. */
type Sent = {
  text: string;
  result: ToolResult;
  json: string | undefined;
  handle: string | undefined;
  call: string | undefined;
};

/** One text block as it goes out. */
type Cut = { text: string | DisguisedLater; omitted: boolean; tokens: number };

function disguisedIn(kept: (Draft | undefined)[], cut: (Cut | undefined)[]): Pick<Shrunk, "disguised"> {
  const variants = kept.map((draft, i) => (draft && cut[i]?.omitted !== true ? disguiseOnly(draft) : undefined));
  const disguised = new Map(variants.flatMap((variant, i) => (variant === undefined ? [] : [[i, variant] as const])));
  return disguised.size === 0 ? {} : { disguised };
}

function withText(block: ContentBlock, text: string | DisguisedLater | undefined): ContentBlock {
  if (text === undefined) return block;
  return text instanceof DisguisedLater ? text.within(block) : { ...block, text };
}

function countsOf(
  kept: (Draft | undefined)[],
  cut: (Cut | undefined)[],
): { tokensBefore: number; tokensAfter: number } {
  let tokensBefore = 0;
  let tokensAfter = 0;
  for (const draft of kept) tokensBefore += draft?.tokensBefore ?? 0;
  for (const text of cut) tokensAfter += text?.tokens ?? 0;
  return { tokensBefore, tokensAfter };
}

function noteOf(
  content: ContentBlock[],
  kept: (Draft | undefined)[],
  cut: (Cut | undefined)[],
  imitates: boolean,
): FoldNote | undefined {
  if (cut.every((text) => text === undefined) && !imitates) return undefined;
  const seen: Record<string, string> = {};
  const parts: NotedPart[] = [];
  for (const [i, block] of content.entries()) {
    const text = cut[i]?.text ?? shownText(block);
    if (text === undefined) continue;
    Object.assign(seen, kept[i]?.seen);
    parts.push({
      chars: text.length,
      ...kept[i]?.note,
      ...(cut[i]?.omitted === true ? { omitted: true as const } : {}),
      ...(ownText(block) === undefined ? { foreign: true as const } : {}),
    });
  }
  return Object.keys(seen).length === 0 ? { parts } : { parts, seen };
}
