// The one way of every call: parsed, judged, asked about, run, redacted, recorded. No tool is reached past it.
import type { Session } from "@bosun/engine";
import { BosunError } from "@bosun/platform/errors";
import { withVariables } from "@bosun/policy";
import type { CallToAuthorize } from "@bosun/policy";
import { defineTool, InvalidArguments, isShared } from "@bosun/mcp/server";
import type { Context, Tool, ToolResult } from "@bosun/mcp/server";
import { askPerson } from "../approvals/ask-person.ts";
import type { ServerState } from "../server/server-state.ts";
import { askToOpen, mayChangeHeld } from "../approvals/ask-to-open.ts";
import { CallPlaces } from "./call-places.ts";
import { CallRecord } from "./call-record.ts";
import { whileHeld } from "../approvals/ask-while-held.ts";
import { codeOf, explainOn, explainUnrecorded, withUnrecordedNote } from "./error-results.ts";
import { askAboutPlaces, placeDecision, settledWritesAmong } from "../approvals/settled-write.ts";
import type { SettledWrite } from "../approvals/settled-write.ts";
import { Refusal } from "./refusal.ts";
import { withoutOwnTokens } from "./redact-own-tokens.ts";
import type { Acts, ToolDefinition, ToolCall } from "./tool-definition.ts";
import type { ShownPaths } from "./shown-paths.ts";
import type { PolicyGate } from "../approvals/policy-gate.ts";

export type CallServices = {
  readonly state: ServerState;
  readonly gate: PolicyGate;
  readonly secrets: readonly string[];
  readonly shown: ShownPaths;
};

/** A tool as the protocol sees it. Arguments are parsed here, so that every failure has the surface's own shape. */
export function judgedTool(tool: ToolDefinition, services: CallServices): Tool {
  const { name, description, input, readOnly, destructive, idempotent, openWorld } = tool;
  return defineTool({
    name,
    description,
    input: { ...input, parse: (value) => ({ ok: true, value }) },
    readOnly,
    ...(destructive === undefined ? {} : { destructive }),
    ...(idempotent === undefined ? {} : { idempotent }),
    ...(openWorld === undefined ? {} : { openWorld }),
    run: (args, context) => callJudged(tool, args, context, services),
  });
}

async function callJudged(
  tool: ToolDefinition,
  args: unknown,
  context: Context,
  services: CallServices,
): Promise<ToolResult> {
  const { state, gate, secrets } = services;
  const session = state.sessionOf(context.owner);
  const record = new CallRecord(tool, args, session, gate);
  const made = { tool: tool.name, args, workdir: state.config.workdir };
  try {
    const result = withoutOwnTokens(await judgeAndRun(tool, args, { ...services, context, session, record }), secrets);
    const failed = result.isError === true;
    const code = failed ? codeOf(tool.surface, result) : undefined;
    const unrecorded = failed ? record.end("error", undefined, code) : record.end("ok");
    state.log(failed ? "info" : "debug", "call", { tool: tool.name, status: failed ? "error" : "ok", code });
    if (unrecorded === undefined) return result;
    // What was only looked at is kept back; what was done is done, and the caller must know it.
    return tool.readOnly
      ? explainUnrecorded(tool.surface, unrecorded, made)
      : withUnrecordedNote(tool.surface, unrecorded, result);
  } catch (error) {
    if (context.signal.aborted) record.end("cancelled");
    if (error instanceof BosunError) state.log("error", "a call cannot be recorded", { error: error.message });
    const explained =
      error instanceof BosunError
        ? explainUnrecorded(tool.surface, error.message, made)
        : explainOn(tool.surface, error, made);
    // A question on its way to the client, a cancelled call, or a bug: the caller knows what to do with each.
    if (explained === undefined || context.signal.aborted) throw error;
    const isRefused = error instanceof Refusal || record.refusedByBoundary(error);
    const [status, code] = [isRefused ? "refused" : "error", codeOf(tool.surface, explained)] as const;
    record.end(status, error instanceof Error ? error.message : "", code);
    state.log("info", "call", { tool: tool.name, status, code });
    return explained;
  }
}

type Calling = CallServices & { readonly context: Context; readonly session: Session; readonly record: CallRecord };
type Permitting = Calling & { readonly places: CallPlaces };

