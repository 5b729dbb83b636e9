// The gate: a tool result → a smaller result that unfolds to the same, or the very same object. Every form has been
// run backwards and compared before it leaves here, and both sides are counted with an exact tokenizer.
import { cutToBudget } from "./budget.ts";
import { DEFAULT_THRESHOLD } from "./detect.ts";
import type { DisguisedLater } from "./lazy-escaped-text.ts";
import { disguiseOnly, draftOf, draftOfDisguise } from "./folded-draft.ts";
import type { Draft } from "./folded-draft.ts";
import { canBeTakenOff, escapeMeta, isDisguiseOf } from "./escape.ts";
import type { FoldNote, NotedPart } from "./fold-note.ts";
import { NOTE_KEY, ORIGINAL_KEY } from "./fold-note.ts";
import type { FoldLevel } from "./fold-text.ts";
import { MAX_FOLDED_CHARS } from "./fold-text.ts";
import type { WayBack } from "./forms/marks.ts";
import { holdsMark } from "./forms/marks.ts";
import { Originals, shortHandle } from "./originals.ts";
import { RepeatedCalls } from "./repeated-calls.ts";
import { isCopyOfText } from "./structured-copy.ts";
import { countTokens } from "./tokens/count.ts";
import type { ContentBlock, ToolResult } from "./tool-result.ts";
import { blocksOf, ownText, shownText } from "./tool-result.ts";

export type ShrinkOptions = {
  /** plain: anybody can read it. dense: with a legend of long phrases on top. off: every byte as it came. */
  fold?: FoldLevel;
  /** How sure we must be of what a part of a text is before it is folded by itself. */
  threshold?: number;
  /** Marks name the original: only where a tool gives it back, and is listed. `whole`: for a client that others share. */
  namesOriginals?: "short" | "whole";
  /** Drop `structuredContent` that repeats the text. Only for callers who also publish tools withoutOutputSchema. */
  dropStructuredCopies?: boolean;
  /** At most so many tokens per text; what is left out can be had from the originals. */
  budget?: number;
  /** Shared between clients; a client only ever sees its own. */
  originals?: Originals;
  /** Whose session this is. */
  client?: string;
};

/** A result as it was sent: decoding has rounded its long numbers. Its structured content is looked for when it is needed. */
export type Exact = { json: string; structured?: () => string | undefined };

/** `key`: the same for the same tool and arguments (callKey). `isReadOnly`: repeating it changes nothing. */
export type Call = { key?: string; isReadOnly?: boolean };

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

/** One client's session. */
export class Shrinker {
  readonly originals: Originals;
  readonly #options: ShrinkOptions;
  readonly #client: string;
  readonly #repeated = new RepeatedCalls();

  constructor(options: ShrinkOptions = {}) {
    this.#options = options;
    this.originals = options.originals ?? new Originals();
    this.#client = options.client ?? "";
  }

  shrink(result: ToolResult, exact?: Exact, call: Call = {}): Shrunk {
    if (this.#options.fold === "off" && this.#options.budget === undefined) return untouched(result);
    const droppedStructured =
      this.#options.dropStructuredCopies === true &&
      result.structuredContent !== undefined &&
      isCopyOfText(result, exact?.structured);
    // Who asks again has lost the answer, or does not trust it: it comes whole.
    const json = (): string => exact?.json ?? JSON.stringify(result);
    const isRepeated = call.key !== undefined && this.#repeated.isKnown(call.key, json);
    // Clients give the model structured content in place of the text: shortening that would save nothing.
    const isHidden = result.structuredContent !== undefined && !droppedStructured;
    const isFolded = !isRepeated && !isHidden && result.isError !== true;
    const shrunk = this.#emit(
      result,
      exact?.json,
      this.#drafts(result, isFolded, json, call),
      droppedStructured && !isRepeated,
    );
    if (call.key !== undefined && shrunk.folds.some((fold) => fold !== "escape")) this.#repeated.add(call.key, json);
    return shrunk;
  }

