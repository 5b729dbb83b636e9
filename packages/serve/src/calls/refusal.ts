// A call that the rules, or the person who was asked, did not let through. Says which rule and what can be done about it.
import path from "node:path";
import { nameOfRule, refusalText } from "@bosun/policy";
import type { Decision } from "@bosun/policy";

export type RefusalKind = "denied" | "refused" | "unanswered" | "cannot ask";

export type RefusalWords = {
  readonly settingsFile: string;
  readonly cannotAsk?: boolean;
  /** A sentence to end with. */
  readonly after?: string;
};

export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly kind: RefusalKind;
  readonly rule: string;
  /** What was refused: a path, or the command or tool as such. */
  readonly about: "path" | "command";
  readonly #decision: Decision;
  readonly #words: RefusalWords;

  constructor(kind: RefusalKind, decision: Decision, words: RefusalWords) {
    super(wordsOf(decision, words));
    this.kind = kind;
    this.rule = nameOfRule(decision.rule);
    this.about = decision.part?.startsWith("/") === true && decision.reason.includes("path") ? "path" : "command";
    this.#decision = decision;
    this.#words = words;
  }

  /** The same for a caller who is to learn no path of this machine: files by their names alone. */
  withoutHostPaths(): { readonly message: string; readonly rule: string } {
    const { part, rule, ...rest } = this.#decision;
    const named = { ...rule, file: path.basename(rule.file) };
    const decision = { ...rest, rule: named, ...(part === undefined || part.startsWith("/") ? {} : { part }) };
    const settingsFile = path.basename(this.#words.settingsFile);
    return { message: wordsOf(decision, { ...this.#words, settingsFile }), rule: nameOfRule(named) };
  }
}

function wordsOf(decision: Decision, { after, ...words }: RefusalWords): string {
  const said = refusalText(decision, words);
  return after === undefined ? said : `${said} ${after}`;
}
