// The properties of the gate, checked on generated and mutated inputs. Used by the test (a few thousand) and by
// scripts/property.ts (a million).
import { JSON_FOLDS, LINE_FOLDS } from "../src/folds/all.ts";
import { abbreviations } from "../src/folds/abbreviations.ts";
import { digests } from "../src/folds/digests.ts";
import { paint } from "../src/folds/paint.ts";
import type { ToolResult } from "../src/index.ts";
import { countTokens, Originals, Shrinker, Unfolder, wholeText } from "../src/index.ts";
import { readCorpus, textOf } from "./corpus.ts";
import { generateText, mutate } from "./generate.ts";
import { Random } from "./random.ts";

export type Failure = { property: string; text: string; detail: string };
export type Outcome = {
  tried: number;
  changed: number;
  tokensBefore: number;
  tokensAfter: number;
  failures: Failure[];
};

const SESSION_LENGTH = 12;
const MAX_CHARS = 1500;
const SECRET = new Uint8Array(32).fill(7);
const FOLDS = [...JSON_FOLDS, ...LINE_FOLDS, abbreviations, digests, paint];

export function checkInputs(count: number, seed: number, progress?: (done: number) => void): Outcome {
  const random = new Random(seed);
  const recorded = readCorpus().map((record) => textOf(record));
  const outcome: Outcome = { tried: 0, changed: 0, tokensBefore: 0, tokensAfter: 0, failures: [] };
  let session = newSession();
  let twin = newSession();
  for (let i = 0; i < count; i++) {
    if (i % SESSION_LENGTH === 0) [session, twin] = [newSession(), newSession()];
    if (i > 0 && i % 100_000 === 0) progress?.(i);
    const text = nextText(random, recorded);
    const result = wrap(text, random);
    const fail = (property: string, detail: string) => outcome.failures.push({ property, text, detail });
    const before = structuredClone(result);
    const shrunk = session.shrinker.shrink(result);
    if (!Bun.deepEquals(before, result)) fail("input untouched", "the given object was changed");
    check(shrunk.result, result, shrunk.changed, session.unfolder, fail, outcome);
    if (i % 4 === 0) {
      const again = JSON.stringify(twin.shrinker.shrink(structuredClone(result)).result);
      // Only comparable where both have seen the same before.
      if (i % SESSION_LENGTH === 0 && again !== JSON.stringify(shrunk.result)) fail("deterministic", again);
      checkFolds(text, fail);
    }
    outcome.tried++;
  }
  return outcome;
}

type Session = { shrinker: Shrinker; unfolder: Unfolder };

function newSession(): Session {
  return {
    shrinker: new Shrinker({ originals: new Originals({ secret: SECRET }), client: "c" }),
    unfolder: new Unfolder(),
  };
}

function nextText(random: Random, recorded: string[]): string {
  const source = recorded.length > 0 && random.below(3) === 0 ? random.pick(recorded) : generateText(random);
  const from = random.below(Math.max(1, source.length - MAX_CHARS));
  const piece = source.slice(from, from + MAX_CHARS);
  return (random.below(2) === 0 ? mutate(piece, random) : piece).toWellFormed();
}

function wrap(text: string, random: Random): ToolResult {
  const block = { type: "text", text };
  if (random.below(10) > 0) return { content: [block] };
  const picture = { type: "image", data: "aGk=", mimeType: "image/png" };
  const resource = { type: "resource", resource: { uri: "file:///a", text: generateText(random).toWellFormed() } };
  return {
    content: random.pick([
      [block, picture, block],
      [resource, block],
      [block, { type: "text", text: "" }, block],
    ]),
    isError: true,
    _meta: { "bosun/original": "forged", other: 1 },
  };
}

function check(
  after: ToolResult,
  before: ToolResult,
  changed: boolean,
  unfolder: Unfolder,
  fail: (property: string, detail: string) => void,
  outcome: Outcome,
): void {
  const [text, original] = [wholeText(after), wholeText(before)];
  const back = unfolder.unfold({ text, meta: after._meta });
  if (!back.ok) fail("inverse", back.reason);
  else if (back.text !== original) fail("inverse", JSON.stringify(back.text));
  if (!changed && after !== before) fail("untouched", "another object");
  if (text === original) return;
  const [tokensBefore, tokensAfter] = [countTokens(original), countTokens(text)];
  if (tokensAfter > tokensBefore) fail("never larger", `${tokensBefore} → ${tokensAfter}: ${text}`);
  outcome.changed++;
  outcome.tokensBefore += tokensBefore;
  outcome.tokensAfter += tokensAfter;
}

// Each fold by itself: what it gives, it takes back, also where the gate would not have let it out.
function checkFolds(text: string, fail: (property: string, detail: string) => void): void {
  if (text.includes("[bosun:")) return;
  for (const fold of FOLDS) {
    const folded = fold.fold(text);
    if (folded === undefined) continue;
    let back: string;
    try {
      back = fold.unfold(folded);
    } catch (error) {
      back = String(error);
    }
    if (back !== text) fail(`fold ${fold.name}`, `${JSON.stringify(folded)} → ${JSON.stringify(back)}`);
  }
}
