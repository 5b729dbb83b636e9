// The one judge of names and contacts: rules first, then what people have answered.
import { isIP } from "node:net";
import { hostname } from "node:os";
import { normaliseHost } from "@bosun/platform/hosts";
import { USUAL_PORTS } from "../rules/network-rule.ts";
import type { RuleSet } from "../rules/rule-set.ts";
import type { Target } from "../rules/network-rule.ts";
import type { HostQuestions } from "./host-questions.ts";

export type UnknownHosts = "ask" | "deny";

export type NameVerdict =
  | { readonly kind: "given"; readonly host: string; readonly ports: readonly number[] }
  /** Without a reason: such a name is nobody's, and no news. */
  | { readonly kind: "refused"; readonly host?: string; readonly reason?: string; readonly rule?: string };

export type ContactVerdict =
  | {
      readonly kind: "allowed";
      readonly rule?: string;
      readonly answer?: string;
      readonly target?: Target | undefined;
      readonly isOwnSetting: boolean;
    }
  | { readonly kind: "refused"; readonly reason: string; readonly rule?: string }
  | { readonly kind: "ask" };

export class HostJudge {
  readonly #rules: RuleSet;
  readonly #questions: HostQuestions;
  readonly #unknown: UnknownHosts;

  constructor(rules: RuleSet, questions: HostQuestions, unknown: UnknownHosts) {
    this.#rules = rules;
    this.#questions = questions;
    this.#unknown = unknown;
  }

  /** Of a name in a DNS question. Nothing is asked upstream here: a lookup carries no data out. */
  async judgeName(asked: string): Promise<NameVerdict> {
    const host = normaliseHost(asked);
    if (host === undefined || host.startsWith("[") || isIP(host) !== 0) return { kind: "refused" };
    // Who an address belongs to, and where this machine is: programs do without, and nobody need hear of it.
    if (host.endsWith(".arpa") || host === hostname().toLowerCase()) return { kind: "refused" };
    if (!host.includes(".") && !this.#rules.isAlias(host)) {
      return {
        kind: "refused",
        host,
        reason: "a host has at least one dot; a rule such as NAME=ADDRESS:PORT gives it one",
      };
    }
    const verdict = await this.#rules.forName(host);
    if (verdict.kind === "denied") return { kind: "refused", host, reason: denied(verdict.rule), rule: verdict.rule };
    const ports = [...new Set([...(await this.#rules.portsOf(host)), ...USUAL_PORTS])];
    if (verdict.kind === "allowed") return { kind: "given", host, ports };
    if (ports.some((port) => this.#questions.standing(host, port).kind === "allowed"))
      return { kind: "given", host, ports };
    const refusal = this.#questions.refusalOf(host, ports);
    if (refusal !== undefined) return { kind: "refused", host, reason: refusal };
    return this.#unknown === "ask"
      ? { kind: "given", host, ports }
      : { kind: "refused", host, reason: unknownHost(host) };
  }

  /** Of a connection: rules may have changed since the name was looked up, and they speak of ports. */
  async judgeContact(host: string, port: number): Promise<ContactVerdict> {
    const verdict = await this.#rules.forContact(host, port);
    if (verdict.kind === "denied") return { kind: "refused", reason: denied(verdict.rule), rule: verdict.rule };
    if (verdict.kind === "allowed") return verdict;
    const standing = this.#questions.standing(host, port);
    if (standing.kind === "allowed") return { kind: "allowed", answer: standing.answer, isOwnSetting: false };
    if (standing.kind === "refused") return standing;
    return this.#unknown === "ask" ? { kind: "ask" } : { kind: "refused", reason: unknownHost(host, port) };
  }
}

/** Of the rules for a host at the usual ports. */
export function unknownHost(host: string, port?: number): string {
  const rule = port === undefined || USUAL_PORTS.includes(port) ? host : `${host}:${port}`;
  return `no rule allows it; the person can start with --allow-net ${rule}`;
}

function denied(rule: string): string {
  return rule.includes("=") ? `the rule ${rule} opens one port only` : `--deny-net ${rule}`;
}
