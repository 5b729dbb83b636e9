// May this call run? The guard decides; here its inputs come together: settings, flags, what this session said, what the
// tool claims, what the conversation has heard. A person's answer is bound to the very call that was shown.
import { approvalCall, BUILT_IN, createTaint, authorizeCall, judge } from "@bosun/policy";
import { policyOfSettings, unmatchedRules } from "@bosun/settings";
import type {
  Answer,
  Approvals,
  Ask,
  CallToAuthorize,
  Decision,
  Outcome,
  Policy,
  Resolution,
  ParseShell,
  ToolName,
  Taint,
} from "@bosun/policy";
import type { Settings } from "@bosun/settings";
import type { JsonObject } from "@bosun/mcp";
import type { Server } from "../servers/mcp-server.ts";
import { MODES, verdictOf } from "./modes.ts";
import type { Mode } from "./modes.ts";
import { displayName } from "../tools/tool-names.ts";
import type { ToolInfo } from "../tools/tool-info.ts";

export type FlagRules = { allow: readonly string[]; deny: readonly string[] };

export type ApprovalPolicyOptions = {
  settings: Settings;
  settingsFile: string;
  flags: FlagRules;
  approvals: Approvals;
  cwd: string;
  home: string;
};

const ONLY_READS = "only reads of this folder run in this mode";

/** How rules see what runs in the shell; the alias is reserved. */
const COMMAND_TOOL: ToolName = { alias: "aish", tool: "cmd" };

export class ApprovalPolicy {
  readonly #policy: Policy;
  readonly #approvals: Approvals;
  readonly #taint: Taint | undefined;
  /** `:ask N`: asks in this session whatever the rules say. */
  readonly #asks = new Set<string>();

  /** What runs unasked where no rule of a person's speaks. */
  mode: Mode = "ask";

