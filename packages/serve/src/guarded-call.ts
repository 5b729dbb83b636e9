// The one way of every call: parsed, judged, asked about, run, redacted, recorded. No tool is reached past it.
import type { Session } from "@bosun/engine";
import { BosunError } from "@bosun/platform/errors";
import { withVariables } from "@bosun/policy";
import type { CallToDecide } from "@bosun/policy";
import { defineTool, InvalidArguments, isShared } from "@bosun/mcp/server";
import type { Context, Tool, ToolResult } from "@bosun/mcp/server";
import { askPerson } from "./approval.ts";
import type { Bench } from "./bench.ts";
import { askToOpen, mayChangeHeld } from "./ask-to-open.ts";
import { CallPlaces } from "./call-places.ts";
import { CallRecord } from "./call-record.ts";
import { whileHeld } from "./held-question.ts";
import { explainOn, explainUnrecorded, withUnrecordedNote } from "./explain.ts";
import { askAboutPlaces, placeDecision, settledWritesAmong } from "./settled-write.ts";
import type { SettledWrite } from "./settled-write.ts";
import { Refusal } from "./refusal.ts";
import { withoutSecrets } from "./own-secrets.ts";
import type { Acts, ServedTool, ToolCall } from "./served-tool.ts";
import type { ShownPaths } from "./shown-paths.ts";
import type { Watch } from "./watch.ts";

export type Guarding = {
  readonly bench: Bench;
  readonly watch: Watch;
  readonly secrets: readonly string[];
  readonly shown: ShownPaths;
};

/** A tool as the protocol sees it. Arguments are parsed here, so that every failure has the surface's own shape. */
export function guarded(tool: ServedTool, guarding: Guarding): Tool {
  const { name, description, input, readOnly, destructive, idempotent, openWorld } = tool;
  return defineTool({
    name,
    description,
    input: { ...input, parse: (value) => ({ ok: true, value }) },
    readOnly,
    ...(destructive === undefined ? {} : { destructive }),
    ...(idempotent === undefined ? {} : { idempotent }),
    ...(openWorld === undefined ? {} : { openWorld }),
    run: (args, context) => callGuarded(tool, args, context, guarding),
  });
}

// A call that can be answered at once is: promises would cost a short one more than its work does.
function callGuarded(
  tool: ServedTool,
  args: unknown,
  context: Context,
  guarding: Guarding,
): Promise<ToolResult> | ToolResult {
  const { bench } = guarding;
  const session = bench.sessionOf(context.owner);
  const record = new CallRecord(tool, args, session, guarding.watch);
  const made = { tool: tool.name, args, workdir: bench.config.workdir };
  let places: CallPlaces | undefined;
  const ended = (result: ToolResult): ToolResult => {
    places?.[Symbol.dispose]();
    const shown = withoutSecrets(result, guarding.secrets);
    const unrecorded = record.end(shown.isError === true ? "error" : "ok");
    if (unrecorded === undefined) return shown;
    // What was only looked at is kept back; what was done is done, and the caller must know it.
    return tool.readOnly
      ? explainUnrecorded(tool.surface, unrecorded, made)
      : withUnrecordedNote(tool.surface, unrecorded, shown);
  };
  const failed = (error: unknown): ToolResult => {
    places?.[Symbol.dispose]();
    if (context.signal.aborted) record.end("cancelled");
    if (error instanceof BosunError) bench.log("error", "a call cannot be recorded", { error: error.message });
    const explained =
      error instanceof BosunError
        ? explainUnrecorded(tool.surface, error.message, made)
        : explainOn(tool.surface, error, made);
    // A question on its way to the client, a cancelled call, or a bug: the caller knows what to do with each.
    if (explained === undefined || context.signal.aborted) throw error;
    const isRefused = error instanceof Refusal || record.refusedByBoundary(error);
    record.end(isRefused ? "refused" : "error", error instanceof Error ? error.message : "");
    return explained;
  };
  try {
    guarding.watch.ready();
    const parsed = tool.input.parse(args, "arguments");
    if (!parsed.ok) throw new InvalidArguments(parsed.problem);
    const { watch } = guarding;
    const acts = tool.acts(parsed.value);
    const own = (places = new CallPlaces({ surface: tool.surface, bench, session, watch }, acts));
    guarding.shown.check(tool.name, args, own);
    const permitting = { ...guarding, context, session, record, places };
    const open: string[] = [];
    const permitted = permit(tool, args, acts, permitting);
    const opened = mayChangeHeld(acts)
      ? Promise.resolve(permitted).then(async () => {
          open.push(...(await askToOpen(callToDecide(tool, args, acts, permitting), acts, permitting)));
        })
      : permitted;
    const writes = tool.readOnly ? undefined : settledWritesAmong(bench, own.written());
    const permission = permitWrites(writes, opened, tool, args, acts, permitting);
    const call: ToolCall = {
      bench,
      session,
      context,
      open,
      place: (index) => own.place(index),
      fileAtOnce: (index) => own.fileAtOnce(index),
      admit: (real, access) => own.admit(real, access),
      directory: () => own.directory(),
      note: (facts) => record.note(facts),
    };
    const run = (): Promise<ToolResult> | ToolResult =>
      runSettled(tool, parsed.value, call, { writes, changedPlaces: bench.changedPlaces });
    const result = permission === undefined ? run() : permission.then(run);
    return result instanceof Promise ? result.then(ended).catch(failed) : ended(result);
  } catch (error) {
    return failed(error);
  }
}

