// What this server does about places that a person's own programs obey: tells the model what was put back, asks the
// person, and puts it on record. What a place is, and putting back, is the engine's.
import { existsSync } from "node:fs";
import path from "node:path";
import { SettledPlaces, Session } from "@bosun/engine";
import type { SettledPlacesOptions, SettledChange } from "@bosun/engine";
import type { AuditEvent } from "@bosun/policy";
import { ConnectionError, MODERN_REVISIONS } from "@bosun/mcp/server";
import type { Context, ToolResult } from "@bosun/mcp/server";
import type { Surface } from "../config/config.ts";
import type { Log } from "@bosun/platform/log";
import { keptChanges, settleQuestion } from "./settle-question.ts";
import { withWarning } from "../surfaces/workspace/envelope.ts";

/** Of one result: more are counted. */
const MAX_LINES = 20;
/** Without a path: it may be one that the model must not know of. */
const STOPPED =
  "[protected] a running command was stopped: somebody outside replaced a file that it may not see or change, and that takes the sandbox's cover off it. Start it again.";
const TRACKED =
  "[protected] if git tracks what was put back, it shows that as modified or deleted: do not commit it (commit -a, add -A), it would undo the change in the branch, and a rebase waits until it is gone. The person can keep the change: by a yes when asked, or with --open-place";
/** Of one session, while nobody asks for them. */
const MAX_WAITING = 100;

export type ChangedPlacesOptions = Omit<SettledPlacesOptions, "onSettled" | "onStopped" | "onFailed"> & {
  readonly log: Log;
  readonly approvalTimeoutMs: number;
};

type Report = {
  readonly change: SettledChange;
  /** "open": a person may still want it kept. */
  answer: "open" | "asked" | "kept" | "no";
  /** Commands of another server run in the same folder. */
  readonly isShared: boolean;
  /** The pattern by which a person would take the place out of the list. */
  readonly opening: string | undefined;
};

export class ChangedPlaces {
  readonly places: SettledPlaces;
  readonly #options: ChangedPlacesOptions;
  /** What sessions have not been told yet, and what their person could not be asked about when it happened. */
  readonly #untold = new WeakMap<object, Report[]>();
  readonly #unasked = new WeakMap<object, Report[]>();
  /** Why places could not be looked at, for sessions that have not been told yet. */
  readonly #unchecked = new WeakMap<object, string>();
  /** Sessions with commands that were stopped, and that have not been told yet. */
  readonly #stoppedIn = new WeakSet<object>();
  /** Put back, and nobody has said yet whether it stays so: not in the log yet. */
  readonly #undecided = new Set<Report>();
  #record: (event: AuditEvent) => unknown = () => undefined;

  constructor(options: ChangedPlacesOptions) {
    this.#options = options;
    this.places = new SettledPlaces({
      ...options,
      onSettled: (changes, sessions, isShared) => this.#settled(changes, sessions, isShared),
      onStopped: (places, session) => this.#stopped(places, session),
      onFailed: (error, sessions) => this.#failed(error, sessions),
    });
  }

  /** From now on what happens is on record. What a killed server left is settled first. */
  start(record: (event: AuditEvent) => unknown): void {
    this.#record = record;
    this.places.recover();
  }

