// The calls of a session that run now: what contacts belong to, and what is reported under their results.
import { CallOutcomes } from "./call-report.ts";
import type { CallReport, HostOutcome } from "./call-report.ts";

export type CallKind = "command" | "task";

export class RunningCalls {
  readonly #running = new Map<string, { readonly kind: CallKind; readonly outcomes: CallOutcomes }>();

  begin(id: string, kind: CallKind): void {
    this.#running.set(id, { kind, outcomes: new CallOutcomes() });
  }

  /** Of a call that is not over yet: what a task says in between. */
  report(id: string): CallReport {
    return this.#running.get(id)?.outcomes.report() ?? { lines: [], network: [] };
  }

  end(id: string): CallReport {
    const report = this.report(id);
    this.#running.delete(id);
    return report;
  }

  isRunning(id: string): boolean {
    return this.#running.has(id);
  }

  get ids(): readonly string[] {
    return [...this.#running.keys()];
  }

  get hasTask(): boolean {
    return [...this.#running.values()].some(({ kind }) => kind === "task");
  }

  tell(ids: readonly string[], outcome: HostOutcome): void {
    for (const id of ids) this.#running.get(id)?.outcomes.add(outcome);
  }

  lookedUp(host: string, advice: string): void {
    for (const { outcomes } of this.#running.values()) outcomes.lookedUp(host, advice);
  }
}
