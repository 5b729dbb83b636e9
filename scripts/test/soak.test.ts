// The soak must see what it is there to see: made-up leaks, lost and doubled answers, and a short real run that holds.
import { describe, expect, test } from "bun:test";
import { judge } from "../soak/judge.ts";
import type { Look, Measure } from "../soak/judge.ts";
import { emptyTally, Ledger } from "../soak/ledger.ts";
import { parseSoakOptions } from "../soak/options.ts";
import { Random } from "../soak/random.ts";
import { failuresOf, summaryText } from "../soak/summary.ts";
import type { Found } from "../soak/summary.ts";
import { soak } from "../soak.ts";

const LEVEL: Look = { rssMb: 80, descriptors: 40, children: 3, tempFiles: 5 };

/** Looks at rest, with noise, of which one measure grows by so much each time. */
function looks(count: number, measure?: Measure, step = 0): Look[] {
  const random = new Random(7);
  return Array.from({ length: count }, (_, at) => {
    const noisy = { ...LEVEL, rssMb: LEVEL.rssMb + random.between(-6, 6), descriptors: 40 + random.between(-3, 3) };
    return measure === undefined ? noisy : { ...noisy, [measure]: noisy[measure] + step * at };
  });
}

describe("the judge", () => {
  test.each<[string, Look[], Measure[]]>([
    ["noise is no leak", looks(60), []],
    ["1 MB kept per cycle is one", looks(60, "rssMb", 1), ["rssMb"]],
    ["a descriptor kept per cycle is one", looks(60, "descriptors", 1), ["descriptors"]],
    ["a process left every other cycle is one", looks(60, "children", 0.5), ["children"]],
    ["a file left per cycle is one", looks(60, "tempFiles", 1), ["tempFiles"]],
    ["what goes down is none", looks(60, "rssMb", -1), []],
    [
      "growth that ends with the warm-up is none",
      looks(60).map((look, at) => ({ ...look, rssMb: look.rssMb + Math.min(at, 12) * 8 })),
      [],
    ],
    ["one look high above is none", looks(60).map((look, at) => (at === 59 ? { ...look, rssMb: 900 } : look)), []],
    ["too few looks tell nothing", looks(4, "rssMb", 100), []],
  ])("%s", (_, seen, leaking) => {
    expect(
      judge(seen)
        .filter(({ leaks }) => leaks)
        .map(({ measure }) => measure),
    ).toEqual(leaking);
  });
});

test("what a program may keep by its own limits is no leak, and what is beyond them is one", () => {
  const rss = (step: number, rssMb: number): boolean =>
    judge(looks(60, "rssMb", step), { rssMb }).some(({ leaks }) => leaks);
  expect([rss(1.5, 0), rss(1.5, 64), rss(5, 64)]).toEqual([true, false, true]);
});

describe("the ledger", () => {
  test.each<[string, (ledger: Ledger) => void, object]>([
    ["one answer each is right", (ledger) => (ledger.asked(1, "a"), ledger.answered(1), ledger.settle()), {}],
    [
      "no answer is a lost one",
      (ledger) => (ledger.asked(1, "a"), ledger.settle()),
      { lost: ["c: request 1, a"], answers: 0 },
    ],
    [
      "two answers are one too many",
      (ledger) => (ledger.asked(1, "a"), ledger.answered(1), ledger.answered(1)),
      { doubled: ["c: request 1"] },
    ],
    [
      "an answer to nothing is noticed",
      (ledger) => (ledger.asked(1, "a"), ledger.answered(1), ledger.answered(9)),
      { unasked: ["c: id 9"] },
    ],
    [
      "a cancelled request may stay unanswered",
      (ledger) => (ledger.asked(1, "a"), ledger.cancelled(1), ledger.settle()),
      { answers: 0, cancelledUnanswered: 1 },
    ],
    [
      "but not be answered twice",
      (ledger) => (ledger.asked(1, "a"), ledger.cancelled(1), ledger.answered(1), ledger.answered(1)),
      { doubled: ["c: request 1"] },
    ],
    [
      "what we cut off is excused",
      (ledger) => (ledger.asked(1, "a"), ledger.cutOff(), ledger.settle()),
      { answers: 0, cutOff: 1 },
    ],
    [
      "a bad message without its error is lost",
      (ledger) => (ledger.asked(1, "a"), ledger.answered(1), ledger.sentNonsense(), ledger.settle()),
      { nonsense: 1, lost: ["c: the error for a bad message"] },
    ],
    [
      "an error for nothing is noticed",
      (ledger) => (ledger.asked(1, "a"), ledger.answered(1), ledger.answered(undefined)),
      { nonsenseAnswered: 1, unasked: ["c: an error without an id"] },
    ],
  ])("%s", (_, happens, expected) => {
    const tally = emptyTally();
    happens(new Ledger("c", tally));
    expect(tally).toEqual({ ...emptyTally(), requests: 1, answers: 1, ...expected });
  });
});

