// As much of bun:test as our runtime-neutral tests use, over node:test and node:assert.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe as nodeDescribe, test as nodeTest } from "node:test";
import { format, inspect } from "node:util";

export const beforeAll = before;
export const afterAll = after;
export { afterEach, beforeEach };

export const describe = withTable((name, run) => nodeDescribe(name, run));
export const test = Object.assign(
  withTable((name, run, timeout) => nodeTest(name, { timeout: timeout ?? 60_000 }, async () => void (await run()))),
  {
    skip: (name) => nodeTest.skip(name),
    skipIf: (skip) => (skip ? (name) => nodeTest.skip(name) : test),
  },
);
export const it = test;

export function expect(actual) {
  return {
    ...matchers(actual, false),
    not: matchers(actual, true),
    get resolves() {
      return settled(Promise.resolve(actual), false);
    },
    get rejects() {
      const reason = Promise.resolve(actual).then(
        (value) => assert.fail(`expected a rejection, got ${inspect(value)}`),
        (error) => error,
      );
      return { ...settled(reason, false), not: settled(reason, true) };
    },
  };
}

/** Inside an expected value: an object that has at least these members. */
class AtLeast {
  constructor(members) {
    this.members = members;
  }

  fits(actual) {
    return same(actual, this.members, true);
  }
}
expect.objectContaining = (members) => new AtLeast(members);

/** `test(name, run)` and `test.each(rows)(name, run)`. */
function withTable(define) {
  const each = (rows) => (name, run, timeout) => {
    for (const row of rows) {
      const values = Array.isArray(row) ? row : [row];
      define(
        format(name.replaceAll("%p", "%j"), ...values.slice(0, placeholders(name))),
        () => run(...values),
        timeout,
      );
    }
  };
  return Object.assign((name, run, timeout) => define(name, run, timeout), { each });
}

function placeholders(name) {
  return name.match(/%[sdpj]/g)?.length ?? 0;
}

function settled(promise, negated) {
  const later =
    (name) =>
    async (...args) =>
      matchers(await promise, negated)[name](...args);
  return Object.fromEntries(Object.keys(matchers(undefined, false)).map((name) => [name, later(name)]));
}

function matchers(actual, negated) {
  const check = (holds, what) => {
    if (holds === negated) assert.fail(`expected ${inspect(actual, { depth: 6 })} ${negated ? "not " : ""}${what}`);
  };
  const shown = (value) => inspect(value, { depth: 6 });
  return {
    toBe: (expected) => check(Object.is(actual, expected), `to be ${shown(expected)}`),
    toEqual: (expected) => check(same(actual, expected, false), `to equal ${shown(expected)}`),
    toMatchObject: (expected) => check(same(actual, expected, true), `to match ${shown(expected)}`),
    toBeNull: () => check(actual === null, "to be null"),
    toBeString: () => check(typeof actual === "string", "to be a string"),
    toBeUndefined: () => check(actual === undefined, "to be undefined"),
    toBeDefined: () => check(actual !== undefined, "to be defined"),
    toBeGreaterThan: (limit) => check(actual > limit, `to be above ${limit}`),
    toBeGreaterThanOrEqual: (limit) => check(actual >= limit, `to be at least ${limit}`),
    toBeLessThan: (limit) => check(actual < limit, `to be below ${limit}`),
    toBeLessThanOrEqual: (limit) => check(actual <= limit, `to be at most ${limit}`),
    toHaveLength: (length) => check(actual?.length === length, `to have length ${length}`),
    toHaveProperty: (name) => check(Object(actual) === actual && name in actual, `to have ${name}`),
    // Strings and arrays, and whatever else can be walked.
    toContain: (part) =>
      check(
        typeof actual === "string" ? actual.includes(part) : [...actual].includes(part),
        `to contain ${shown(part)}`,
      ),
    toMatch: (pattern) => check(new RegExp(pattern).test(actual), `to match ${pattern}`),
    toBeInstanceOf: (type) => check(actual instanceof type, `to be a ${type.name}`),
    toThrow: (part) => check(throws(actual, part), `to throw ${part ?? "anything"}`),
  };
}

function throws(actual, part) {
  let error = actual;
  if (typeof actual === "function") {
    try {
      actual();
      return false;
    } catch (thrown) {
      error = thrown;
    }
  }
  if (!(error instanceof Error)) return false;
  if (part instanceof AtLeast) return part.fits(error);
  return part === undefined || (part instanceof RegExp ? part.test(error.message) : error.message.includes(part));
}

/** Members that are undefined count as absent; with `partial` the actual value may have more. */
function same(actual, expected, partial) {
  if (Object.is(actual, expected)) return true;
  if (expected instanceof AtLeast) return expected.fits(actual);
  if (typeof expected !== "object" || typeof actual !== "object" || expected === null || actual === null) return false;
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return false;
    return expected.every((item, index) => same(actual[index], item, partial));
  }
  if (expected instanceof Set || expected instanceof Map) return same([...actual], [...expected], partial);
  const names = Object.keys(expected).filter((name) => partial || expected[name] !== undefined);
  if (!partial && Object.keys(actual).filter((name) => actual[name] !== undefined).length !== names.length)
    return false;
  return names.every((name) => same(actual[name], expected[name], partial));
}
