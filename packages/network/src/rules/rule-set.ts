// What the rules say about a host and a port. A denial beats everything; then the nearest rule speaks.
import { isIP } from "node:net";
import { isLoopback } from "@bosun/platform/hosts";
import { USUAL_PORTS } from "./network-rule.ts";
import type { PresetHosts } from "../presets/preset-hosts.ts";
import type { NetworkRule, Target } from "./network-rule.ts";

export type RuleVerdict =
  | {
      readonly kind: "allowed";
      readonly rule: string;
      /** An alias: where it leads. */
      readonly target?: Target | undefined;
      /** The person's own configuration names it: a private address is meant, too. */
      readonly isOwnSetting: boolean;
    }
  | { readonly kind: "denied"; readonly rule: string }
  | { readonly kind: "unknown" };

type HostRule = Extract<NetworkRule, { kind: "host" }>;
type AliasRule = Extract<NetworkRule, { kind: "alias" }>;
type PresetRule = Extract<NetworkRule, { kind: "preset" }>;

export class RuleSet {
  readonly #allowed: Sorted;
  readonly #denied: Sorted;
  readonly #presets: PresetHosts;

  constructor(allow: readonly NetworkRule[], deny: readonly NetworkRule[], presets: PresetHosts) {
    this.#allowed = sort(allow);
    this.#denied = sort(deny);
    this.#presets = presets;
  }

  /** Of a name, whatever the port: allowed when some port is, denied when every port is. */
  async forName(host: string): Promise<RuleVerdict> {
    const denial = this.#denied.hosts.find((rule) => rule.ports === undefined && matches(rule, host));
    if (denial !== undefined) return { kind: "denied", rule: denial.text };
    const [port] = await this.portsOf(host);
    if (port === undefined) return { kind: "unknown" };
    const found = await this.#nearest(host, undefined);
    return found ?? { kind: "unknown" };
  }

  async forContact(host: string, port: number): Promise<RuleVerdict> {
    const denial = await this.#denial(host, port);
    if (denial !== undefined) return { kind: "denied", rule: denial };
    const found = await this.#nearest(host, port);
    if (found !== undefined) return found;
    // The name exists by the alias alone: there is nothing behind it at another port, and nobody to ask about.
    const alias = this.#allowed.aliases.find((rule) => rule.host === host);
    return alias === undefined ? { kind: "unknown" } : { kind: "denied", rule: alias.text };
  }

  isAlias(host: string): boolean {
    return this.#allowed.aliases.some((rule) => rule.host === host);
  }

  /** The ports that rules name for a host. */
  async portsOf(host: string): Promise<readonly number[]> {
    const { aliases, hosts } = this.#allowed;
    const presets = await this.#ofPresets(this.#allowed.presets);
    return [
      ...new Set([
        ...aliases.filter((rule) => rule.host === host).map(({ port }) => port),
        ...hosts.filter((rule) => matches(rule, host)).flatMap(({ ports }) => ports ?? USUAL_PORTS),
        ...presets.filter((each) => each.host === host).map(({ port }) => port),
      ]),
    ];
  }

  /** Asks the tools now, so that the first name need not wait for them. */
  async prepare(): Promise<void> {
    await Promise.all([this.#ofPresets(this.#allowed.presets), this.#ofPresets(this.#denied.presets)]);
  }

  /** The addresses of this machine that a person's tools are configured for. */
  async loopbackTargets(): Promise<readonly Target[]> {
    const presets = await this.#ofPresets(this.#allowed.presets);
    return presets.flatMap(({ host, port, isOwnSetting }) => {
      const isMeant = isOwnSetting && isLoopback(host) && !host.startsWith("[");
      return isMeant ? [{ address: isIP(host) === 4 ? host : "127.0.0.1", port }] : [];
    });
  }

  /** As a person reads them. */
  get texts(): readonly string[] {
    const { aliases, hosts, presets } = this.#allowed;
    return [...aliases, ...hosts, ...presets].map(({ text }) => text);
  }

  async #denial(host: string, port: number): Promise<string | undefined> {
    const denied = this.#denied.hosts.find(
      (rule) => matches(rule, host) && (rule.ports === undefined || rule.ports.includes(port)),
    );
    if (denied !== undefined) return denied.text;
    const presets = await this.#ofPresets(this.#denied.presets);
    return presets.find((each) => each.host === host && each.port === port)?.preset;
  }

  async #nearest(host: string, port: number | undefined): Promise<RuleVerdict | undefined> {
    const isPort = (ports: readonly number[]): boolean => port === undefined || ports.includes(port);
    const { aliases, hosts, presets } = this.#allowed;
    const alias = aliases.find((rule) => rule.host === host && isPort([rule.port]));
    if (alias !== undefined) return { kind: "allowed", rule: alias.text, target: alias.target, isOwnSetting: true };
    const fitting = hosts.filter((rule) => matches(rule, host) && isPort(rule.ports ?? USUAL_PORTS));
    const rule = fitting.find(({ isWildcard }) => !isWildcard) ?? fitting[0];
    // Before the written rule: a mirror at a private address stays one when somebody names it twice.
    const named = (await this.#ofPresets(presets)).filter((each) => each.host === host && isPort([each.port]));
    const preset = named.find(({ isOwnSetting }) => isOwnSetting) ?? named[0];
    if (rule === undefined && preset === undefined) return undefined;
    const isOwnSetting = preset?.isOwnSetting === true;
    return { kind: "allowed", rule: rule?.text ?? preset?.preset ?? "", isOwnSetting };
  }

  async #ofPresets(rules: readonly PresetRule[]): ReturnType<PresetHosts["of"]> {
    const all = await Promise.all(rules.map(({ name }) => this.#presets.of(name)));
    return all.flat();
  }
}

type Sorted = {
  readonly hosts: readonly HostRule[];
  readonly aliases: readonly AliasRule[];
  readonly presets: readonly PresetRule[];
};

function sort(rules: readonly NetworkRule[]): Sorted {
  return {
    hosts: rules.filter((rule) => rule.kind === "host"),
    aliases: rules.filter((rule) => rule.kind === "alias"),
    presets: rules.filter((rule) => rule.kind === "preset"),
  };
}

function matches(rule: HostRule, host: string): boolean {
  return rule.isWildcard ? host.endsWith(`.${rule.host}`) : host === rule.host;
}