const HELD: Found = {
  seconds: 60,
  interrupted: false,
  tally: emptyTally(),
  done: new Map([["read", 3]]),
  orphans: [],
  leftFiles: [],
  stopped: new Map([["serve, stdio", true]]),
  ships: [{ name: "serve, stdio", looks: looks(60), keeps: {}, peakMb: 120 }],
};

describe("the verdict", () => {
  test.each<[string, Partial<Found>, string[]]>([
    ["holds when nothing is wrong", {}, []],
    [
      "names a leak",
      { ships: [{ name: "s", looks: looks(60, "rssMb", 2), keeps: {}, peakMb: 1 }] },
      ["leak in s: rssMb"],
    ],
    ["names a process left", { orphans: ["4711 sleep"] }, ["process left: 4711 sleep"]],
    ["names a file left", { leftFiles: ["bosun-1-abc"] }, ["file left: bosun-1-abc"]],
    ["names a lost answer", { tally: { ...emptyTally(), lost: ["x"] } }, ["lost answer: x"]],
    ["names a doubled answer", { tally: { ...emptyTally(), doubled: ["x"] } }, ["doubled answer: x"]],
    ["names a wrong answer", { tally: { ...emptyTally(), wrong: ["x"] } }, ["wrong: x"]],
    ["names what would not end", { stopped: new Map([["s", false]]) }, ["s did not end when asked"]],
    [
      "names memory without bound",
      { ships: [{ name: "s", looks: [], keeps: {}, peakMb: 5000 }] },
      ["s needed 5000 MB at once"],
    ],
  ])("%s", (_, changed, failures) => {
    const found = { ...HELD, ...changed };
    expect(failuresOf(found).map((failure, at) => failure.slice(0, failures[at]?.length))).toEqual(failures);
    expect(summaryText(found)).toContain(failures.length === 0 ? "held: no leak" : `FAILED  ${failures[0]}`);
  });
});

test.each<[string[], string]>([
  [["--minutes", "0"], "--minutes must be"],
  [["--minutes"], "--minutes needs a value"],
  [["--fast", "1"], "unknown option --fast"],
  [["--executable", "/nowhere/bosun"], "there is no /nowhere/bosun"],
])("%j is refused with the reason", (words, problem) => {
  expect(() => parseSoakOptions(words)).toThrow(problem);
});

test("the same seed gives the same numbers", () => {
  const draw = (seed: number): number[] =>
    Array.from(
      { length: 50 },
      (
        (random) => () =>
          random.next()
      )(new Random(seed)),
    );
  expect(draw(5)).toEqual(draw(5));
  expect(draw(5)).not.toEqual(draw(6));
});

test.skipIf(process.platform !== "linux")(
  "a short soak of servers and proxies holds (needs Linux: it reads /proc)",
  async () => {
    const options = parseSoakOptions(["--minutes", "0.15", "--cycle", "4", "--seed", "3"]);
    if (options === undefined) throw new Error("nobody asked for help");
    const found = await soak(options, () => undefined, new AbortController().signal);
    expect(failuresOf(found)).toEqual([]);
    expect(found.tally.answers).toBeGreaterThan(20);
    expect([...found.done.keys()]).toEqual(expect.arrayContaining(["read", "command", "bad line", "HTTP client"]));
  },
  120_000,
);
