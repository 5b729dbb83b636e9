// What did not get through while a call ran, as the lines under its result.
import { LIMITS } from "../limits.ts";

export type Outcome = "reached" | "refused" | "not answered" | "failed" | "not reached";

export type HostOutcome = {
  readonly host: string;
  /** Absent where the name was refused already. */
  readonly port?: number;
  readonly outcome: Outcome;
  readonly reason?: string;
};

export type CallReport = {
  /** Empty when everything got through. */
  readonly lines: readonly string[];
  readonly network: readonly HostOutcome[];
};

const WORDS: Readonly<Record<Exclude<Outcome, "reached">, string>> = {
  refused: "refused",
  "not answered": "not answered yet",
  failed: "failed",
  "not reached": "looked up, not reached",
};
// Of one call: a crawler's report must not grow with the web.
const MAX_OUTCOMES = 1000;

/** Collects for one call. */
export class CallOutcomes {
  readonly #outcomes = new Map<string, HostOutcome>();
  readonly #lookedUp = new Map<string, string>();
  readonly #contacted = new Set<string>();
  #left = 0;

  add(outcome: HostOutcome): void {
    this.#contacted.add(outcome.host);
    const key = `${outcome.host} ${outcome.port ?? ""}`;
    const before = this.#outcomes.get(key)?.outcome;
    // Another connection got through: that the one did not is news all the same.
    if (outcome.outcome === "reached" && (before === "refused" || before === "failed")) return;
    // Else the last one counts: a question that was answered is no longer open.
    this.#outcomes.delete(key);
    if (this.#outcomes.size < MAX_OUTCOMES) this.#outcomes.set(key, outcome);
    else this.#left += 1;
  }

  /** The name was given an address; with what to say if nothing comes of it. */
  lookedUp(host: string, advice: string): void {
    if (this.#lookedUp.size < MAX_OUTCOMES) this.#lookedUp.set(host, advice);
  }

  report(): CallReport {
    const idle = [...this.#lookedUp].flatMap(([host, reason]): HostOutcome[] =>
      this.#contacted.has(host) ? [] : [{ host, outcome: "not reached", reason }],
    );
    const network = [...this.#outcomes.values(), ...idle];
    return { lines: reportLines(network, this.#left), network };
  }
}

export function reportLines(outcomes: readonly HostOutcome[], left = 0): string[] {
  const lines = outcomes.flatMap(({ host, port, outcome, reason }) => {
    if (outcome === "reached") return [];
    const where = port === undefined ? host : `${host}:${port}`;
    return [`[network] ${WORDS[outcome]}: ${where}${reason === undefined ? "" : ` (${reason})`}`];
  });
  const more = lines.length - LIMITS.resultLines + left;
  if (more <= 0) return lines;
  return [...lines.slice(0, LIMITS.resultLines), `… and ${more} more ${more === 1 ? "host" : "hosts"}`];
}
