// Questions to a person and their answers: bound to the very call that was shown, remembered per tool with its scope,
// void as soon as the tool's definition is another one.
import { digestOf, isObject } from "@bosun/platform/json";
import type { Decision } from "../rules/decision.ts";
import { displayName, type ToolName } from "../rules/tool-pattern.ts";
import { openStateFile, stateFileIn } from "@bosun/platform/private-files";

const MAX_REMEMBERED = 10_000;

/** A call as it will be sent. */
export type ApprovalCall = {
  readonly tool: ToolName;
  /** From `serverIdentity`. */
  readonly server: string;
  /** From `definitionHash`. */
  readonly definition: string;
  readonly arguments: unknown;
  /** What else decides its effect: working directory, environment names, the model's call id. */
  readonly context?: unknown;
};

export type Answer =
  | { readonly kind: "once" }
  | { readonly kind: "session"; readonly scope: "tool" | "server" }
  | { readonly kind: "always" }
  | { readonly kind: "deny"; readonly reason?: string }
  | { readonly kind: "deny-session"; readonly reason?: string };

export type Ask = {
  /** Each question can be answered once. */
  readonly id: string;
  /** SHA-256 of the whole call: what is run must have the same. */
  readonly digest: string;
  readonly name: string;
  readonly decision: Decision;
  /** The answers that may be offered, with what each would mean. */
  readonly offers: readonly Offer[];
  /** The tool was allowed before, under another definition. */
  readonly changedSince: string | undefined;
};

export type Offer = { readonly answer: Answer; readonly meaning: string };

export type Outcome =
  { readonly kind: "allowed"; readonly scope: string } | { readonly kind: "denied"; readonly reason: string };

export type Grant = {
  readonly verdict: "allow" | "deny";
  readonly scope: "tool" | "server";
  readonly lasts: "session" | "always";
  readonly name: string;
  readonly server: string;
  readonly tool: string | undefined;
  readonly definition: string | undefined;
  readonly since: string;
};

export type ApprovalOptions = {
  readonly stateFolder: string;
  readonly now?: () => Date;
  /** The longest an answer may hold (setting `approvals.remember`). */
  readonly remember?: "once" | "session" | "always";
};

export type Approvals = {
  /** A no that still holds, also against a rule that allows. */
  refusal(call: ApprovalCall): Grant | undefined;
  /** What holds for a call that the rules want asked: a remembered answer, or a question. */
  consider(
    call: ApprovalCall,
    decision: Decision,
    isDestructive?: boolean,
  ): { kind: "granted"; grant: Grant } | { kind: "refused"; grant: Grant } | { kind: "ask"; ask: Ask };
  /** Takes a person's answer. The call is the one about to run: if it is not the one that was shown, the answer is no. */
  answer(ask: Ask, call: ApprovalCall, answer: Answer): Outcome;
  /** Everything remembered, for `:policy`. */
  list(): readonly Grant[];
  forget(name: string): number;
};

export function callDigest(call: ApprovalCall): string {
  return digestOf({
    alias: call.tool.alias,
    tool: call.tool.tool,
    server: call.server,
    definition: call.definition,
    arguments: call.arguments ?? null,
    context: call.context ?? null,
  });
}

