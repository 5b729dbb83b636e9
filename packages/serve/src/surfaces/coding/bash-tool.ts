// bash: a command in the session's directory, in the foreground or as a task.
import { EngineError } from "@bosun/engine";
import type { Run, Running } from "@bosun/engine";
import { boolean, integer, isShared, object, optional, SESSION_KEY, string, text } from "@bosun/mcp/server";
import type { JsonObject, ToolResult } from "@bosun/mcp/server";
import { keepForModel, keepCutOutputs, shownText, streamBlocks } from "../command-output.ts";
import { liveProgress } from "../live-progress.ts";
import { noteRun, usageFacts } from "../note-run.ts";
import { withHints } from "../protected-hint.ts";
import { commandHints } from "../sandbox-hint.ts";
import { serveTool } from "../../calls/tool-definition.ts";
import type { ToolDefinition, ToolCall } from "../../calls/tool-definition.ts";

const LONGEST_MS = 600_000;

/** What the limit is when the caller does not say. */
export const BASH_TIMEOUT_MS = 120_000;

const DESCRIPTION = "Run a shell command. The working directory persists between calls; variables do not.";
/** Over HTTP a client may come without a session: nothing then says which calls belong together. */
const OVER_HTTP =
  "Run a shell command. The working directory persists between calls, unless the result says to pass session; variables do not.";

export function bash(timeoutMs = BASH_TIMEOUT_MS, transport: "stdio" | "http" = "stdio"): ToolDefinition {
  return serveTool({
    surface: "coding",
    name: "bash",
    description: transport === "http" ? OVER_HTTP : DESCRIPTION,
    readOnly: false,
    destructive: true,
    openWorld: true,
    showsCommands: true,
    input: object({
      command: string(""),
      timeout: optional(integer(`ms, default ${Math.min(timeoutMs, LONGEST_MS)}, max ${LONGEST_MS}`)),
      run_in_background: boolean("returns a task_id", { default: false }),
      description: optional(string("what it does, for people")),
      ...(transport === "http" ? { session: optional(string("as a result gave it")) } : {}),
    }),
    acts: ({ command, run_in_background }) => ({ command, neverOpens: run_in_background }),
    run({ command, timeout = 0, run_in_background, session = "" }, call) {
      if (session !== "" && isShared(call.context.owner)) throw unknownSession(call);
      if (command.trim() === "") throw new EngineError("EMPTY_COMMAND", "command must not be empty");
      // Judged there, so that it runs there or not at all.
      call.directory();
      const limitMs = Math.min(timeout <= 0 ? timeoutMs : timeout, LONGEST_MS);
      return run_in_background ? startTask(command, call) : runHere(command, limitMs, call);
    },
  });
}

async function runHere(command: string, timeoutMs: number, call: ToolCall): Promise<ToolResult> {
  const { state, session, context } = call;
  const plan = keepForModel(state);
  const progress = liveProgress(context);
  let running: Running | undefined;
  try {
    const run = await session.run(
      {
        what: { kind: "shell", text: command },
        timeoutMs,
        signal: context.signal,
        stdout: plan,
        stderr: plan,
        open: call.open,
        ...(isShared(context.owner) ? { cwd: state.config.workdir } : {}),
        ...(progress === undefined ? {} : { onOutput: progress.onOutput }),
      },
      (started) => (running = started),
    );
    noteRun(run, call);
    return withNextDirectory(describeRun(run, running, timeoutMs, call), run, call);
  } finally {
    progress?.end();
  }
}

function describeRun(run: Run, running: Running | undefined, timeoutMs: number, call: ToolCall): ToolResult {
  const { truncate } = call.state.config;
  const stderr = shownText(run.stderr, running?.stderr, truncate);
  const stdout = shownText(run.stdout, running?.stdout, truncate);
  const timedOut = run.timedOut ? `Command timed out after ${timeoutMs}ms\n\n` : "";
  const output = `${timedOut}exit_code: ${run.exitCode ?? -1}\n${streamBlocks(stderr, stdout)}`;
  const handles = keepCutOutputs(run, running, (capture) => call.session.cutOutputs.keep(capture));
  const said = withHints(output, [...hintsFor(run, handles), ...commandHints(run, call.state)]);
  return {
    content: [{ type: "text", text: said }],
    _meta: { "bosun/run": factsOf(run, handles) },
  };
}

/** A caller without a session is told, first of all, that the next call starts elsewhere, and how it would start here. */
function withNextDirectory(result: ToolResult, { cwdAfter }: Run, { state, context }: ToolCall): ToolResult {
  const { workdir } = state.config;
  const [first, ...rest] = result.content;
  if (!isShared(context.owner) || cwdAfter === null || cwdAfter === workdir || first?.type !== "text") return result;
  const handle = state.keepDirectory(context.owner, cwdAfter);
  const how = handle === undefined ? "" : `; to start in ${cwdAfter}, pass session "${handle}"`;
  const line = `The next call starts in ${workdir}${how}.`;
  return {
    ...result,
    content: [{ ...first, text: `${line}\n${first.text}` }, ...rest],
    ...(handle === undefined ? {} : { _meta: { ...result._meta, [SESSION_KEY]: handle } }),
  };
}

function unknownSession({ state }: ToolCall): EngineError {
  const message = `session is not one of yours, or it has expired; leave it out to start in ${state.config.workdir}`;
  return new EngineError("INVALID_INPUT", message);
}

/** After the contract's text, in the same block: some clients show the model nothing but the first. */
function hintsFor(run: Run, handles: { stdout?: string; stderr?: string }): string[] {
  const lines = Object.entries(handles).map(
    ([stream, handle]) => `Full ${stream}: task_output with task_id "${handle}" and an offset.`,
  );
  if (run.limitHit !== null) lines.push(`The command hit its ${run.limitHit} limit.`);
  return lines;
}

/** What costs the model nothing: signal, duration, sizes. */
function factsOf(run: Run, handles: { stdout?: string; stderr?: string }): JsonObject {
  const stream = ({ totalBytes, totalChars, cut, binary }: Run["stdout"], handle: string | undefined): JsonObject => ({
    bytes: totalBytes,
    chars: totalChars,
    cut,
    ...(binary ? { binary } : {}),
    ...(handle === undefined ? {} : { handle }),
  });
  return {
    ...(run.signal === null ? {} : { signal: run.signal }),
    durationMs: Math.round(run.durationMs),
    stdout: stream(run.stdout, handles.stdout),
    stderr: stream(run.stderr, handles.stderr),
    ...usageFacts(run),
  };
}

async function startTask(command: string, call: ToolCall): Promise<ToolResult> {
  const plan = keepForModel(call.state);
  const id = await call.session.runInBackground(command.slice(0, 200), {
    what: { kind: "shell", text: command },
    stdout: plan,
    stderr: plan,
    ...(isShared(call.context.owner) ? { cwd: call.state.config.workdir } : {}),
  });
  return text(`task_id: ${id}\nCommand started in background.`);
}
