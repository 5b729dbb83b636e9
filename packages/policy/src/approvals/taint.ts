// After text from outside has entered the conversation, a call that sends data elsewhere asks even if it is allowed by
// default: the text may have asked for it. A rule that a person wrote holds all the same.
import { BUILT_IN, type Decision } from "../rules/decision.ts";

/** Whose words the conversation has heard. */
export type Taint = {
  /** A result came back. A server the settings trust does not taint. */
  heard(alias: string, isTrusted: boolean): void;
  /** The decision, or a question instead of an allow. */
  apply(decision: Decision, call: { readonly alias: string; readonly sends: boolean }): Decision;
  readonly sources: readonly string[];
  /** A new conversation. */
  clear(): void;
};

export function createTaint(): Taint {
  const sources = new Set<string>();
  return {
    heard(alias, isTrusted) {
      if (!isTrusted) sources.add(alias);
    },
    apply(decision, { alias, sends }) {
      // Sending back to where the words came from tells nobody anything new.
      const others = [...sources].filter((source) => source !== alias);
      if (decision.verdict !== "allow" || decision.rule.file !== BUILT_IN || !sends || others.length === 0)
        return decision;
      return {
        verdict: "ask",
        rule: { name: "approvals.taint", file: BUILT_IN },
        reason: `it sends data elsewhere, after text from ${others.join(", ")} was read (approvals.taint = false switches this question off)`,
        grantable: true,
      };
    },
    get sources() {
      return [...sources];
    },
    clear: () => sources.clear(),
  };
}
