// The one way of every call: parsed, judged, asked about, run, redacted, recorded. No tool is reached past it.
import path from "node:path";
import { EngineError, resolveInScope, parseWorkspacePath } from "@bosun/engine";
import type { Session } from "@bosun/engine";
import { GuardError, nameOfRule } from "@bosun/guard";
import type { AuditEvent, CallToDecide, Decision } from "@bosun/guard";
import { defineTool, InvalidArguments, isShared } from "@bosun/mcp/server";
import type { Context, Tool, ToolResult } from "@bosun/mcp/server";
import { askPerson } from "./approval.ts";
import type { Bench } from "./bench.ts";
import { explainOn, explainUnrecorded, withUnrecordedNote } from "./explain.ts";
import { askAboutPlaces, placeDecision, protectionFor } from "./protected-write.ts";
import type { ProtectedWrite, WrittenPath } from "./protected-write.ts";
import { Refusal } from "./refusal.ts";
import { withoutSecrets } from "./own-secrets.ts";
import type { Acts, OutcomeFacts, ServedTool, ToolCall } from "./served-tool.ts";
import type { Watch } from "./watch.ts";

export type Guarding = { readonly bench: Bench; readonly watch: Watch; readonly secrets: readonly string[] };

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
  const ended = (result: ToolResult): ToolResult => {
    const shown = withoutSecrets(result, guarding.secrets);
    const unrecorded = record.end(shown.isError === true ? "error" : "ok");
    if (unrecorded === undefined) return shown;
    // What was only looked at is kept back; what was done is done, and the caller must know it.
    return tool.readOnly
      ? explainUnrecorded(tool.surface, unrecorded, made)
      : withUnrecordedNote(tool.surface, unrecorded, shown);
  };
  const failed = (error: unknown): ToolResult => {
    if (context.signal.aborted) record.end("cancelled");
    if (error instanceof GuardError) bench.log("error", "a call cannot be recorded", { error: error.message });
    const explained =
      error instanceof GuardError
        ? explainUnrecorded(tool.surface, error.message, made)
        : explainOn(tool.surface, error, made);
    // A question on its way to the client, a cancelled call, or a bug: the caller knows what to do with each.
    if (explained === undefined || context.signal.aborted) throw error;
    record.end(error instanceof Refusal ? "refused" : "error", error instanceof Error ? error.message : "");
    return explained;
  };
  try {
    guarding.watch.ready();
    const parsed = tool.input.parse(args, "arguments");
    if (!parsed.ok) throw new InvalidArguments(parsed.problem);
    const { watch, secrets } = guarding;
    const acts = tool.acts(parsed.value);
    const permitting = { bench, watch, secrets, context, session, record };
    const writes = protectionFor(bench, writtenPaths(tool, acts, bench, session));
    const permission = permitPlaces(writes, permit(tool, args, acts, permitting), tool, args, acts, permitting);
    const call = { bench, session, context, note: (facts: OutcomeFacts) => record.note(facts) };
    const run = (): Promise<ToolResult> | ToolResult => runProtected(tool, parsed.value, call, writes);
    const result = permission === undefined ? run() : permission.then(run);
    return result instanceof Promise ? result.then(ended).catch(failed) : ended(result);
  } catch (error) {
    return failed(error);
  }
}

/** The tool's work, between what is done about protected places before and after it. */
function runProtected(
  tool: ServedTool,
  input: unknown,
  call: ToolCall,
  writes: readonly ProtectedWrite[] | undefined,
): Promise<ToolResult> | ToolResult {
  const { session, context } = call;
  const { protection } = call.bench;
  if (tool.showsCommands === true) {
    const asked = protection.before(session, context);
    const ran = asked === undefined ? tool.run(input, call) : asked.then(() => tool.run(input, call));
    const shown = (result: ToolResult) => protection.after(session, context, tool.surface, result);
    return ran instanceof Promise ? ran.then(shown) : shown(ran);
  }
  if (writes === undefined) return tool.run(input, call);
  const watched = writes.map((write) => ({ write, hasChanged: protection.places.watchWrite(write.file) }));
  const written = (result: ToolResult): ToolResult => {
    for (const { write, hasChanged } of watched) {
      if (!hasChanged()) continue;
      protection.changedByTool(write.file, write.place.level, session.handle.slice(0, 12));
      protection.places.accept(write.file, write.agreed);
    }
    return result;
  };
  const result = tool.run(input, call);
  return result instanceof Promise ? result.then(written) : written(result);
}

