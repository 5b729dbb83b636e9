// What a judgement is: allow, ask or deny, with the rule that decided and what it decided on.

export type Verdict = "allow" | "ask" | "deny";

/** Where a rule stands, so that a person can find and change it. */
export type RuleSource = {
  /** The rule's name, or the setting it comes from. */
  readonly name: string;
  /** The file, the flag, or `BUILT_IN`. */
  readonly file: string;
  readonly line?: number;
};

export type Decision = {
  readonly verdict: Verdict;
  readonly rule: RuleSource;
  /** One sentence for the person and the model. */
  readonly reason: string;
  /** The command, path or argument that decided, as text; not yet made safe for a screen. */
  readonly part?: string;
  /**
   * Only for "ask": whether a remembered approval of the tool answers it. Rules about commands, arguments or paths
   * ask about this very call, which an approval of "the tool with any arguments" has not seen.
   */
  readonly grantable: boolean;
  /** A line of the settings asks about exactly this tool: an approval of its whole server is less specific. */
  readonly needsToolGrant?: boolean;
};

/** Where a rule stands that no person wrote. */
export const BUILT_IN = "built in";

const STRICTNESS: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 };

export function isStricter(left: Verdict, right: Verdict): boolean {
  return STRICTNESS[left] > STRICTNESS[right];
}

/** `no push (config.toml:12)` */
export function nameOfRule(rule: RuleSource): string {
  const place = rule.line === undefined ? rule.file : `${rule.file}:${rule.line}`;
  return `${rule.name} (${place})`;
}