  /** Before a command: what could not be asked about when it was put back is asked about now, in one form. */
  before(session: Session, context: Context): Promise<void> | undefined {
    const waiting = [...(this.#unasked.get(session) ?? []), ...(this.#untold.get(session) ?? [])];
    const open = waiting.filter(({ answer }) => answer === "open");
    if (open.length === 0) return undefined;
    return this.#ask(open, context).then(() => void this.#unasked.delete(session));
  }

  /** After a command, or a look at a task: the result with a line for everything that was put back or kept. */
  after(session: Session, context: Context, surface: Surface, result: ToolResult): Promise<ToolResult> | ToolResult {
    const unchecked = this.#unchecked.get(session);
    const isStopped = this.#stoppedIn.has(session);
    const reports = this.#untold.get(session) ?? [];
    if (unchecked === undefined && !isStopped && reports.length === 0) return result;
    this.#unchecked.delete(session);
    this.#stoppedIn.delete(session);
    this.#untold.delete(session);
    const problems = [
      ...(unchecked === undefined ? [] : [`[protected] could not be checked: ${unchecked}`]),
      ...(isStopped ? [STOPPED] : []),
    ];
    const withLines = (): ToolResult =>
      withProtectedLines(surface, result, [
        ...problems,
        ...reports.map(lineOf),
        ...(reports.some(mayBeTracked) ? [TRACKED] : []),
      ]);
    const open = reports.filter(({ answer }) => answer === "open");
    if (open.length === 0) return withLines();
    // Who is asked answers a call that has not begun: after a command the question would run it again.
    if (isModern(context)) {
      this.#unasked.set(session, [...(this.#unasked.get(session) ?? []), ...open].slice(-MAX_WAITING));
      return withLines();
    }
    return this.#ask(open, context).then(withLines);
  }

  /** A file tool changed a place: with a person's yes, or one that is only noted. */
  changedByTool(place: string, level: "settle" | "note", session: string): void {
    const done = level === "note" ? "noted" : "kept";
    this.#record({ kind: "changed-place", session, place, level, done });
  }

  close(): void {
    this.places.close();
    for (const report of this.#undecided) this.#logDecided(report);
  }

  #failed(error: unknown, sessions: readonly object[]): void {
    const problem = error instanceof Error ? error.message : String(error);
    this.#options.log("error", "protected places could not be checked", { problem });
    for (const session of sessions) this.#unchecked.set(session, problem);
  }

  #stopped(places: readonly string[], session: object): void {
    for (const place of places)
      this.#options.log("warn", "a running command was stopped: a file that it must not see or change was replaced", {
        place,
      });
    this.#stoppedIn.add(session);
  }

  /** What a person may still want kept is in the log when that is known. */
  #logDecided(report: Report): void {
    this.#undecided.delete(report);
    const { place, aside } = report.change;
    if (report.answer === "kept") this.#options.log("info", "a protected place was kept, the person agreed", { place });
    else
      this.#options.log("warn", "a protected place was put back", { place, ...(aside === undefined ? {} : { aside }) });
  }

  #settled(changes: readonly SettledChange[], sessions: readonly object[], isShared: boolean): void {
    const [only, ...others] = sessions;
    const session = only instanceof Session && others.length === 0 ? { session: only.handle.slice(0, 12) } : {};
    for (const change of changes) {
      const { place, level, done, aside, why, problem } = change;
      this.#record({
        kind: "changed-place",
        ...session,
        place,
        level,
        done,
        reason: problem === undefined ? why : `${why}; it could not be put back: ${problem}`,
        ...(aside === undefined ? {} : { aside }),
      });
      if (level === "note") continue;
      const facts = { place, ...(aside === undefined ? {} : { aside }), ...(problem === undefined ? {} : { problem }) };
      const left = sessions.length === 0 ? ", left by a server that was killed" : "";
      const answer = done === "put back" && sessions.length > 0 ? "open" : "no";
      if (answer === "open") this.places.offer(change);
      else if (done === "put back") this.#options.log("warn", `a protected place was put back${left}`, facts);
      else this.#options.log("error", `a protected place was changed and could not be put back${left}`, facts);
      // A place of a killed server may be unknown to this one, and nothing is to be looked at before it has started.
      const opening = sessions.length === 0 ? undefined : this.places.placeAt(place, true)?.opening;
      const report: Report = { change, answer, isShared, opening };
      if (answer === "open") this.#undecided.add(report);
      for (const session of sessions)
        this.#untold.set(session, [...(this.#untold.get(session) ?? []), report].slice(-MAX_WAITING));
    }
  }

  async #ask(reports: readonly Report[], context: Context): Promise<void> {
    const changes = reports.map(({ change }) => change);
    const question = settleQuestion(changes, (state) => this.places.contentOf(state));
    const isAskable = question !== undefined && context.canAsk(question) && !context.signal.aborted;
    // Several sessions may know of a change: one of them is asked.
    for (const report of reports) report.answer = "asked";
    let kept: readonly SettledChange[] = [];
    try {
      if (isAskable) kept = await this.#keptOf(question, changes, context);
    } catch (error) {
      for (const report of reports) report.answer = "open"; // the question is on its way, and the call comes again
      throw error;
    }
    for (const report of reports) {
      const isKept = kept.includes(report.change) && this.places.putIn(report.change);
      report.answer = isKept ? "kept" : "no";
      this.places.withdraw(report.change);
      this.#logDecided(report);
      const { place, level } = report.change;
      const done = isKept ? "kept" : "put back";
      const answer = isKept ? "keep the change" : "no";
      if (isAskable) this.#record({ kind: "changed-place", place, level, done, answer });
    }
  }

  async #keptOf(
    question: NonNullable<ReturnType<typeof settleQuestion>>,
    changes: readonly SettledChange[],
    context: Context,
  ): Promise<readonly SettledChange[]> {
    // The key says what was asked: an answer to another question cannot pass for this one.
    const digest = new Bun.CryptoHasher("sha256").update(String(question.params["message"])).digest("hex");
    const key = `settle-${digest.slice(0, 32)}`;
    try {
      const answers = await context.ask({ [key]: question }, { timeoutMs: this.#options.approvalTimeoutMs });
      return keptChanges(answers[key], changes);
    } catch (error) {
      // Nobody answered, or the client is gone: that is no yes.
      if (error instanceof ConnectionError) return [];
      throw error;
    }
  }
}

/** Put back in a work tree of git, and no part of its own folder. */
function mayBeTracked({ change: { done, place }, answer }: Report): boolean {
  if (done !== "put back" || answer === "kept" || /\/\.git(?:\/|$)/.test(place)) return false;
  for (let folder = path.dirname(place); ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, ".git"))) return true;
    if (folder === path.dirname(folder)) return false;
  }
}

