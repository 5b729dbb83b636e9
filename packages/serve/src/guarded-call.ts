// The one way of every call: parsed, judged, asked about, run, redacted, recorded. No tool is reached past it.
import { EngineError } from "@bosun/engine";
import type { EngineCode, Session } from "@bosun/engine";
import { BosunError } from "@bosun/platform/errors";
import { nameOfRule, withVariables } from "@bosun/policy";
import type { AuditEvent, CallToDecide, Decision } from "@bosun/policy";
import { defineTool, InvalidArguments, isShared } from "@bosun/mcp/server";
import type { Context, Tool, ToolResult } from "@bosun/mcp/server";
import { askPerson } from "./approval.ts";
import type { Bench } from "./bench.ts";
import { askToOpen, mayChangeHeld } from "./ask-to-open.ts";
import { CallPlaces } from "./call-places.ts";
import { whileHeld } from "./held-question.ts";
import { explainOn, explainUnrecorded, withUnrecordedNote } from "./explain.ts";
import { askAboutPlaces, placeDecision, settledWritesAmong } from "./settled-write.ts";
import type { SettledWrite } from "./settled-write.ts";
import { Refusal } from "./refusal.ts";
import { withoutSecrets } from "./own-secrets.ts";
import type { Acts, OutcomeFacts, ServedTool, ToolCall } from "./served-tool.ts";
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

/** What the boundary itself refuses, whatever the rules say. */
const BEYOND_THE_BOUNDARY: ReadonlySet<EngineCode> = new Set<EngineCode>(["OUTSIDE_SCOPE", "PATH_DENIED", "READ_ONLY"]);

/** What the audit gets of one call. Commands and refusals get a line before anything happens; every call gets one at its end. */
class CallRecord {
  readonly #tool: ServedTool;
  readonly #args: unknown;
  readonly #session: Session;
  readonly #watch: Watch;
  readonly #startedAt = performance.now();
  #facts: OutcomeFacts = {};
  #decision: Decision | undefined;
  #facing: { command?: string; cwd?: string; paths?: readonly string[] } = {};
  #ended = false;
  #id: string | undefined;

  constructor(tool: ServedTool, args: unknown, session: Session, watch: Watch) {
    this.#tool = tool;
    this.#args = args;
    this.#session = session;
    this.#watch = watch;
  }

  note(facts: OutcomeFacts): void {
    this.#facts = { ...this.#facts, ...facts };
  }

  decided(decision: Decision, acts: Acts, { cwd, paths = [] }: CallToDecide, worthALine: boolean): void {
    this.#decision = decision;
    const command = acts.command ?? acts.argv?.join(" ");
    this.#facing = {
      ...(command === undefined ? {} : { command }),
      ...(cwd === undefined ? {} : { cwd }),
      ...(paths.length === 0 ? {} : { paths: paths.map(({ path }) => path) }),
    };
    if (worthALine)
      this.#watch.record({
        kind: "decision",
        ...this.#which(),
        ...this.#verdict(),
        ...this.#facing,
        arguments: this.#args,
      });
  }

  /** Whether the boundary refused it: then that is what decided, not a rule. */
  refusedByBoundary(error: unknown): boolean {
    if (!(error instanceof EngineError) || !BEYOND_THE_BOUNDARY.has(error.code)) return false;
    const { path, pattern } = error.details;
    const name = pattern === undefined ? "the boundary" : `pattern ${pattern}`;
    this.#decision = { verdict: "deny", rule: { name, file: "boundary" }, reason: error.message, grantable: false };
    if (path !== undefined) this.#facing = { ...this.#facing, paths: [path] };
    return true;
  }

  answered(answer: string): void {
    this.#watch.record({ kind: "decision", ...this.#which(), ...this.#verdict(), ...this.#facing, answer });
  }

  /** Gives why it is not on record. */
  end(outcome: "ok" | "error" | "cancelled" | "refused", reason?: string): string | undefined {
    try {
      const failed = this.#end(outcome, reason);
      return failed === undefined ? undefined : messageOf(failed);
    } catch (error) {
      return messageOf(error);
    }
  }

  #end(outcome: "ok" | "error" | "cancelled" | "refused", reason?: string): unknown {
    if (this.#ended) return undefined;
    this.#ended = true;
    const durationMs = Math.round((performance.now() - this.#startedAt) * 1000) / 1000;
    const plain = this.#tool.readOnly && outcome === "ok";
    if (plain && this.#decision === undefined) {
      // Most calls: nothing to tie together, no rule to name, nothing changed.
      const { session, tool } = this.#who();
      this.#watch.recordSoon({
        kind: "outcome",
        session,
        tool,
        verdict: "allow",
        arguments: this.#args,
        outcome,
        durationMs,
      });
      return undefined;
    }
    const { timedOut, environment, ...facts } = this.#facts;
    const event: AuditEvent = {
      kind: "outcome",
      ...this.#which(),
      ...this.#facing,
      ...(this.#facing.command === undefined ? { ...this.#verdict(), arguments: this.#args } : {}),
      outcome: timedOut === true ? "timeout" : outcome,
      durationMs,
      ...facts,
      ...(environment === undefined ? {} : { environment }),
      ...(reason === undefined || reason === "" ? {} : { reason }),
    };
    if (!plain) return this.#watch.recordDone(event);
    this.#watch.recordSoon(event);
    return undefined;
  }

  #who() {
    return { session: this.#session.handle.slice(0, 12), tool: `${this.#watch.alias}.${this.#tool.name}` };
  }

  /** Ties the lines of one call together. */
  #which() {
    this.#id ??= crypto.randomUUID();
    return { ...this.#who(), call: this.#id };
  }

  #verdict() {
    if (this.#decision === undefined) return { verdict: "allow" as const, rule: "default" };
    return { verdict: this.#decision.verdict, rule: nameOfRule(this.#decision.rule) };
  }
}

/** Without it a record cannot be written for reasons we know; anything else is a bug, for the caller to report. */
function messageOf(error: unknown): string {
  if (error instanceof BosunError) return error.message;
  throw error;
}
