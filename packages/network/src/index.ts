// The public names of network: rules, the network of a server, and what its sessions say.
export type { Resolve } from "./addresses/resolve-host.ts";
export type { BoundFile } from "./gate/gate-folder.ts";
export { type GateProgram, gateFromSources } from "./gate/gate-process.ts";
export { type GateTools, findGateTools } from "./gate/gate-tools.ts";
export { LIMITS, type Limits } from "./limits.ts";
export { type Network, type NetworkOptions, openNetwork } from "./network.ts";
export { NetworkError, type NetworkErrorCode } from "./network-error.ts";
export { type PresetHost, PresetHosts } from "./presets/preset-hosts.ts";
export { PRESETS } from "./presets/preset-names.ts";
export type { PersonOptions } from "./presets/run-tool.ts";
export type { NetworkRule, Target } from "./rules/network-rule.ts";
export { type ParsedRule, type RuleProblem, describeProblem, parseRule } from "./rules/parse-rule.ts";
export { type CallReport, type HostOutcome, type Outcome } from "./session/call-report.ts";
export type {
  ContactDecision,
  ContactEnd,
  ContactEndEvent,
  ContactEvent,
  NetworkEvent,
} from "./session/contact-events.ts";
export type { UnknownHosts } from "./session/host-judge.ts";
export type { Answered, AskHost, HostAnswer, HostApprovals, HostQuestion } from "./session/host-questions.ts";
export type { CommandNetwork, NetworkSession, SessionOptions } from "./session/network-session.ts";
export type { CallKind } from "./session/running-calls.ts";
