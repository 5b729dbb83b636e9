// Warming up ends by itself, gives way, and changes no result.
import { expect, test } from "bun:test";

import { Shrinker } from "../src/shrink.ts";
import { wholeText } from "../src/tool-result.ts";
import { SAMPLES } from "../src/warm-up-samples.ts";
import { WarmUp } from "../src/warm-up.ts";

/** As long as those of the first round. */
const SHORT = 8;

const shrunk = (text: string) => new Shrinker().shrink({ content: [{ type: "text", text }] });

test("the shortest samples go through the forms that tools need most", () => {
  const folds = new Set(SAMPLES.flatMap((sample) => shrunk(sample(0, SHORT)).folds));
  for (const name of "json tree patterns padding colours".split(" ")) expect(folds).toContain(name);
});

test("no sample comes twice: it would take the short cut of a text that was sent before", () => {
  const texts = [0, 1, 2].flatMap((round) => SAMPLES.map((sample) => sample(round, SHORT)));
  expect(new Set(texts).size).toBe(texts.length);
});

test("a result is the same before and after", async () => {
  const all = (): unknown[] =>
    SAMPLES.map((sample) => {
      const { result, handle = "none", folds, tokensAfter } = shrunk(sample(9, 30));
      return { text: wholeText(result).replaceAll(handle, "HANDLE"), folds, tokensAfter };
    });
  const before = all();
  const warmUp = new WarmUp();
  await warmUp.begin();
  await warmUp.finish();
  expect(all()).toEqual(before);
});

test("while somebody is busy nothing is done, until it is given up", async () => {
  const stop = new AbortController();
  let asked = 0;
  const isBusy = (): boolean => {
    asked++;
    stop.abort();
    return true;
  };
  await new WarmUp({ stop: stop.signal, isBusy }).begin();
  expect(asked).toBe(1);
});
