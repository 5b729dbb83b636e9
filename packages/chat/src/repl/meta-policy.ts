// `:policy`, `:allow`, `:ask`, `:deny`: what runs without asking, where that comes from, and changing it.
import { describeGrant, nameOfRule } from "@bosun/policy";
import { isMode, MODE_NAMES, MODES, openKeptModes } from "../approval/modes.ts";
import { safeLine } from "../screen/terminal-view.ts";
import { displayName } from "../tools/tool-names.ts";
import type { Repl } from "./repl.ts";
import { saveApproval } from "../settings/edit-settings-file.ts";

export function policyCommand(repl: Repl): void {
  const { approvalPolicy } = repl.program.chat;
  const rules = [...approvalPolicy.rules.toolRules, ...approvalPolicy.rules.commandRules].map(
    (rule) => `${rule.verdict.padEnd(6)} ${nameOfRule(rule.source)}`,
  );
  const grants = approvalPolicy.approvals
    .list()
    .map((grant) => `${grant.verdict.padEnd(6)} ${describeGrant(grant)} (you, ${grant.since.slice(0, 10)})`);
  const asks = approvalPolicy.sessionAsks.map((name) => `ask    ${name} (this session)`);
  const lines = [...rules, ...grants, ...asks].map((line) => safeLine(line, 300));
  repl.terminal.line([...(lines.length === 0 ? ["no rules"] : lines), "everything else asks"].join("\n"));
}

/** `:mode`, `:mode edits`, `:mode edits --keep`. */
export function modeCommand(repl: Repl, rest: string): void {
  const { program, terminal, view } = repl;
  const { approvalPolicy } = program.chat;
  const [name = "", ...flags] = rest.split(/\s+/);
  if (name === "") {
    const lines = MODE_NAMES.map(
      (mode) => `${mode === approvalPolicy.mode ? "*" : " "} ${mode.padEnd(10)} ${MODES[mode]}`,
    );
    return terminal.line([...lines, "  :mode NAME for this session, :mode NAME --keep for this folder"].join("\n"));
  }
  if (!isMode(name))
    return view.problem(`there is no mode ${JSON.stringify(safeLine(name))} (there are: ${MODE_NAMES.join(", ")})`);
  approvalPolicy.mode = name;
  const isKept = flags.includes("--keep");
  if (isKept) openKeptModes(program.loaded.folders.state).keep(program.io.cwd(), name);
  view.status(`mode ${name}${isKept ? ", kept for this folder" : ""}: ${MODES[name]}`);
}

export function setPolicy(repl: Repl, verdict: "allow" | "ask" | "deny", name: string): void {
  const { approvalPolicy, servers } = repl.program.chat;
  const [pattern = "", ...flags] = name.split(/\s+/);
  if (pattern === "") return repl.view.problem(`give a tool: :${verdict} alias.tool`);
  const isServer = pattern.endsWith(".*");
  const tools = servers
    .tools()
    .filter((tool) => (isServer ? tool.alias === pattern.slice(0, -2) : displayName(tool) === pattern));
  const [first] = tools;
  const server = first === undefined ? undefined : servers.get(first.alias);
  if (first === undefined || server === undefined)
    return repl.view.problem(`no tool that is connected matches "${safeLine(pattern)}"`);
  if (verdict === "ask") {
    for (const tool of tools) approvalPolicy.setAsk(displayName(tool));
    return repl.view.status(`asked about from now on in this session: ${pattern}`);
  }
  if (verdict === "deny") {
    for (const tool of tools) approvalPolicy.setForSession(tool, server, "deny");
    return repl.view.status(`denied for this session: ${pattern}`);
  }
  if (flags.includes("--save")) {
    const { loaded } = repl.program;
    const file = loaded.file ?? `${loaded.folders.config}/config.toml`;
    saveApproval(file, pattern);
    repl.view.status(`allowed from now on: ${pattern} (in ${file})`);
  }
  const outcome = approvalPolicy.setForSession(first, server, isServer ? "allow-server" : "allow-tool");
  if (outcome.kind === "denied") return repl.view.problem(`${pattern}: ${outcome.reason}`);
  repl.view.status(`allowed: ${outcome.scope}  (:policy shows and :ask undoes; for good: :allow N --save)`);
}
