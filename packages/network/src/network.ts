// The network of a server's sandboxed commands: rules that hold for all sessions, and the sessions.
import { systemResolve } from "./addresses/resolve-host.ts";
import { findGateTools } from "./gate/gate-tools.ts";
import { gateFromSources } from "./gate/gate-process.ts";
import { LIMITS } from "./limits.ts";
import { PresetHosts } from "./presets/preset-hosts.ts";
import { RuleSet } from "./rules/rule-set.ts";
import { NetworkSession } from "./session/network-session.ts";
import type { Resolve } from "./addresses/resolve-host.ts";
import type { GateProgram } from "./gate/gate-process.ts";
import type { Limits } from "./limits.ts";
import type { PersonOptions } from "./presets/run-tool.ts";
import type { NetworkRule } from "./rules/network-rule.ts";
import type { RecordEvent } from "./session/contact-record.ts";
import type { UnknownHosts } from "./session/host-judge.ts";
import type { HostApprovals } from "./session/host-questions.ts";
import type { SessionMeans, SessionOptions } from "./session/network-session.ts";

export type NetworkOptions = {
  readonly allow: readonly NetworkRule[];
  readonly deny: readonly NetworkRule[];
  readonly unknownHosts: UnknownHosts;
  /** Private (0700), and in no command's view: the sockets of gates lie there. A short path. */
  readonly folder: string;
  /** Whose tools are asked for their hosts. */
  readonly person: PersonOptions;
  readonly approvals: HostApprovals;
  /** Puts a contact on record before it happens; when it throws, the contact is refused. */
  readonly record: RecordEvent;
  readonly log: (message: string) => void;
  /** How an executable starts itself as a gate; from sources the package's own file is started. */
  readonly program?: GateProgram;
  readonly resolve?: Resolve;
  readonly limits?: Partial<Limits>;
  readonly now?: () => number;
};

export type Network = {
  /** As the server's instructions name them: at most twelve. */
  readonly rules: readonly string[];
  session(options: SessionOptions): NetworkSession;
  close(): void;
};

/** Or why hosts cannot be held apart here. */
export function openNetwork(options: NetworkOptions): Network | { readonly unusable: string } {
  const tools = findGateTools();
  if ("missing" in tools) return { unusable: adviceFor(tools.missing) };
  const limits = { ...LIMITS, ...options.limits };
  const rules = new RuleSet(options.allow, options.deny, new PresetHosts(options.person));
  const sessions = new Set<NetworkSession>();
  let connections = 0;
  let contacts = 0;
  const means: SessionMeans = {
    rules,
    unknownHosts: options.unknownHosts,
    approvals: options.approvals,
    gate: { tools, program: options.program ?? gateFromSources(), folder: options.folder },
    resolve: options.resolve ?? systemResolve,
    record: options.record,
    limits,
    now: options.now ?? (() => performance.now()),
    log: options.log,
    numberContact: () => (contacts += 1),
    takeConnection: () => {
      if (connections >= limits.serverConnections) return undefined;
      connections += 1;
      return () => {
        connections -= 1;
      };
    },
  };
  return {
    rules: rules.texts.slice(0, 12),
    session: (sessionOptions) => {
      const session = new NetworkSession(sessionOptions, means);
      sessions.add(session);
      return session;
    },
    close: () => {
      for (const session of sessions) session.close();
      sessions.clear();
    },
  };
}

function adviceFor(missing: "linux" | "bwrap" | "nsenter"): string {
  if (missing === "linux") return "hosts can be held apart on Linux only";
  const name = missing === "bwrap" ? "bubblewrap" : "util-linux (nsenter)";
  return `hosts cannot be held apart without ${missing}: install ${name}`;
}