type Permitting = Guarding & {
  readonly context: Context;
  readonly session: Session;
  readonly record: CallRecord;
  readonly places: CallPlaces;
};

type Settling = {
  readonly writes: readonly SettledWrite[] | undefined;
  readonly changedPlaces: Bench["changedPlaces"];
};

/** The tool's work, between what is done about settled places before and after it. */
function runSettled(
  tool: ServedTool,
  input: unknown,
  call: ToolCall,
  { writes, changedPlaces }: Settling,
): Promise<ToolResult> | ToolResult {
  const { session, context } = call;
  if (tool.showsCommands === true) {
    const asked = changedPlaces.before(session, context);
    const ran = asked === undefined ? tool.run(input, call) : asked.then(() => tool.run(input, call));
    const shown = (result: ToolResult) => changedPlaces.after(session, context, tool.surface, result);
    return ran instanceof Promise ? ran.then(shown) : shown(ran);
  }
  if (writes === undefined) return tool.run(input, call);
  const watched = writes.map((write) => ({ write, watch: changedPlaces.places.watchWrite(write.file) }));
  const accept = (): void => {
    for (const { write, watch } of watched) {
      if (!watch.hasChanged()) continue;
      changedPlaces.changedByTool(write.file, write.place.level, session.handle.slice(0, 12));
      changedPlaces.places.accept(write.file, write.agreed);
    }
  };
  const write = async (): Promise<ToolResult> => {
    try {
      const result = await tool.run(input, call);
      accept();
      return result;
    } finally {
      for (const { watch } of watched) watch.end();
    }
  };
  return write();
}

/** A place that is settled is asked about besides whatever rules say, unless they say no. */
function permitWrites(
  writes: readonly SettledWrite[] | undefined,
  permission: Promise<void> | undefined,
  tool: ServedTool,
  args: unknown,
  acts: Acts,
  permitting: Permitting,
): Promise<void> | undefined {
  const settled = writes?.filter(({ place }) => place.level === "settle") ?? [];
  if (settled.length === 0) return permission;
  const ask = (): Promise<void> => {
    const call = callToDecide(tool, args, acts, permitting);
    const decision = placeDecision(settled);
    permitting.record.decided(decision, acts, call, true);
    const { places, watch } = permitting;
    return whileHeld({ places, watch, decision }, () => askAboutPlaces(settled, call, args, permitting));
  };
  return permission === undefined ? ask() : permission.then(ask);
}

/** The call may run: now, or when a person has said so. Throws Refusal when it may not. */
function permit(tool: ServedTool, args: unknown, acts: Acts, permitting: Permitting): Promise<void> | undefined {
  const { watch, session, record, places } = permitting;
  const runs = acts.command !== undefined || acts.argv !== undefined;
  if (!runs && !watch.judgesReads) return undefined;
  const isRead = acts.argv !== undefined || (acts.command !== undefined && watch.policy.judgesCommands);
  if (isRead && !watch.readsCommands) return watch.loadGrammar().then(() => permit(tool, args, acts, permitting));
  const call = callToDecide(tool, args, acts, permitting);
  const resolution = watch.decide(session, call, isShared(permitting.context.owner));
  const { kind, decision } = resolution;
  record.decided(decision, acts, call, runs || kind !== "allow");
  if (kind === "deny") {
    throw new Refusal("denied", decision, { settingsFile: watch.settingsFile });
  }
  if (resolution.kind !== "ask") return undefined;
  return whileHeld({ places, watch, decision }, () => askPerson(resolution.ask, call, permitting));
}

function callToDecide(tool: ServedTool, args: unknown, acts: Acts, { places, watch }: Permitting): CallToDecide {
  const runs = acts.command !== undefined || acts.argv !== undefined;
  return {
    tool: { alias: watch.alias, tool: tool.name },
    arguments: args,
    server: watch.server,
    definition: watch.definitionOf(tool),
    isDestructive: tool.destructive ?? false,
    // Without a rule about commands or paths there is nothing to read the text for; where it runs is judged all the same.
    ...(acts.command === undefined
      ? {}
      : {
          shell: watch.policy.judgesCommands
            ? withVariables(watch.parse(acts.command), acts.environment)
            : { commands: [] },
        }),
    ...(acts.argv === undefined ? {} : { argv: acts.argv }),
    ...(runs ? { cwd: places.judgedDirectory(), context: { directory: places.directorySeen() } } : {}),
    paths: places.judgedPaths(),
  };
}
