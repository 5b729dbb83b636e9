// A call that the rules, or the person who was asked, did not let through. Says which rule and what can be done about it.
import { nameOfRule } from "@bosun/guard";
import type { Decision } from "@bosun/guard";

export type RefusalKind = "denied" | "refused" | "unanswered" | "cannot ask";

export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly kind: RefusalKind;
  readonly rule: string;
  /** What was refused: a path, or the command or tool as such. */
  readonly about: "path" | "command";

  constructor(kind: RefusalKind, decision: Decision, message: string) {
    super(message);
    this.kind = kind;
    this.rule = nameOfRule(decision.rule);
    this.about = decision.part?.startsWith("/") === true && decision.reason.includes("path") ? "path" : "command";
  }
}
