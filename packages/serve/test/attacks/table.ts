// All attacks on the server, in the order of the threat table, and how they went: the same for the tests and the script.
import { Arena } from "./arena.ts";
import { HIDDEN_COMMANDS } from "./hidden-commands.ts";
import { HTTP_CALLERS } from "./http-callers.ts";
import { JUDGED_PATHS } from "./judged-paths.ts";
import { LIFETIMES } from "./lifetimes.ts";
import { LOST_MOUNTS } from "./lost-mounts.ts";
import { MOUNTS } from "./mounts.ts";
import { ODD_FILES } from "./odd-files.ts";
import { OPTIONS } from "./options.ts";
import { PATHS } from "./paths.ts";
import { POLICY } from "./policy.ts";
import { PROTECTED_PLACES } from "./protected-places.ts";
import { RACES } from "./races.ts";
import { REACH } from "./reach.ts";
import { SECRETS } from "./secrets.ts";
import { SETTLED_PLACES } from "./settled-places.ts";
import { VARIABLES } from "./variables.ts";
import type { Attack, Mode } from "./arena.ts";

export const ATTACKS: readonly Attack[] = [
  ...PATHS,
  ...RACES,
  ...JUDGED_PATHS,
  ...ODD_FILES,
  ...REACH,
  ...MOUNTS,
  ...LOST_MOUNTS,
  ...VARIABLES,
  ...HIDDEN_COMMANDS,
  ...OPTIONS,
  ...POLICY,
  ...PROTECTED_PLACES,
  ...SETTLED_PLACES,
  ...SECRETS,
  ...HTTP_CALLERS,
  ...LIFETIMES,
].toSorted((a, b) => Number(a.row.slice(1)) - Number(b.row.slice(1)));

const AT_A_TIME = 8;

export type Outcome =
  | { readonly kind: "contained"; readonly variants: number }
  | { readonly kind: "documented"; readonly why: string }
  | { readonly kind: "breached"; readonly breaches: readonly string[] };

/** Tries every variant of an attack; what gets through is named. */
export async function tryAttack(attack: Attack, arena: Arena): Promise<Outcome> {
  if (arena.mode === "off" && attack.offReason !== undefined) return { kind: "documented", why: attack.offReason };
  const breaches: string[] = [];
  const left = [...attack.variants];
  const tryNext = async (): Promise<void> => {
    for (let variant = left.shift(); variant !== undefined; variant = left.shift()) {
      try {
        await variant.attempt(arena);
      } catch (error) {
        breaches.push(`${variant.name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: attack.independent === true ? AT_A_TIME : 1 }, tryNext));
  return breaches.length === 0
    ? { kind: "contained", variants: attack.variants.length }
    : { kind: "breached", breaches };
}

/** attack × variants × result in each mode, as lines of text. */
export function tableOf(outcomes: ReadonlyMap<Attack, ReadonlyMap<Mode, Outcome>>): string {
  const rows = [...outcomes].map(([attack, byMode]) => [
    attack.row,
    attack.title,
    String(attack.variants.length),
    wordsFor(byMode.get("on")),
    wordsFor(byMode.get("off")),
  ]);
  const heads = ["row", "attack", "variants", "sandbox on", "sandbox off"];
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => (row[column] ?? "").length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd();
  const tried = [...outcomes].flatMap(([attack, byMode]) =>
    [...byMode.values()].map((outcome) => (outcome.kind === "documented" ? 0 : attack.variants.length)),
  );
  const reasons = new Set(
    [...outcomes].flatMap(([attack]) => (attack.offReason === undefined ? [] : [attack.offReason])),
  );
  const variants = [...outcomes.keys()].reduce((sum, attack) => sum + attack.variants.length, 0);
  return [
    line(heads),
    ...rows.map(line),
    "",
    `${outcomes.size} attacks, ${variants} variants, ${tried.reduce((sum, count) => sum + count, 0)} attempts`,
    ...[...reasons].map((why) => `documented: ${why}`),
    ...[...outcomes].flatMap(([attack, byMode]) =>
      [...byMode].flatMap(([mode, outcome]) =>
        outcome.kind === "breached"
          ? outcome.breaches.map((breach) => `BREACH ${attack.row} (sandbox ${mode}) ${breach}`)
          : [],
      ),
    ),
  ].join("\n");
}

function wordsFor(outcome: Outcome | undefined): string {
  if (outcome === undefined) return "not tried";
  if (outcome.kind === "breached") return `${outcome.breaches.length} BREACHED`;
  return outcome.kind;
}
