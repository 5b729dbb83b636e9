// The whole way of one call: rules, then what the session denied, then taint, then what was remembered, then a question.
// The tool server and the chat go this way; neither decides on its own. The proxy passes calls on: its server or its client
// decides, and it holds back changed tool definitions (pins).
import type { ApprovalCall, Approvals, Ask, Grant } from "./approvals.ts";
import { describeGrant } from "./approvals.ts";
import type { Decision } from "../rules/decision.ts";
import { judge, type Call, type JudgeOptions } from "../rules/judge.ts";
import type { Policy } from "../rules/policy.ts";
import type { Taint } from "./taint.ts";

export type Deciders = {
  readonly policy: Policy;
  readonly approvals: Approvals;
  /** undefined: the setting `approvals.taint` is off. */
  readonly taint?: Taint;
};

export type CallToAuthorize = Call & {
  readonly server: string;
  readonly definition: string;
  /** What the tool says of itself. Hints never allow anything; this one makes offers smaller. */
  readonly isDestructive?: boolean;
  /** It can send data off this machine: a remote server, or a command that connects. */
  readonly sends?: boolean;
  readonly context?: unknown;
};

export type Resolution =
  | { readonly kind: "allow"; readonly decision: Decision; readonly grant?: Grant }
  | { readonly kind: "deny"; readonly decision: Decision }
  | { readonly kind: "ask"; readonly decision: Decision; readonly ask: Ask };

export function authorizeCall(deciders: Deciders, call: CallToAuthorize, options: JudgeOptions = {}): Resolution {
  const judged = judge(deciders.policy, call, options);
  if (judged.verdict === "deny") return { kind: "deny", decision: judged };
  const asked = approvalCall(call);
  const refusal = deciders.approvals.refusal(asked);
  if (refusal !== undefined) return { kind: "deny", decision: refusedBy(refusal) };
  const decision = deciders.taint?.apply(judged, { alias: call.tool.alias, sends: call.sends ?? false }) ?? judged;
  if (decision.verdict === "allow") return { kind: "allow", decision };
  const considered = deciders.approvals.consider(asked, decision, call.isDestructive ?? false);
  if (considered.kind === "refused") return { kind: "deny", decision: refusedBy(considered.grant) };
  if (considered.kind === "ask") return { kind: "ask", decision, ask: considered.ask };
  return { kind: "allow", decision: grantedBy(considered.grant), grant: considered.grant };
}

/** The part of a call that an approval is bound to. */
export function approvalCall(call: CallToAuthorize): ApprovalCall {
  const { tool, server, definition, cwd, paths = [] } = call;
  return {
    tool,
    server,
    definition,
    arguments: call.arguments,
    context: {
      cwd: cwd ?? null,
      // Where they lead, not what they say: a link that is set to something else makes it another call.
      paths: paths.map(({ path, access, seen }) => ({ path, access, seen: seen ?? null })),
      more: call.context ?? null,
    },
  };
}

function refusedBy(grant: Grant): Decision {
  return {
    verdict: "deny",
    rule: { name: "denied for this session", file: "a person" },
    reason: `${grant.name} was refused on ${grant.since}`,
    grantable: false,
  };
}

function grantedBy(grant: Grant): Decision {
  return {
    verdict: "allow",
    rule: { name: "approved", file: "a person" },
    reason: describeGrant(grant),
    grantable: false,
  };
}
