// What is said at the start and once the servers have settled: who we talk to, who is there, which rules match nothing.
import type { Turn } from "../conversation/turn-types.ts";
import type { Program } from "../program.ts";
import { VERSION } from "@bosun/platform/version";
import { safeLine } from "../screen/terminal-view.ts";
import type { Server } from "../servers/mcp-server.ts";
import { displayName, nearest } from "../tools/tool-names.ts";
import { MANY_TOOLS } from "../turn/model-request.ts";
import { toolCount } from "./text-tables.ts";

export function banner({ chat }: Program): string {
  const { model } = chat;
  const tokens = model.window >= 1000 ? `${Math.round(model.window / 1024)}k` : String(model.window);
  const window = model.isWindowKnown ? tokens : "?";
  const where = model.name === "demo" ? "built-in demo, no model" : `${model.wire} at ${model.host}`;
  const talks = `model ${safeLine(model.name)} (${safeLine(where)})`;
  return `aish ${VERSION} · ${talks} · ctx ${window} · session ${chat.session}`;
}

export function stateOf(server: Server): string {
  const { alias, reason } = server;
  if (server.state === "ready") return `${alias} ready (${toolCount(server.tools.length)}, ${server.lastMs ?? 0} ms)`;
  if (server.state === "connecting") return `${alias} connecting…`;
  return server.state === "failed"
    ? `${alias} failed: ${reason} · :mcp connect ${alias} to retry`
    : `${alias} disconnected`;
}

/** Everything worth saying when all servers have settled. */
export function settledReport(program: Program): string[] {
  return [...unmatchedRules(program), ...largeLists(program), ...vanishedTools(program)];
}

/** The last question and answer, as lines. */
export function lastExchange(turns: readonly Turn[]): string[] {
  const from = turns.findLastIndex((turn) => turn.role === "user");
  const question = turns[from];
  if (question?.role !== "user") return [];
  const answer = turns.slice(from).findLast((turn) => turn.role === "assistant" && turn.content !== "");
  const asked = question.content.split("\n").slice(-3);
  const said = (answer?.content ?? "").split("\n").slice(0, 6);
  return [
    "  … last exchange:",
    ...asked.map((line) => `  > ${safeLine(line)}`),
    ...said.map((line) => `  ${safeLine(line)}`),
  ];
}

// A rule that matches nothing is a slip of the pen, unless its server is just down.
function unmatchedRules({ chat }: Program): string[] {
  const aliases = chat.servers.list().map(({ alias }) => alias);
  const ready = readyAliases(chat.servers.list());
  return chat.approvalPolicy.unmatched(chat.servers.tools()).flatMap((rule) => {
    const pattern = /"([^"]+)"$/.exec(rule)?.[1] ?? rule;
    const alias = pattern.slice(0, pattern.indexOf("."));
    if (aliases.includes(alias) && !ready.has(alias)) return [];
    const [meant] = nearest(alias, aliases, 1);
    const hint = meant === undefined || meant === alias ? "" : ` (did you mean "${meant}"?)`;
    const what = aliases.includes(alias) ? "tool of that server" : "configured server";
    return [`mcp: auto_approve entry "${pattern}" matches no ${what}${hint}`];
  });
}

function largeLists({ chat }: Program): string[] {
  const size = (server: Server): number => JSON.stringify(server.tools.map(({ raw }) => raw)).length;
  const servers = [...chat.servers.list()].sort((left, right) => size(right) - size(left));
  const tokens = chat.tokens.estimate(servers.reduce((sum, server) => sum + size(server), 0));
  const many = chat.servers.tools().length;
  const [largest] = servers;
  const { maxTools, tools: usesTools } = chat.model.settings;
  if (largest !== undefined && usesTools && many > maxTools) {
    return [
      `${many} tools: a request holds ${maxTools} (max_tools of the model), the others are found by words; ${largest.alias} is the largest (tools.allow chooses)`,
    ];
  }
  if (largest === undefined || (many <= MANY_TOOLS && tokens <= chat.model.window / 4)) return [];
  return [
    `${many} tools take about ${tokens} tokens of each request; ${largest.alias} is the largest (tools.allow chooses)`,
  ];
}

function vanishedTools({ chat, session: { usedTools } }: Program): string[] {
  const known = new Set(chat.servers.tools().map(displayName));
  const ready = readyAliases(chat.servers.list());
  return [...usedTools].flatMap((name) => {
    const alias = name.slice(0, name.indexOf("."));
    if (known.has(name) || !ready.has(alias)) return [];
    return [`mcp: ${alias} no longer offers ${name.slice(alias.length + 1)} (it was used earlier in this session)`];
  });
}

function readyAliases(servers: readonly Server[]): Set<string> {
  return new Set(servers.filter(({ state }) => state === "ready").map(({ alias }) => alias));
}