function lineOf({ change, answer, isShared, opening }: Report): string {
  const { shown, why, done, aside, problem } = change;
  if (answer === "kept") return `[protected] kept, the person agreed: ${shown}`;
  const other = isShared ? "; another server's command runs here, too: it may be its change" : "";
  if (done === "stays")
    return `[protected] ${shown} was changed (${why}${other}) and could not be put back: ${problem ?? ""}`;
  const kept = aside === undefined ? "" : `; your version is kept in ${aside}`;
  const way = opening === undefined ? "" : `. The person can allow it: --open-place ${quoted(opening)}`;
  return `[protected] put back: ${shown} (${why}${kept}${other})${way}`;
}

function quoted(pattern: string): string {
  return /^[\w./-]+$/.test(pattern) ? pattern : `'${pattern.replaceAll("'", "'\\''")}'`;
}

/** After the output, in the first block; an envelope stays one. */
function withProtectedLines(surface: Surface, result: ToolResult, lines: readonly string[]): ToolResult {
  const shown = lines.slice(0, MAX_LINES);
  if (lines.length > shown.length) shown.push(`[protected] and ${lines.length - shown.length} more`);
  if (lines.includes(TRACKED) && !shown.includes(TRACKED)) shown.push(TRACKED);
  const said = shown.join("\n");
  if (surface === "workspace") return withWarning(result, said);
  const [first, ...rest] = result.content;
  if (first?.type !== "text") return { ...result, content: [{ type: "text", text: said }, ...result.content] };
  return {
    ...result,
    content: [{ ...first, text: `${first.text}${first.text.endsWith("\n") ? "" : "\n"}${said}` }, ...rest],
  };
}

function isModern({ revision }: Context): boolean {
  return MODERN_REVISIONS.some((known) => known === revision);
}
