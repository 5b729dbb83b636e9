// What the audit gets of one call: a line for a decision, and one for its end.
import { EngineError } from "@bosun/engine";
import type { EngineCode, Session } from "@bosun/engine";
import { BosunError } from "@bosun/platform/errors";
import { nameOfRule } from "@bosun/policy";
import type { AuditEvent, CallToAuthorize, Decision } from "@bosun/policy";
import type { Acts, OutcomeFacts, ToolDefinition } from "./tool-definition.ts";
import type { PolicyGate } from "../approvals/policy-gate.ts";

/** What the boundary itself refuses, whatever the rules say. */
const BEYOND_THE_BOUNDARY: ReadonlySet<EngineCode> = new Set<EngineCode>([
  "OUTSIDE_SCOPE",
  "PATH_DENIED",
  "READ_ONLY",
  "PROTECTED",
  "COMMAND_NOT_ALLOWED",
  "COMMAND_UNPARSABLE",
]);

/** What the audit gets of one call. Commands and refusals get a line before anything happens; every call gets one at its end. */
export class CallRecord {
  readonly #tool: ToolDefinition;
  readonly #args: unknown;
  readonly #session: Session;
  readonly #gate: PolicyGate;
  readonly #startedAt = performance.now();
  #facts: OutcomeFacts = {};
  #decision: Decision | undefined;
  #facing: { command?: string; cwd?: string; paths?: readonly string[] } = {};
  #refusedByBoundary = false;
  #ended = false;
  #id: string | undefined;

  constructor(tool: ToolDefinition, args: unknown, session: Session, gate: PolicyGate) {
    this.#tool = tool;
    this.#args = args;
    this.#session = session;
    this.#gate = gate;
  }

  note(facts: OutcomeFacts): void {
    this.#facts = { ...this.#facts, ...facts };
  }

  decided(decision: Decision, acts: Acts, { cwd, paths = [] }: CallToAuthorize, worthALine: boolean): void {
    this.#decision = decision;
    const command = acts.command ?? acts.argv?.join(" ");
    this.#facing = {
      ...(command === undefined ? {} : { command }),
      ...(cwd === undefined ? {} : { cwd }),
      ...(paths.length === 0 ? {} : { paths: paths.map(({ path }) => path) }),
    };
    if (worthALine)
      this.#gate.record({
        kind: "decision",
        ...this.#which(),
        ...this.#verdict(),
        ...this.#facing,
        arguments: this.#args,
      });
  }

  /** Whether the boundary refused it: then that is what decided, not a rule. */
  refusedByBoundary(error: unknown): boolean {
    if (!(error instanceof EngineError)) return false;
    // Of the workspace surface: a path that is written as one outside is not resolved at all.
    const leavesWorkspace = error.code === "INVALID_PATH" && /^(?:absolute|parent)$/.test(error.details.reason ?? "");
    if (!leavesWorkspace && !BEYOND_THE_BOUNDARY.has(error.code)) return false;
    const { path, pattern } = error.details;
    const name = pattern === undefined ? "the boundary" : `pattern ${pattern}`;
    this.#refusedByBoundary = true;
    this.#decision = { verdict: "deny", rule: { name, file: "boundary" }, reason: error.message, grantable: false };
    if (path !== undefined) this.#facing = { ...this.#facing, paths: [path] };
    return true;
  }

  answered(answer: string): void {
    this.#gate.record({ kind: "decision", ...this.#which(), ...this.#verdict(), ...this.#facing, answer });
  }

  /** Gives why it is not on record. */
  end(outcome: "ok" | "error" | "cancelled" | "refused", reason?: string, code?: string): string | undefined {
    try {
      const failed = this.#end(outcome, reason, code);
      return failed === undefined ? undefined : messageOf(failed);
    } catch (error) {
      return messageOf(error);
    }
  }

  #end(outcome: "ok" | "error" | "cancelled" | "refused", reason?: string, code?: string): unknown {
    if (this.#ended) return undefined;
    this.#ended = true;
    const durationMs = Math.round((performance.now() - this.#startedAt) * 1000) / 1000;
    const plain = this.#tool.readOnly && outcome === "ok";
    if (plain && this.#decision === undefined) {
      // Most calls: nothing to tie together, no rule to name, nothing changed.
      const { session, tool } = this.#who();
      this.#gate.recordSoon({
        kind: "outcome",
        session,
        tool,
        verdict: "allow",
        arguments: this.#args,
        outcome,
        durationMs,
      });
      return undefined;
    }
    const { timedOut, environment, ...facts } = this.#facts;
    const event: AuditEvent = {
      kind: "outcome",
      ...this.#which(),
      ...this.#facing,
      // The decision of a command has a line of its own; what the boundary refused afterwards stands in this one.
      ...(this.#facing.command === undefined
        ? { ...this.#verdict(), arguments: this.#args }
        : this.#refusedByBoundary
          ? this.#verdict()
          : {}),
      outcome: timedOut === true ? "timeout" : outcome,
      durationMs,
      ...facts,
      ...(environment === undefined ? {} : { environment }),
      ...(code === undefined ? {} : { code }),
      ...(reason === undefined || reason === "" ? {} : { reason }),
    };
    if (!plain) return this.#gate.recordDone(event);
    this.#gate.recordSoon(event);
    return undefined;
  }

  #who() {
    return { session: this.#session.handle.slice(0, 12), tool: `${this.#gate.alias}.${this.#tool.name}` };
  }

  /** Ties the lines of one call together. */
  #which() {
    this.#id ??= crypto.randomUUID();
    return { ...this.#who(), call: this.#id };
  }

  #verdict() {
    if (this.#decision === undefined) return { verdict: "allow" as const, rule: "default" };
    return { verdict: this.#decision.verdict, rule: nameOfRule(this.#decision.rule) };
  }
}

/** Without it a record cannot be written for reasons we know; anything else is a bug, for the caller to report. */
function messageOf(error: unknown): string {
  if (error instanceof BosunError) return error.message;
  throw error;
}
