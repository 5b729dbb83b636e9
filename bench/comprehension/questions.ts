// Questions about a result, made from the original by seed, and how a reading answers them.
import type { Node } from "./nodes.ts";
import { member, nodeAt, scalarText } from "./nodes.ts";
import type { Reading } from "./reading.ts";

export type Question = { kind: string; asks: string; answer: string } & Probe;

/** What a reader that is a program looks up. */
type Probe =
  | { of: "line"; number: number }
  | { of: "quote"; holds: string; offset: number }
  | { of: "path"; name: string }
  | { of: "exists"; path: string }
  | { of: "names"; folder: string }
  | { of: "field"; value: number; steps: Step[]; key: string; is: string; field: string; offset: number }
  | { of: "count"; value: number; steps: Step[]; key: string; is: string }
  | { of: "value"; value: number; steps: Step[] };

type Step = string | number;

export const MAX_QUESTIONS = 6;
const MAX_ASKED_CHARS = 300;

/** The same reading and seed give the same questions. */
export function questionsOf(reading: Reading, seed: number): Question[] {
  const random = numbersFrom(seed);
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[random() % Math.max(1, items.length)];
  const makers = reading.entries
    ? [path, exists, names]
    : reading.values.length > 0
      ? [field, field, count, value, quote]
      : [line, quote, quote, path, exists];
  const questions = new Map<string, Question>();
  for (let tries = 0; tries < 40 && questions.size < MAX_QUESTIONS; tries++) {
    const question = makers[tries % makers.length]?.(reading, pick, random);
    if (question !== undefined && question.asks.length <= MAX_ASKED_CHARS * 2) questions.set(question.asks, question);
  }
  return [...questions.values()];
}

/** What this reading answers; undefined: it cannot say. */
export function answerFrom(reading: Reading, question: Question): string | undefined {
  switch (question.of) {
    case "line":
      return reading.lines[question.number - 1];
    case "quote": {
      const found = reading.lines.flatMap((text, i) => (text.includes(question.holds) ? [i] : []));
      return found.length === 1 ? reading.lines[(found[0] ?? 0) + question.offset] : undefined;
    }
    case "path": {
      const found = pathsOf(reading).filter((one) => nameOf(one) === question.name);
      return found.length === 1 ? found[0] : undefined;
    }
    case "exists":
      return new Set(pathsOf(reading)).has(question.path) ? "yes" : "no";
    case "names":
      return String(pathsOf(reading).filter((one) => folderOf(one) === question.folder).length);
    case "field": {
      const records = recordsAt(reading, question);
      const found = records.flatMap((record, i) =>
        scalarText(member(record, question.key)) === question.is ? [i] : [],
      );
      const record = found.length === 1 ? records[(found[0] ?? 0) + question.offset] : undefined;
      return record === undefined ? undefined : fieldOf(record, question.field);
    }
    case "count":
      return String(
        recordsAt(reading, question).filter((record) => scalarText(member(record, question.key)) === question.is)
          .length,
      );
    case "value":
      return scalarText(nodeAt(reading.values[question.value], question.steps));
  }
}

/** One pair of quotes or backticks, a final line break, and the width of padding do not count. */
export function isSameAnswer(given: string | undefined, wanted: string): boolean {
  if (given === undefined) return false;
  return given === wanted || bare(given) === bare(wanted);
}

