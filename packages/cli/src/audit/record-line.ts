// One audit record as one line for a person. Everything in it was written by somebody else: nothing may move the cursor.
import { screenSafe } from "@bosun/platform/safe-text";
import type { AuditRecord } from "@bosun/policy";

const MAX_CHARS = 300;
const COLOUR: Readonly<Record<string, string>> = {
  deny: "31",
  refused: "31",
  error: "33",
  timeout: "33",
  ask: "36",
  lost: "31",
  "put back": "33",
  stays: "31",
};

export function lineOf(record: AuditRecord, colours: boolean): string {
  const mark = markOf(record);
  const shown = mark.padEnd(9);
  const colour = COLOUR[mark];
  const parts = [
    localTime(record.t),
    colours && colour !== undefined ? `\u001b[${colour}m${shown}\u001b[0m` : shown,
    oneLine(textOf(record, "tool") ?? record.kind).padEnd(18),
    oneLine(subjectOf(record)),
    ...factsOf(record),
  ];
  return parts
    .filter((part) => part !== "")
    .join("  ")
    .trimEnd();
}

/** A decision says what the rules said, an outcome how it ended. */
function markOf(record: AuditRecord): string {
  const word =
    record.kind === "decision"
      ? textOf(record, "verdict")
      : (textOf(record, "outcome") ?? textOf(record, "verdict") ?? textOf(record, "done"));
  return oneLine(word ?? record.kind);
}

function subjectOf(record: AuditRecord): string {
  return (
    textOf(record, "place") ??
    textOf(record, "command") ??
    textOf(record, "arguments") ??
    textOf(record, "reason") ??
    ""
  );
}

function factsOf(record: AuditRecord): string[] {
  const { exit, durationMs, bytesOut } = record as Readonly<Record<string, unknown>>;
  const facts = [
    ...(typeof exit === "number" && exit !== 0 ? [`exit ${exit}`] : []),
    ...(textOf(record, "limitHit") === undefined ? [] : [`hit its ${textOf(record, "limitHit")} limit`]),
    ...(textOf(record, "code") === undefined ? [] : [`code ${textOf(record, "code")}`]),
    ...(textOf(record, "signal") === undefined ? [] : [`signal ${textOf(record, "signal")}`]),
    ...(typeof durationMs === "number" ? [durationText(durationMs)] : []),
    ...(typeof bytesOut === "number" && bytesOut > 0 ? [`${bytesOut} bytes`] : []),
    ...(record.kind === "changed-place" && textOf(record, "reason") !== undefined ? [textOf(record, "reason")] : []),
    ...(textOf(record, "aside") === undefined ? [] : [`aside: ${textOf(record, "aside")}`]),
    ...(textOf(record, "answer") === undefined ? [] : [`answered: ${textOf(record, "answer")}`]),
    // The usual case needs no explanation.
    ...(textOf(record, "verdict") === "allow" || textOf(record, "rule") === undefined
      ? []
      : [`by ${textOf(record, "rule")}`]),
  ];
  return facts.length === 0 ? [] : [`(${oneLine(facts.join(", "))})`];
}

function textOf(record: AuditRecord, name: string): string | undefined {
  const value = record[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function oneLine(text: string): string {
  return screenSafe(text, { oneLine: true, maxChars: MAX_CHARS });
}

function durationText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function localTime(text: string): string {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return oneLine(text);
  const two = (number: number): string => String(number).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