export function openApprovals(options: ApprovalOptions): Approvals {
  const now = options.now ?? (() => new Date());
  const remember = options.remember ?? "always";
  const store = openStateFile<readonly Grant[]>(stateFileIn(options.stateFolder, "approvals.json"), [], parseGrants);
  const session: Grant[] = [];
  const open = new Set<string>();
  const firstSeen = new Map<string, string>(); // definitions as this session met them, for grants of a whole server

  function find(call: ApprovalCall, needsToolGrant = false): Grant | undefined {
    const all = [...session, ...store.value].filter(
      (grant) => isAbout(grant, call) && (grant.verdict === "deny" || grant.scope === "tool" || !needsToolGrant),
    );
    return all.find(({ verdict }) => verdict === "deny") ?? all.find((grant) => isCurrent(grant, call, firstSeen));
  }

  function notice(call: ApprovalCall): void {
    const key = keyOf(call);
    if (!firstSeen.has(key) && firstSeen.size < MAX_REMEMBERED) firstSeen.set(key, call.definition);
  }

  function newId(): string {
    const id = crypto.randomUUID();
    open.add(id);
    // Questions nobody answers must not pile up: the oldest can no longer be answered.
    const [oldest] = open;
    if (open.size > MAX_REMEMBERED && oldest !== undefined) open.delete(oldest);
    return id;
  }

  function ask(call: ApprovalCall, decision: Decision, isDestructive: boolean): Ask {
    const lapsed = [...session, ...store.value].find(
      (grant) => grant.verdict === "allow" && isAbout(grant, call) && !isCurrent(grant, call, firstSeen),
    );
    return {
      id: newId(),
      digest: callDigest(call),
      name: displayName(call.tool),
      decision,
      offers: offersFor(call, decision, isDestructive, remember),
      changedSince: lapsed?.since,
    };
  }

  function keep(call: ApprovalCall, verdict: Grant["verdict"], scope: Grant["scope"], lasts: Grant["lasts"]): Grant {
    const isTool = scope === "tool";
    const grant: Grant = {
      verdict,
      scope,
      lasts,
      name: isTool ? displayName(call.tool) : `${call.tool.alias}.*`,
      server: call.server,
      tool: isTool ? call.tool.tool : undefined,
      definition: isTool ? call.definition : undefined,
      since: now().toISOString(),
    };
    if (lasts === "session") session.push(grant);
    else store.update((grants) => [...grants.filter((old) => !isSameScope(old, grant)), grant]);
    return grant;
  }

  return {
    refusal(call) {
      const grant = find(call);
      return grant?.verdict === "deny" ? grant : undefined;
    },
    consider(call, decision, isDestructive = false) {
      notice(call);
      const grant = find(call, decision.needsToolGrant);
      if (grant?.verdict === "deny") return { kind: "refused", grant };
      if (grant !== undefined && decision.verdict === "ask" && decision.grantable) return { kind: "granted", grant };
      return { kind: "ask", ask: ask(call, decision, isDestructive) };
    },
    answer(question, call, answer) {
      if (!open.delete(question.id)) return denied("this question was answered already");
      if (callDigest(call) !== question.digest) return denied("the call changed after it was shown");
      if (answer.kind === "deny") return denied(answer.reason ?? "the person said no");
      if (answer.kind === "deny-session") {
        keep(call, "deny", "tool", "session");
        return denied(answer.reason ?? "the person said no for this session");
      }
      if (!question.offers.some((offer) => isSameAnswer(offer.answer, answer)))
        return denied("this answer was not offered");
      if (answer.kind === "once") return { kind: "allowed", scope: "once" };
      const grant =
        answer.kind === "always" ? keep(call, "allow", "tool", "always") : keep(call, "allow", answer.scope, "session");
      return { kind: "allowed", scope: describeGrant(grant) };
    },
    list: () => [...session, ...store.value],
    forget(name) {
      const before = session.length + store.value.length;
      session.splice(0, session.length, ...session.filter((grant) => grant.name !== name));
      if (store.value.some((grant) => grant.name === name))
        store.update((grants) => grants.filter((grant) => grant.name !== name));
      return before - session.length - store.value.length;
    },
  };
}

/** `git.push, from now on` */
export function describeGrant(grant: Grant): string {
  const lasts = grant.lasts === "always" ? "from now on" : "for this session";
  const what =
    grant.scope === "server" ? `every tool of ${grant.name.slice(0, -2)}` : `${grant.name} with any arguments`;
  return `${what}, ${lasts}`;
}

function offersFor(
  call: ApprovalCall,
  decision: Decision,
  isDestructive: boolean,
  remember: "once" | "session" | "always",
): Offer[] {
  const name = displayName(call.tool);
  const offers: Offer[] = [{ answer: { kind: "once" }, meaning: `${name}, this call only` }];
  // A rule that asks about this very call would ask again at once: remembering would only teach people to press y.
  if (decision.grantable && remember !== "once") {
    offers.push({
      answer: { kind: "session", scope: "tool" },
      meaning: `${name} with any arguments, for this session`,
    });
    if (!isDestructive && !decision.needsToolGrant)
      offers.push({
        answer: { kind: "session", scope: "server" },
        meaning: `every tool of ${call.tool.alias}, for this session`,
      });
    if (!isDestructive && remember === "always")
      offers.push({ answer: { kind: "always" }, meaning: `${name} with any arguments, from now on` });
  }
  return offers;
}

function isSameScope(left: Grant, right: Grant): boolean {
  return left.server === right.server && left.tool === right.tool;
}

function isAbout(grant: Grant, call: ApprovalCall): boolean {
  return grant.server === call.server && (grant.tool === undefined || grant.tool === call.tool.tool);
}

function isCurrent(grant: Grant, call: ApprovalCall, firstSeen: ReadonlyMap<string, string>): boolean {
  return (grant.definition ?? firstSeen.get(keyOf(call))) === call.definition;
}

function keyOf(call: ApprovalCall): string {
  return `${call.server} ${call.tool.tool}`;
}

function isSameAnswer(left: Answer, right: Answer): boolean {
  if (left.kind === "session" && right.kind === "session") return left.scope === right.scope;
  return left.kind === right.kind;
}

function denied(reason: string): Outcome {
  return { kind: "denied", reason };
}

function parseGrants(value: unknown): readonly Grant[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const grants = value.map(parseGrant);
  return grants.every((grant) => grant !== undefined) ? grants : undefined;
}

function parseGrant(value: unknown): Grant | undefined {
  if (!isObject(value)) return undefined;
  const { verdict, name, server, tool, definition, since } = value;
  if (verdict !== "allow" && verdict !== "deny") return undefined;
  // "All of a server, from now on" can only be written into the settings: such an entry was not made by us.
  if (
    typeof name !== "string" ||
    typeof server !== "string" ||
    typeof tool !== "string" ||
    typeof definition !== "string" ||
    typeof since !== "string"
  )
    return undefined;
  return { verdict, scope: "tool", lasts: "always", name, server, tool, definition, since };
}