function bare(text: string): string {
  const plain = withoutColours(text).replace(/^(["'`])(.*)\1$/s, "$2");
  return plain.replace(/\s+/g, " ").trim();
}

// They are no part of an answer.
function withoutColours(text: string): string {
  // oxlint-disable-next-line no-control-regex -- escape sequences are what this is about
  return text.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, "");
}

type Pick = <Item>(items: readonly Item[]) => Item | undefined;

function line({ lines }: Reading, pick: Pick): Question | undefined {
  const number = pick(lines.flatMap((text, i) => (text.trim() === "" ? [] : [i + 1])));
  if (number === undefined) return undefined;
  return {
    kind: "line",
    of: "line",
    number,
    asks: `What is line ${number} of the result?`,
    answer: lines[number - 1] ?? "",
  };
}

function quote({ lines }: Reading, pick: Pick, random: () => number): Question | undefined {
  const at = pick(lines.flatMap((text, i) => (text.trim().length > 3 && text.length < 2000 ? [i] : [])));
  const words = withoutColours(lines[at ?? -1] ?? "").match(/[^\s"'`]{4,60}/g) ?? [];
  const holds = pick(words);
  if (at === undefined || holds === undefined) return undefined;
  if (lines.filter((text) => text.includes(holds)).length !== 1 || !lines[at]?.includes(holds)) return undefined;
  const offset = random() % 3 === 0 ? 1 : 0;
  const answer = lines[at + offset];
  if (answer === undefined || answer.trim() === "") return undefined;
  const asks =
    offset === 0 ? `Quote the whole line that holds ${holds}` : `Quote the line after the one that holds ${holds}`;
  return { kind: offset === 0 ? "quote" : "order", of: "quote", holds, offset, asks, answer };
}

function path(reading: Reading, pick: Pick): Question | undefined {
  const paths = pathsOf(reading);
  const answer = pick(paths);
  if (answer === undefined) return undefined;
  const name = nameOf(answer);
  if (paths.filter((one) => nameOf(one) === name).length !== 1) return undefined;
  return { kind: "path", of: "path", name, asks: `What is the whole path of ${name}?`, answer };
}

function exists(reading: Reading, pick: Pick, random: () => number): Question | undefined {
  const paths = pathsOf(reading);
  const real = pick(paths);
  if (real === undefined) return undefined;
  const moved = folderOf(pick(paths) ?? "") + nameOf(real);
  const asked = random() % 2 === 0 ? real : moved;
  const answer = paths.includes(asked) ? "yes" : "no";
  return { kind: "exists", of: "exists", path: asked, asks: `Is there ${asked}? yes or no`, answer };
}

function names(reading: Reading, pick: Pick): Question | undefined {
  const paths = pathsOf(reading);
  const folder = folderOf(pick(paths) ?? "");
  const answer = String(paths.filter((one) => folderOf(one) === folder).length);
  return {
    kind: "count",
    of: "names",
    folder,
    asks: `How many names are directly in ${folder || "the root"}?`,
    answer,
  };
}

function field({ values }: Reading, pick: Pick, random: () => number): Question | undefined {
  const at = pick(listsIn(values));
  const known = at && keyOf(at.records, pick);
  if (at === undefined || known === undefined) return undefined;
  const offset = random() % 4 === 0 ? 1 : 0;
  const record = at.records[known.index + offset];
  const asked = pick([...new Set(at.records.slice(0, 50).flatMap(keysOf))]);
  if (record === undefined || asked === undefined) return undefined;
  const answer = fieldOf(record, asked);
  if (answer === undefined || answer.length > MAX_ASKED_CHARS) return undefined;
  const where = `of the record ${offset === 0 ? "with" : "after the one with"} ${known.key} = ${known.is} in ${nameOfSteps(at.steps)}`;
  return {
    kind: answer === "absent" ? "absent" : offset === 0 ? "field" : "order",
    of: "field",
    value: at.value,
    steps: at.steps,
    key: known.key,
    is: known.is,
    field: asked,
    offset,
    asks: `What is ${asked} ${where}? JSON value, or absent`,
    answer,
  };
}

function count({ values }: Reading, pick: Pick): Question | undefined {
  const at = pick(listsIn(values));
  const record = pick(at?.records ?? []);
  const key = pick(record === undefined ? [] : keysOf(record));
  const is = key === undefined ? undefined : scalarText(member(record, key));
  if (at === undefined || key === undefined || is === undefined || is.length > 80) return undefined;
  const answer = String(at.records.filter((one) => scalarText(member(one, key)) === is).length);
  const asks = `How many records in ${nameOfSteps(at.steps)} have ${key} = ${is}?`;
  return { kind: "count", of: "count", value: at.value, steps: at.steps, key, is, asks, answer };
}

function value({ values }: Reading, pick: Pick): Question | undefined {
  const at = pick(values.map((_, i) => i)) ?? 0;
  const steps: Step[] = [];
  for (let node: Node | undefined = values[at]; node !== undefined;) {
    if ("raw" in node) {
      const answer = scalarText(node) ?? "";
      if (answer.length > MAX_ASKED_CHARS) return undefined;
      return {
        kind: "field",
        of: "value",
        value: at,
        steps,
        asks: `What is ${nameOfSteps(steps)}? JSON value`,
        answer,
      };
    }
    const step: Step | undefined = "items" in node ? pick(node.items.map((_, i) => i)) : pick(node.members)?.[0];
    if (step === undefined) return undefined;
    steps.push(step);
    node = nodeAt(node, [step]);
  }
  return undefined;
}

function recordsAt({ values }: Reading, at: { value: number; steps: Step[] }): Node[] {
  return recordsOf(nodeAt(values[at.value], at.steps));
}

// Objects in a list, or objects by name.
function recordsOf(node: Node | undefined): Node[] {
  if (node === undefined || "raw" in node) return [];
  const inside = "items" in node ? node.items : node.members.map(([, own]) => own);
  return inside.length > 1 && inside.every((one) => "members" in one) ? inside : [];
}

function listsIn(values: readonly Node[]): { value: number; steps: Step[]; records: Node[] }[] {
  const found: { value: number; steps: Step[]; records: Node[] }[] = [];
  const visit = (node: Node, at: number, steps: Step[]): void => {
    if ("raw" in node || steps.length > 6 || found.length > 20) return;
    const records = recordsOf(node);
    if (records.length > 0) found.push({ value: at, steps, records });
    if ("items" in node) node.items.slice(0, 5).forEach((own, i) => visit(own, at, [...steps, i]));
    else for (const [key, own] of node.members.slice(0, 40)) visit(own, at, [...steps, key]);
  };
  values.slice(0, 8).forEach((node, at) => visit(node, at, []));
  return found;
}

function keyOf(records: readonly Node[], pick: Pick): { key: string; is: string; index: number } | undefined {
  const index = pick(records.map((_, i) => i)) ?? 0;
  const record = records[index];
  for (const key of record === undefined ? [] : keysOf(record)) {
    const is = scalarText(member(record, key));
    if (is === undefined || is.length > 80) continue;
    if (records.filter((one) => scalarText(member(one, key)) === is).length === 1) return { key, is, index };
  }
  return undefined;
}

function fieldOf(record: Node, key: string): string | undefined {
  const found = member(record, key);
  return found === undefined ? "absent" : scalarText(found);
}

function keysOf(record: Node): string[] {
  return "members" in record ? record.members.map(([key]) => key) : [];
}

function nameOfSteps(steps: readonly Step[]): string {
  return steps.length === 0 ? "the result" : steps.map((step) => JSON.stringify(step)).join(" → ");
}

const PATH = /^[^\s"<>|:*]*\/[^\s"<>|:*]*$/;

function pathsOf({ lines, entries }: Reading): string[] {
  return entries ? [...entries.keys()] : lines.filter((text) => PATH.test(text) && text.length > 1);
}

function nameOf(one: string): string {
  return one.slice(one.lastIndexOf("/", one.length - 2) + 1);
}

function folderOf(one: string): string {
  return one.slice(0, one.lastIndexOf("/", one.length - 2) + 1);
}

function numbersFrom(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}
