// Results → the comparison in the README, between two marks. The same results always give the same text.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { FEATURES, NOT_FIRST } from "./features.ts";
import { measured, shown, table } from "./report.ts";
import type { Row } from "./report.ts";
import { LATEST, PUBLISHED, readResults, writeResults } from "./results.ts";
import type { Results } from "./results.ts";

const README = path.resolve(import.meta.dir, "../README.md");
const FROM = "<!-- from bench/results.json by `npm run bench -- --readme`; do not edit -->";
const TO = "<!-- end of what is generated -->";

/** Sections in the order of the README, with what they are called there. */
const SPEED: readonly (readonly [string, string])[] = [
  ["serve", "`bosun serve`, the executable"],
  ["engine", "files, searches and commands"],
  ["mcp", "`packages/mcp`, an echo server"],
  ["proxy", "`bosun proxy`"],
  ["chat", "`bosun chat`"],
  ["bcp", "`bosun bcp`"],
  ["tokenizer", "the tokenizer"],
];

/** What was measured last is what is published from now on; a section that was not measured stays as it was. */
export function publish(): void {
  if (existsSync(LATEST)) writeResults(PUBLISHED, { ...readResults(PUBLISHED), ...readResults(LATEST) });
  writeFileSync(README, withComparison(readFileSync(README, "utf8"), readResults(PUBLISHED)));
}

export function withComparison(readme: string, results: Results): string {
  const [from, to] = [readme.indexOf(FROM), readme.indexOf(TO)];
  if (from === -1 || to < from) throw new Error(`the README has no place for it: ${FROM} … ${TO}`);
  return `${readme.slice(0, from + FROM.length)}\n\n${comparison(results)}\n\n${readme.slice(to)}`;
}

export function comparison(results: Results): string {
  return [...features(), ...speed(results), ...tokens(results), ...attacks(results), ...notFirst(results)].join("\n");
}

function features(): string[] {
  return [
    "### Features",
    "",
    "As read from public sources and issues in November 2026: ● yes · ◐ partly · ○ not found · ? not known · – does not apply.",
    ...FEATURES.flatMap(({ title, peers, rows }) => ["", ...table([title, "bosun", ...peers], rows)]),
    "",
  ];
}

function speed(results: Results): string[] {
  const lines = SPEED.flatMap(([name, title]) =>
    (results[name]?.rows ?? []).filter(({ target }) => target).map((row) => goalLine(title, row)),
  );
  return [
    "### Speed and memory",
    "",
    `${measuredOn(results)} Ratios within one run count; absolute times say more about the machine.`,
    "",
    ...table(["", "measured", "goal", "reached"], lines),
    "",
  ];
}

function goalLine(title: string, row: Row): string[] {
  return [`${title}: ${row.what}`, measured(row), row.target?.text ?? "", row.target?.reached ? "yes" : "**no**"];
}

function tokens(results: Results): string[] {
  const rows = results["tokens"]?.rows ?? [];
  const lists = results["tools"]?.rows ?? [];
  return [
    "### Tokens",
    "",
    "Saved without losing a byte, by class of result, summed over tokens (o200k; in brackets the old Claude vocabulary). Each result was unfolded again and compared.",
    "",
    ...table(
      ["class", "saved", "goal", "reached"],
      rows.map(({ what, ours, theirs, target }) => [
        what,
        `${shown(ours)} % (${shown(Object.values(theirs)[0] ?? Number.NaN)} %)`,
        target?.text ?? "",
        target ? (target.reached ? "yes" : "**no**") : "",
      ]),
    ),
    "",
    ...table(
      ["tool lists", "measured", "goal", "reached"],
      lists.map((row) => [
        row.what,
        measured(row),
        row.target?.text ?? "",
        row.target ? (row.target.reached ? "yes" : "**no**") : "",
      ]),
    ),
    "",
  ];
}

function attacks(results: Results): string[] {
  const rows = results["attacks"]?.rows ?? [];
  if (rows.length === 0) return [];
  return [
    "### Attacks",
    "",
    "Each tried on real processes by tests that fail when one gets through. –: nothing is claimed there, see [docs/security.md](docs/security.md). C rows are the chat's, which has no sandbox.",
    "",
    ...table(
      ["", "variants", "held off in the sandbox", "without"],
      rows.map(({ what, ours, theirs }) => [
        what,
        shown(ours),
        ...["held off in the sandbox", "held off without"].map((name) => shown(theirs[name] ?? Number.NaN)),
      ]),
    ),
    "",
  ];
}

/** Goals missed, and what numbers do not show. */
function notFirst(results: Results): string[] {
  const goals = Object.entries(results).flatMap(([name, { rows }]) =>
    name === "attacks" ? [] : rows.flatMap(({ target }) => target ?? []),
  );
  const missed = goals.filter(({ reached }) => !reached).length;
  return [
    "### Where we are not first",
    "",
    `- ${missed === 0 ? `All ${goals.length} goals above are reached` : `${missed} of the ${goals.length} goals above are not reached: those marked **no**`}.`,
    ...NOT_FIRST.map((text) => `- ${text}`),
  ];
}

/** One line when all sections come from one day and machine, else each. */
function measuredOn(results: Results): string {
  const places = new Map<string, string[]>();
  for (const [name, { date, machine }] of Object.entries(results)) {
    const place = `${date} on ${machine}`;
    places.set(place, [...(places.get(place) ?? []), name]);
  }
  if (places.size <= 1) return `Measured ${[...places.keys()][0] ?? "never"}.`;
  return `Measured ${[...places].map(([place, names]) => `${place} (${names.join(", ")})`).join("; ")}.`;
}
