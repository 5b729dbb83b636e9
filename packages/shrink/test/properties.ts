// The properties of the gate, checked on generated and mutated inputs. Used by the test (a few thousand) and by
// scripts/property.ts (a million).
import { JSON_FORMS, LINE_FORMS, LIST_FORMS, VERBATIM_FORMS } from "../src/forms/form-registry.ts";
import { withColours, withoutColours } from "../src/forms/colours.ts";
import { withDictionary, withoutDictionary } from "../src/forms/dictionary.ts";
import { withoutPadding, withPadding } from "../src/forms/padding.ts";
import type { FoldLevel, ToolResult } from "../src/index.ts";
import { countTokens, Originals, Shrinker, unfold, wholeText } from "../src/index.ts";
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

const MAX_CHARS = 1500;
const SECRET = new Uint8Array(32).fill(7);
const FORMS = [...new Set([...JSON_FORMS, ...LIST_FORMS, ...VERBATIM_FORMS, ...LINE_FORMS])];
/** What is taken out before a form is tried, or put in its place after, and the way back. */
const STEPS: [name: string, there: (text: string) => (() => string) | undefined][] = [
  ["colours", (text) => back(withoutColours(text), withColours)],
  ["padding", (text) => back(withoutPadding(text), withPadding)],
  [
    "dictionary",
    (text) => {
      const found = withDictionary(text);
      return found && (() => withoutDictionary([...found.legend, found.body].join("\n")));
    },
  ],
];
const LEVELS: readonly FoldLevel[] = ["plain", "dense"];

export function checkInputs(count: number, seed: number, progress?: (done: number) => void): Outcome {
  const random = new Random(seed);
  const recorded = readCorpus().map((record) => textOf(record));
  const outcome: Outcome = { tried: 0, changed: 0, tokensBefore: 0, tokensAfter: 0, failures: [] };
  for (let i = 0; i < count; i++) {
    if (i > 0 && i % 100_000 === 0) progress?.(i);
    const fold = LEVELS[i % LEVELS.length] ?? "plain";
    const text = nextText(random, recorded);
    const result = wrap(text, random);
    const fail = (property: string, detail: string) => outcome.failures.push({ property, text, detail });
    const before = structuredClone(result);
    const { result: shrunk, changed } = newSession(fold).shrink(result);
    if (!Bun.deepEquals(before, result)) fail("input untouched", "the given object was changed");
    check(shrunk, result, changed, fail, outcome);
    if (i % 4 === 0) {
      // Another session, as after a restart.
      const again = JSON.stringify(newSession(fold).shrink(structuredClone(result)).result);
      if (again !== JSON.stringify(shrunk)) fail("deterministic", again);
      checkForms(text, fail);
    }
    outcome.tried++;
  }
  return outcome;
}

function newSession(fold: FoldLevel): Shrinker {
  return new Shrinker({
    originals: new Originals({ secret: SECRET }),
    client: "c",
    fold,
    ...(fold === "dense" ? { namesOriginals: "short" } : {}),
  });
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
    ...(random.below(3) === 0 ? { isError: true } : {}),
    _meta: { "bosun/original": "forged", other: 1 },
  };
}

function check(
  after: ToolResult,
  before: ToolResult,
  changed: boolean,
  fail: (property: string, detail: string) => void,
  outcome: Outcome,
): void {
  const [text, original] = [wholeText(after), wholeText(before)];
  const undone = unfold({ text, meta: after._meta });
  if (!undone.ok) fail("inverse", undone.reason);
  else if (undone.text !== original) fail("inverse", JSON.stringify(undone.text));
  if (!changed && after !== before) fail("untouched", "another object");
  if (text === original) return;
  if (/[\u0370-\u04ff]/.test(text) && !/[\u0370-\u04ff]/.test(original)) fail("no foreign letters", text);
  const [tokensBefore, tokensAfter] = [countTokens(original), countTokens(text)];
  if (tokensAfter > tokensBefore) fail("never larger", `${tokensBefore} → ${tokensAfter}: ${text}`);
  outcome.changed++;
  outcome.tokensBefore += tokensBefore;
  outcome.tokensAfter += tokensAfter;
}

// Each form by itself: what it gives, it takes back, also where the gate would not have let it out.
function checkForms(given: string, fail: (property: string, detail: string) => void): void {
  if (given.includes("[bosun:")) return;
  const text = given.replace(/\n+$/, "");
  for (const form of FORMS) {
    const folded = form.fold(text);
    if (folded !== undefined)
      compare(`form ${form.name}`, text, () => form.unfold(folded), JSON.stringify(folded), fail);
  }
  for (const [name, there] of STEPS) {
    const undo = there(text);
    if (undo !== undefined) compare(name, text, undo, "", fail);
  }
}

function compare(
  name: string,
  text: string,
  undo: () => string,
  shown: string,
  fail: (property: string, detail: string) => void,
): void {
  let undone: string;
  try {
    undone = undo();
  } catch (error) {
    undone = String(error);
  }
  if (undone !== text) fail(name, `${shown} → ${JSON.stringify(undone)}`);
}

function back(
  taken: { text: string; layout: string } | undefined,
  undo: (text: string, layout: string) => string,
): (() => string) | undefined {
  return taken && (() => undo(taken.text, taken.layout));
}
