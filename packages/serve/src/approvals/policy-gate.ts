// What stands between a call and its tool: rules, answers of people, and the record of it all. Made once, from the settings.
import { authorizeCall, definitionHash, openApprovals, openAudit, serverIdentity } from "@bosun/policy";
import type { Redactor } from "@bosun/platform/secrets";
import type { Approvals, Audit, AuditEvent, CallToAuthorize, ParseShell, Policy, Resolution } from "@bosun/policy";
import type { Session } from "@bosun/engine";
import type { JsonObject } from "@bosun/mcp/server";

/** How long the record of a call that changed nothing may wait, and how many may wait together. */
const SOON_MS = 50;
const MAX_WAITING = 2000;
export type PolicyGateOptions = {
  readonly policy: Policy;
  readonly alias: string;
  readonly stateFolder: string;
  /** undefined: the settings switch the record off. */
  readonly audit:
    { readonly folder: string; readonly maxBytes: number; readonly keep: number; readonly sync: boolean } | undefined;
  readonly redactor: Redactor;
  /** Where a person would change a rule. */
  readonly settingsFile: string;
  readonly remember: "once" | "session" | "always";
};

export class PolicyGate {
  readonly policy: Policy;
  readonly alias: string;
  readonly settingsFile: string;
  /** Questions that a person has not answered yet. */
  openQuestions = 0;
  readonly #options: PolicyGateOptions;
  #server: string | undefined;
  readonly #approvals = new WeakMap<Session, Approvals>();
  readonly #definitions = new Map<string, string>();
  #parse: ParseShell | undefined;
  #audit: Audit | undefined;
  #waiting: AuditEvent[] = [];
  #timer: Timer | undefined;
  /** What waits could not be written when it was tried. */
  #failing = false;

  constructor(options: PolicyGateOptions) {
    this.#options = options;
    this.policy = options.policy;
    this.alias = options.alias;
    this.settingsFile = options.settingsFile;
  }

  /** Some rule could concern a call that only reads: then its paths have to be resolved and judged. */
  get judgesReads(): boolean {
    const { toolRules, pathRules, fallback } = this.policy;
    return toolRules.length > 0 || pathRules.length > 0 || fallback !== "allow";
  }

  /** For what reads commands. The grammar is large: a server without rules about them never loads it. */
  get parse(): ParseShell {
    if (this.#parse === undefined) throw new Error("the shell grammar is not loaded");
    return this.#parse;
  }

  get readsCommands(): boolean {
    return this.#parse !== undefined;
  }

  async loadGrammar(): Promise<void> {
    this.#parse ??= (await import("./parse-for-policy.ts")).parse;
  }

  /** `isShared`: several clients may stand behind the session; then no answer is remembered. */
  decide(session: Session, call: CallToAuthorize, isShared: boolean): Resolution {
    const judging = { policy: this.policy, approvals: this.approvalsOf(session, isShared) };
    return authorizeCall(judging, call, this.#parse === undefined ? {} : { parse: this.#parse });
  }

  /** Answers for "this session" are one client's: another never profits from them. */
  approvalsOf(session: Session, isShared: boolean): Approvals {
    let approvals = this.#approvals.get(session);
    if (approvals === undefined) {
      const remember = isShared ? "once" : this.#options.remember;
      approvals = openApprovals({ stateFolder: this.#options.stateFolder, remember });
      this.#approvals.set(session, approvals);
    }
    return approvals;
  }

  get server(): string {
    return (this.#server ??= serverIdentity({ builtin: "bosun serve" }));
  }

  definitionOf(tool: { name: string; description: string; input: { json: JsonObject } }): string {
    let hash = this.#definitions.get(tool.name);
    if (hash === undefined) {
      hash = definitionHash({ name: tool.name, description: tool.description, inputSchema: tool.input.json });
      this.#definitions.set(tool.name, hash);
    }
    return hash;
  }

  /** Before anything runs. Throws BosunError when what comes could not be recorded, or what was done before still is not. */
  ready(): void {
    if (this.#opened() !== undefined && this.#failing) this.#flush();
  }

  /** In the file when this returns. Throws BosunError when it cannot be written: then nothing may run. */
  record(event: AuditEvent): void {
    const audit = this.#opened();
    if (audit === undefined) return;
    this.#flush();
    audit.append(event);
  }

  /** Of what is done and cannot be undone: in the file when this returns, or why not. It is then tried again before the next call. */
  recordDone(event: AuditEvent): unknown {
    try {
      if (this.#opened() === undefined) return undefined;
      // During a long outage every call is refused: so many refusals are kept for later.
      if (this.#waiting.length < MAX_WAITING) this.#waiting.push(event);
      this.#flush();
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /** In the file very soon: for calls that changed nothing, which would otherwise spend most of their time here. */
  recordSoon(event: AuditEvent): void {
    if (this.#opened() === undefined) return;
    this.#waiting.push(event);
    if (this.#waiting.length >= MAX_WAITING) this.#flush();
    else this.#timer ??= setTimeout(() => this.#quietly(() => this.#flush()), SOON_MS);
  }

  close(): void {
    this.#quietly(() => this.#flush());
    this.#audit?.close();
    this.#audit = undefined;
  }

  #opened(): Audit | undefined {
    const { audit, redactor } = this.#options;
    if (audit === undefined) return undefined;
    this.#audit ??= openAudit({ ...audit, redactor });
    return this.#audit;
  }

  /** What could not be written goes on waiting. */
  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#failing = true;
    this.#audit?.appendAll(this.#waiting);
    this.#waiting = [];
    this.#failing = false;
  }

  #quietly(work: () => void): void {
    try {
      work();
    } catch {
      // the next call tries again, and is refused if it still cannot be written
    }
  }
}