  constructor(options: ApprovalPolicyOptions) {
    this.#policy = policyOfSettings(withFlags(options.settings, options.flags), options.settingsFile, {
      fallback: "ask",
      workdir: options.cwd,
      home: options.home,
    });
    this.#approvals = options.approvals;
    this.#taint = options.settings.approvals.taint ? createTaint() : undefined;
  }

  /** Denied by a rule whatever the arguments: such a tool is not even offered. */
  isOffered(tool: ToolInfo, server: Server): boolean {
    return this.decide(tool, server, {}).kind !== "deny";
  }

  decide(tool: ToolInfo, server: Server, args: JsonObject): Resolution {
    const call = this.#call(tool, server, args);
    const resolution = authorizeCall({ policy: this.#policy, approvals: this.#approvals, ...this.#withTaint() }, call);
    if (resolution.kind === "deny") return resolution;
    const byMode = verdictOf(this.mode, tool, server);
    if (byMode === "deny") return { kind: "deny", decision: this.#modeDecision("deny", ONLY_READS) };
    const isAskedFor = this.#asks.has(displayName(tool));
    // A rule that a person wrote says more than a preset.
    const isUnruled = resolution.kind === "ask" && resolution.decision.rule.file === BUILT_IN;
    if (byMode === "allow" && isUnruled && !isAskedFor)
      return { kind: "allow", decision: this.#modeDecision("allow", MODES[this.mode]) };
    if (resolution.kind !== "allow" || !isAskedFor) return resolution;
    const decision: Decision = {
      verdict: "ask",
      rule: { name: ":ask", file: "this session" },
      reason: "you asked to be asked",
      grantable: false,
    };
    const considered = this.#approvals.consider(approvalCall(call), decision, isDestructive(tool, server));
    return considered.kind === "ask" ? { kind: "ask", decision, ask: considered.ask } : resolution;
  }

  /** The person's word on exactly this call. */
  answer(ask: Ask, tool: ToolInfo, server: Server, args: JsonObject, answer: Answer): Outcome {
    return this.#approvals.answer(ask, approvalCall(this.#call(tool, server, args)), answer);
  }

  /** A `CMD:` line: every part of it, by the rules about commands and paths. Nothing here runs it unasked. */
  async judgeCommand(command: string, cwd: string): Promise<Decision> {
    const { parseShell } = await import("@bosun/engine/shell"); // a grammar is large: loaded with the first command
    const parse: ParseShell = (text) => {
      const syntax = parseShell(text);
      if (syntax.kind === "unparsable") return { commands: [{ kind: "unparsable", reason: syntax.reason }] };
      return { commands: syntax.commands, defines: syntax.defines };
    };
    if (this.mode === "read-only") return this.#modeDecision("deny", ONLY_READS);
    return judge(this.#policy, { tool: COMMAND_TOOL, shell: parse(command), cwd }, { parse });
  }

  /** A result of this server is in the conversation now. */
  taintByServer(server: Server): void {
    this.taintBy(server.alias, server.config.trust);
  }

  /** The same for words that came otherwise: from a command, or from a session that goes on. */
  taintBy(source: string, isTrusted = false): void {
    this.#taint?.heard(source, isTrusted);
  }

  clearTaint(): void {
    this.#taint?.clear();
  }

  /** `:allow`, `:deny`: for this session, without a call at hand. */
  setForSession(tool: ToolInfo, server: Server, verdict: "allow-tool" | "allow-server" | "deny"): Outcome {
    const call = approvalCall(this.#call(tool, server, {}));
    const decision: Decision = {
      verdict: "ask",
      rule: { name: "session", file: "a person" },
      reason: "",
      grantable: true,
    };
    this.#asks.delete(displayName(tool));
    this.#approvals.forget(displayName(tool));
    const considered = this.#approvals.consider(call, decision, false);
    if (considered.kind !== "ask") return { kind: "allowed", scope: "already" };
    if (verdict === "deny") return this.#approvals.answer(considered.ask, call, { kind: "deny-session" });
    const scope = verdict === "allow-tool" ? "tool" : "server";
    return this.#approvals.answer(considered.ask, call, { kind: "session", scope });
  }

  setAsk(name: string): void {
    this.#approvals.forget(name);
    this.#asks.add(name);
  }

  get sessionAsks(): readonly string[] {
    return [...this.#asks];
  }

  get approvals(): Approvals {
    return this.#approvals;
  }

  get rules(): Policy {
    return this.#policy;
  }

  /** Rules that match no tool of any server that is connected: a slip of the pen, or a deny that never bites. */
  unmatched(tools: readonly ToolInfo[]): string[] {
    return unmatchedRules(this.#policy, tools).map((rule) => rule.name);
  }

  #modeDecision(verdict: "allow" | "deny", reason: string): Decision {
    return { verdict, rule: { name: `mode ${this.mode}`, file: BUILT_IN }, reason, grantable: false };
  }

  #withTaint(): { taint?: Taint } {
    return this.#taint === undefined ? {} : { taint: this.#taint };
  }

  #call(tool: ToolInfo, server: Server, args: JsonObject): CallToAuthorize {
    return {
      tool: { alias: tool.alias, tool: tool.tool },
      arguments: args,
      server: server.identity,
      definition: tool.definition,
      isDestructive: isDestructive(tool, server),
      sends: server.config.sends,
    };
  }
}

/** The tool says so, or says nothing although its neighbours say they only read. */
export function isDestructive(tool: ToolInfo, server: Server): boolean {
  const { destructive, readOnly } = tool.annotations;
  if (destructive === true) return true;
  if (readOnly !== undefined || destructive === false) return false;
  return server.tools.some((other) => other !== tool && other.annotations.readOnly !== undefined);
}

function withFlags(settings: Settings, flags: FlagRules): Settings {
  const rule = (text: string, verdict: "allow" | "deny") => ({
    pattern: { text, file: `--${verdict}`, line: 1 },
    verdict,
  });
  const more = [...flags.allow.map((text) => rule(text, "allow")), ...flags.deny.map((text) => rule(text, "deny"))];
  return { ...settings, mcp: { ...settings.mcp, autoApprove: [...settings.mcp.autoApprove, ...more] } };
}