/** What a file tool would write, by both of its names. */
function writtenPaths(tool: ServedTool, acts: Acts, bench: Bench, session: Session): WrittenPath[] {
  if (tool.readOnly) return [];
  const writes = (acts.paths ?? []).filter(({ access }) => access === "write");
  const base = tool.surface === "coding" ? session.cwd : bench.config.workdir;
  return writes.map(({ requested, follow = true }) => ({
    written: path.resolve(base, requested),
    real: realPathOr(path.resolve(base, requested), () => realPath(tool, requested, bench, session, follow)),
    isMovedOrDeleted: !follow,
  }));
}

/** What cannot be resolved the tool itself refuses, in its own order of checks. */
function realPathOr(written: string, resolve: () => string): string {
  try {
    return resolve();
  } catch (error) {
    if (error instanceof EngineError) return written;
    throw error;
  }
}

/** A place that is settled is asked about besides whatever rules say, unless they say no. */
function permitPlaces(
  writes: readonly ProtectedWrite[] | undefined,
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
    permitting.record.decided(placeDecision(settled), acts, call.cwd, true);
    return askAboutPlaces(settled, call, args, permitting);
  };
  return permission === undefined ? ask() : permission.then(ask);
}

type Permitting = Guarding & { readonly context: Context; readonly session: Session; readonly record: CallRecord };

/** The call may run: now, or when a person has said so. Throws Refusal when it may not. */
function permit(tool: ServedTool, args: unknown, acts: Acts, permitting: Permitting): Promise<void> | undefined {
  const { watch, session, record } = permitting;
  const runs = acts.command !== undefined || acts.argv !== undefined;
  if (!runs && !watch.judgesReads) return undefined;
  const isRead = acts.argv !== undefined || (acts.command !== undefined && watch.policy.judgesCommands);
  if (isRead && !watch.readsCommands) return watch.loadGrammar().then(() => permit(tool, args, acts, permitting));
  const call = callToDecide(tool, args, acts, permitting);
  const resolution = watch.decide(session, call, isShared(permitting.context.owner));
  const { kind, decision } = resolution;
  record.decided(decision, acts, call.cwd, runs || kind !== "allow");
  if (kind === "deny") {
    throw new Refusal("denied", decision, { settingsFile: watch.settingsFile });
  }
  return resolution.kind === "ask" ? askPerson(resolution.ask, call, permitting) : undefined;
}

function callToDecide(
  tool: ServedTool,
  args: unknown,
  acts: Acts,
  { bench, session, watch }: Permitting,
): CallToDecide {
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
      : { shell: watch.policy.judgesCommands ? watch.parse(acts.command) : { commands: [] } }),
    ...(acts.argv === undefined ? {} : { argv: acts.argv }),
    ...(runs ? { cwd: realPath(tool, acts.cwd ?? ".", bench, session) } : {}),
    paths: (acts.paths ?? []).map(({ requested, access, follow }) => ({
      path: realPath(tool, requested, bench, session, follow),
      access,
    })),
  };
}

/** As the tool itself will resolve it; what cannot be resolved fails here as it would there. */
function realPath(tool: ServedTool, requested: string, bench: Bench, session: Session, follow = true): string {
  const workspace = tool.surface === "workspace";
  const base = tool.surface === "coding" ? session.cwd : bench.config.workdir;
  // A command's own directory may lie outside the file scope (`cd /tmp`): it is where it is.
  if (requested === "." && tool.surface !== "workspace") return base;
  const scope = workspace ? bench.workspace : bench.scope;
  using place = resolveInScope(scope, workspace ? parseWorkspacePath(requested).walk : requested, { base, follow });
  return place.path;
}

/** What the audit gets of one call. Commands and refusals get a line before anything happens; every call gets one at its end. */
class CallRecord {
  readonly #tool: ServedTool;
  readonly #args: unknown;
  readonly #session: Session;
  readonly #watch: Watch;
  readonly #startedAt = performance.now();
  #facts: OutcomeFacts = {};
  #decision: Decision | undefined;
  #command: { command?: string; cwd?: string } = {};
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

  decided(decision: Decision, acts: Acts, cwd: string | undefined, worthALine: boolean): void {
    this.#decision = decision;
    const command = acts.command ?? acts.argv?.join(" ");
    this.#command = { ...(command === undefined ? {} : { command }), ...(cwd === undefined ? {} : { cwd }) };
    if (worthALine)
      this.#watch.record({
        kind: "decision",
        ...this.#which(),
        ...this.#verdict(),
        ...this.#command,
        arguments: this.#args,
      });
  }

  answered(answer: string): void {
    this.#watch.record({ kind: "decision", ...this.#which(), ...this.#verdict(), ...this.#command, answer });
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
      ...this.#command,
      ...(this.#command.command === undefined ? { ...this.#verdict(), arguments: this.#args } : {}),
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
  if (error instanceof GuardError) return error.message;
  throw error;
}