/** Everything that can keep the call from running, in order; then the tool itself. */
async function judgeAndRun(tool: ToolDefinition, args: unknown, calling: Calling): Promise<ToolResult> {
  const { state, gate, shown, context, session, record } = calling;
  gate.ready();
  const parsed = tool.input.parse(args, "arguments");
  if (!parsed.ok) throw new InvalidArguments(parsed.problem);
  const acts = tool.acts(parsed.value);
  using places = new CallPlaces({ surface: tool.surface, state, session, gate }, acts);
  shown.check(tool.name, args, places);
  const permitting = { ...calling, places };
  await permit(tool, args, acts, permitting);
  const open = mayChangeHeld(acts) ? await askToOpen(callToDecide(tool, args, acts, permitting), acts, permitting) : [];
  const writes = tool.readOnly ? undefined : settledWritesAmong(state, places.written());
  if (writes !== undefined) await permitWrites(writes, tool, args, acts, permitting);
  const call: ToolCall = {
    state,
    session,
    context,
    open,
    place: (index) => places.place(index),
    admit: (real, access) => places.admit(real, access),
    directory: () => places.directory(),
    note: (facts) => record.note(facts),
  };
  if (tool.showsCommands === true) return await runCommandTool(tool, parsed.value, call, state.changedPlaces);
  if (writes !== undefined) return await runSettledWrite(tool, parsed.value, call, writes, state.changedPlaces);
  return await tool.run(parsed.value, call);
}

/** What an earlier command changed is asked about before; what this one changed is said after. */
async function runCommandTool(
  tool: ToolDefinition,
  input: unknown,
  call: ToolCall,
  changedPlaces: ServerState["changedPlaces"],
): Promise<ToolResult> {
  const { session, context } = call;
  await changedPlaces.before(session, context);
  return await changedPlaces.after(session, context, tool.surface, await tool.run(input, call));
}

/** A file tool on settled places: what it changed there is accepted, for a person has agreed. */
async function runSettledWrite(
  tool: ToolDefinition,
  input: unknown,
  call: ToolCall,
  writes: readonly SettledWrite[],
  changedPlaces: ServerState["changedPlaces"],
): Promise<ToolResult> {
  const watched = writes.map((write) => ({ write, watch: changedPlaces.places.watchWrite(write.file) }));
  try {
    const result = await tool.run(input, call);
    for (const { write, watch } of watched) {
      if (!watch.hasChanged()) continue;
      changedPlaces.changedByTool(write.file, write.place.level, call.session.handle.slice(0, 12));
      changedPlaces.places.accept(write.file, write.agreed);
    }
    return result;
  } finally {
    for (const { watch } of watched) watch.end();
  }
}

/** The call may run: now, or when a person has said so. Throws Refusal when it may not. */
async function permit(tool: ToolDefinition, args: unknown, acts: Acts, permitting: Permitting): Promise<void> {
  const { gate, session, record, places } = permitting;
  const runs = acts.command !== undefined || acts.argv !== undefined;
  if (!runs && !gate.judgesReads) return;
  const isRead = acts.argv !== undefined || (acts.command !== undefined && gate.policy.judgesCommands);
  if (isRead && !gate.readsCommands) await gate.loadGrammar();
  const call = callToDecide(tool, args, acts, permitting);
  const resolution = gate.decide(session, call, isShared(permitting.context.owner));
  const { kind, decision } = resolution;
  record.decided(decision, acts, call, runs || kind !== "allow");
  if (kind === "deny") throw new Refusal("denied", decision, { settingsFile: gate.settingsFile });
  if (resolution.kind === "ask")
    await whileHeld({ places, gate, decision }, () => askPerson(resolution.ask, call, permitting));
}

/** A place that is settled is asked about besides whatever rules say, unless they say no. */
async function permitWrites(
  writes: readonly SettledWrite[],
  tool: ToolDefinition,
  args: unknown,
  acts: Acts,
  permitting: Permitting,
): Promise<void> {
  const settled = writes.filter(({ place }) => place.level === "settle");
  if (settled.length === 0) return;
  const call = callToDecide(tool, args, acts, permitting);
  const decision = placeDecision(settled);
  permitting.record.decided(decision, acts, call, true);
  const { places, gate } = permitting;
  await whileHeld({ places, gate, decision }, () => askAboutPlaces(settled, call, args, permitting));
}

function callToDecide(tool: ToolDefinition, args: unknown, acts: Acts, { places, gate }: Permitting): CallToAuthorize {
  const runs = acts.command !== undefined || acts.argv !== undefined;
  return {
    tool: { alias: gate.alias, tool: tool.name },
    arguments: args,
    server: gate.server,
    definition: gate.definitionOf(tool),
    isDestructive: tool.destructive ?? false,
    // Without a rule about commands or paths there is nothing to read the text for; where it runs is judged all the same.
    ...(acts.command === undefined
      ? {}
      : {
          shell: gate.policy.judgesCommands
            ? withVariables(gate.parse(acts.command), acts.environment)
            : { commands: [] },
        }),
    ...(acts.argv === undefined ? {} : { argv: acts.argv }),
    ...(runs ? { cwd: places.judgedDirectory(), context: { directory: places.directorySeen() } } : {}),
    paths: places.judgedPaths(),
  };
}