  #drafts(result: ToolResult, isFolded: boolean, json: () => string, call: Call): (Draft | undefined)[] {
    const { fold = "plain", threshold = DEFAULT_THRESHOLD } = this.#options;
    let room = MAX_FOLDED_CHARS;
    let isFirst = true;
    return blocksOf(result).map((block) => {
      const text = ownText(block);
      if (text === undefined) return undefined;
      if (!isFolded || text.length > room) return draftOfDisguise(text);
      room -= text.length;
      const draft = draftOf(text, { fold, threshold, wayBack: isFirst ? this.#wayBack(json, call) : undefined });
      if (draft?.note.folded !== undefined) isFirst = false;
      return draft;
    });
  }

  // A mark never invites to a call that may change something.
  #wayBack(json: () => string, { isReadOnly }: Call): WayBack {
    const { namesOriginals } = this.#options;
    if (namesOriginals !== undefined) {
      const handle = this.originals.handleOf(json());
      return { handle: namesOriginals === "short" ? shortHandle(handle) : handle };
    }
    return isReadOnly === true ? "repeat" : undefined;
  }

  #emit(
    result: ToolResult,
    json: string | undefined,
    drafts: (Draft | undefined)[],
    droppedStructured: boolean,
  ): Shrunk {
    const meta = escapeMeta(result._meta);
    const handle = this.#handleFor(result, json, drafts, droppedStructured);
    const kept = drafts.map((draft) => (draft !== undefined && isProven(draft) ? draft : undefined));
    const cut = this.#cut(blocksOf(result), kept, handle);
    const counts = countsOf(kept, cut);
    // A resource keeps its bytes, whatever it looks like; only the note can say that its marks are not ours.
    const imitates = blocksOf(result).some(
      (block) => ownText(block) === undefined && holdsMark(shownText(block) ?? ""),
    );
    if (cut.every((text) => text === undefined) && !droppedStructured && !imitates) {
      if (meta === undefined) return { ...untouched(result), ...counts, tokensAfter: counts.tokensBefore };
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
    return this.originals.put(this.#client, result, json, this.#options.namesOriginals === "short");
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
}

function untouched(result: ToolResult): Shrunk {
  return { result, changed: false, tokensBefore: 0, tokensAfter: 0, folds: [], droppedStructured: false };
}

// The last word: nothing leaves that does not come back the same, or that costs more. foldText has proven its part.
function isProven(draft: Draft): boolean {
  const variant = disguiseOnly(draft);
  const { before, after, tokens, tokensBefore } = draft;
  if (typeof after !== "string") return canBeTakenOff(before, after.variant);
  // Only a disguise may cost the same: it is there for safety, not to save.
  if (variant !== undefined) return tokens <= tokensBefore && isDisguiseOf({ text: after, variant }, before);
  if (tokens >= tokensBefore) return false;
  return (
    draft.note.escaped === undefined || isDisguiseOf({ text: String(draft.plain), variant: draft.note.escaped }, before)
  );
}

/** One text block as it goes out. */
type Cut = { text: string | DisguisedLater; omitted: boolean; tokens: number };

function disguisedIn(kept: (Draft | undefined)[], cut: (Cut | undefined)[]): Pick<Shrunk, "disguised"> {
  const variants = kept.map((draft, i) => (draft && cut[i]?.omitted !== true ? disguiseOnly(draft) : undefined));
  const disguised = new Map(variants.flatMap((variant, i) => (variant === undefined ? [] : [[i, variant] as const])));
  return disguised.size === 0 ? {} : { disguised };
}

function withText(block: ContentBlock, text: string | DisguisedLater | undefined): ContentBlock {
  if (text === undefined) return block;
  return typeof text === "string" ? { ...block, text } : text.within(block);
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
  const parts: NotedPart[] = [];
  for (const [i, block] of content.entries()) {
    const text = cut[i]?.text ?? shownText(block);
    if (text === undefined) continue;
    parts.push({
      chars: text.length,
      ...kept[i]?.note,
      ...(cut[i]?.omitted === true ? { omitted: true as const } : {}),
      ...(ownText(block) === undefined ? { foreign: true as const } : {}),
    });
  }
  return { parts };
}
