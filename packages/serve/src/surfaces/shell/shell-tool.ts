// shell: a command with its own directory, environment and limit in seconds, answered with a verdict and metadata
//.
import { constants } from "node:os";
import { EngineError, OutputBudget } from "@bosun/engine";
import type { Captured, CapturePlan, Environment, Run } from "@bosun/engine";
import { callerVariableProblem } from "@bosun/platform/environment";
import { integer, object, optional, record, string } from "@bosun/mcp/server";
import type { JsonObject, ToolResult } from "@bosun/mcp/server";
import { SHOWN_CHARS } from "../command-output.ts";
import { liveProgress } from "../live-progress.ts";
import { noteRun, usageFacts } from "../note-run.ts";
import { withHints } from "../protected-hint.ts";
import { commandHints } from "../sandbox-hint.ts";
import { serveTool } from "../../calls/tool-definition.ts";
import type { ToolDefinition, ToolCall } from "../../calls/tool-definition.ts";
import { jsonDocument } from "./json-output.ts";
import { explainStatus, isPermissionDenied } from "./explain-status.ts";
import { verdict } from "./shell-result.ts";

export type ShellLimits = {
  readonly defaultTimeout: number;
  readonly maxTimeout: number;
  readonly maxOutputBytes: number;
};

export const SHELL_LIMITS: ShellLimits = { defaultTimeout: 300, maxTimeout: 1800, maxOutputBytes: 10 * 1024 * 1024 };

/** Enough for the characters that are shown of either stream, whatever their size in UTF-8. */
const DEFAULT_KEPT_BYTES = 2 * 4 * SHOWN_CHARS;

/** Of the memory for output each stream is sure of this much: far more than it takes to say why something failed. */
const SHARE_BYTES = 64 * 1024;

/** Worth a word in the log when a caller sets them: they change which programs and libraries run. */
const DELICATE = new Set([
  "PATH",
  "HOME",
  "LD_LIBRARY_PATH",
  "LD_PRELOAD",
  "PYTHONPATH",
  "NODE_OPTIONS",
  "SHELL",
  "IFS",
]);

export function shell(limits: ShellLimits = SHELL_LIMITS): ToolDefinition {
  return serveTool({
    surface: "shell",
    name: "shell",
    description: "Execute a shell command with a timeout and captured output.",
    readOnly: false,
    destructive: true,
    openWorld: true,
    showsCommands: true,
    input: object({
      command: string("The shell command to execute", { minLength: 1 }),
      working_directory: optional(string("Working directory (default: the server's)")),
      timeout: integer("Timeout in seconds", { min: 1, max: limits.maxTimeout, default: limits.defaultTimeout }),
      environment: optional(record("Additional environment variables", string(""))),
      max_output_size: optional(
        integer(`Bytes of each stream to return (default: its first ${SHOWN_CHARS} characters)`, {
          min: 1,
          max: limits.maxOutputBytes,
        }),
      ),
    }),
    acts: ({ command, working_directory, environment = {} }) => ({
      command,
      environment,
      cwd: working_directory,
      neverOpens: Object.keys(environment).length > 0,
    }),
    async run({ command, timeout, environment = {}, max_output_size }, call) {
      const cwd = directoryOf(call);
      const env = extended(call.state.environment, environment);
      warnAbout(Object.keys(environment), call);
      const maxOutputBytes = Math.min(max_output_size ?? DEFAULT_KEPT_BYTES, limits.maxOutputBytes);
      const ran = await execute(command, cwd, env, timeout, maxOutputBytes, call);
      const run = max_output_size === undefined ? { ...ran, ...inCharacters(ran) } : ran;
      noteRun(run, call);
      const isDenied = isPermissionDenied(explainStatus(run.exitCode ?? 0, run.stderr.text, env["PATH"] ?? "", cwd));
      call.note({ environment: Object.keys(environment), ...(isDenied ? { code: "permission_denied" } : {}) });
      const limit = run.limitHit === null ? [] : [`The command hit its ${run.limitHit} limit.`];
      const hints = [...limit, ...cutHints(run), ...commandHints(run, call.state)];
      return run.timedOut
        ? timedOut(command, cwd, timeout, run, hints)
        : ended(command, cwd, run, env["PATH"] ?? "", hints);
    },
  });
}

function extended(base: Environment, extra: Environment): Environment {
  for (const [name, value] of Object.entries(extra)) {
    const problem = callerVariableProblem(name, value);
    if (problem !== undefined) throw new EngineError("INVALID_INPUT", `environment: ${problem}`);
  }
  return { ...base, ...extra };
}

// The scope is the file tools' own; the guard's rules narrow it to `allowed_directories`.
function directoryOf(call: ToolCall): string {
  const { path, place } = call.directory();
  if (place === undefined || place.entry?.kind === "directory") return path;
  const why = place.entry === undefined ? "does not exist" : "is not a directory";
  throw new EngineError("START_FAILED", `${place.shown} ${why}`, { reason: "cwd", requested: place.shown });
}

async function execute(
  command: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
  timeout: number,
  max: number,
  call: ToolCall,
): Promise<Run> {
  const progress = liveProgress(call.context);
  const budget = new OutputBudget(max, Math.min(SHARE_BYTES, Math.floor(max / 8)));
  const plan: CapturePlan = { cap: { max, unit: "bytes" }, tailBytes: 0, budget };
  try {
    return await call.session.run({
      what: { kind: "shell", text: command },
      cwd,
      env,
      timeoutMs: timeout * 1000,
      signal: call.context.signal,
      stdout: plan,
      stderr: plan,
      open: call.open,
      ...(progress === undefined ? {} : { onOutput: progress.onOutput }),
    });
  } finally {
    progress?.end();
  }
}

function ended(command: string, cwd: string, run: Run, searchPath: string, hints: readonly string[]): ToolResult {
  const exitCode = run.exitCode ?? 128 + signalNumber(run.signal);
  const metadata: JsonObject = {
    command,
    exit_code: exitCode,
    stdout: shown(run.stdout),
    stderr: shown(run.stderr),
    execution_time_ms: Math.round(run.durationMs),
    working_directory: cwd,
    ...factsOf(run),
  };
  if (exitCode === 0)
    return verdict(withHints("Command executed successfully", hints), {
      isError: false,
      metadata,
      blocks: blocksOf(run),
    });
  const why = explainStatus(exitCode, run.stderr.text, searchPath, cwd);
  const explained = why === undefined ? hints : [why, ...hints];
  return verdict(withHints(`Command failed with exit code ${exitCode}`, explained), {
    isError: true,
    metadata: why === undefined ? metadata : { ...metadata, hint: why },
    blocks: blocksOf(run),
  });
}

function timedOut(command: string, cwd: string, timeout: number, run: Run, hints: readonly string[]): ToolResult {
  const metadata: JsonObject = {
    command,
    timeout_seconds: timeout,
    partial_stdout: shown(run.stdout),
    partial_stderr: shown(run.stderr),
    working_directory: cwd,
    ...factsOf(run),
  };
  return verdict(withHints(`Command timed out after ${timeout} seconds`, hints), {
    isError: true,
    metadata,
    blocks: blocksOf(run),
  });
}

function factsOf(run: Run): JsonObject {
  const { cpuMs, maxRssBytes, limitHit } = usageFacts(run);
  const data = run.stdout.cut || run.stdout.binary ? undefined : jsonDocument(run.stdout.text);
  return {
    output_truncated: run.stdout.cut || run.stderr.cut,
    total_output_size: run.stdout.totalBytes + run.stderr.totalBytes,
    binary_output_detected: run.stdout.binary || run.stderr.binary,
    ...(run.signal === null ? {} : { signal: run.signal }),
    ...(data === undefined ? {} : { data }),
    ...(cpuMs === undefined ? {} : { cpu_ms: cpuMs }),
    ...(maxRssBytes === undefined ? {} : { max_rss_bytes: maxRssBytes }),
    ...(limitHit === undefined ? {} : { limit_hit: limitHit }),
  };
}

/** Many clients show the model nothing but `content`: the streams follow the verdict there. */
function blocksOf(run: Run): string[] {
  const block = (name: string, stream: Captured): string[] => {
    const text = shown(stream);
    return text === "" ? [] : [`${name}:\n${text}${isCutText(stream) ? `\n\n${cutNotice(stream)}` : ""}`];
  };
  return [...block("stderr", run.stderr), ...block("stdout", run.stdout)];
}

/** In the first block, since some clients show only that, or only the structured result. */
function cutHints(run: Run): string[] {
  return (["stderr", "stdout"] as const)
    .filter((name) => isCutText(run[name]))
    .map((name) => `${name}: ${cutNotice(run[name])} max_output_size returns more; a file keeps all.`);
}

function shown(stream: Captured): string {
  return stream.binary ? `[Binary content: ${stream.totalBytes} bytes]` : stream.text;
}

function isCutText({ cut, binary }: Captured): boolean {
  return cut && !binary;
}

function cutNotice({ text, totalChars }: Captured): string {
  return `[Truncated: output was ${totalChars} characters, showing first ${Array.from(text).length}]`;
}

/** Both streams cut where bash cuts them. */
function inCharacters({ stdout, stderr }: Run): Pick<Run, "stdout" | "stderr"> {
  return { stdout: firstCharacters(stdout), stderr: firstCharacters(stderr) };
}

function firstCharacters(stream: Captured): Captured {
  if (stream.binary || stream.text.length <= SHOWN_CHARS) return stream;
  const text = Array.from(stream.text.slice(0, 2 * SHOWN_CHARS))
    .slice(0, SHOWN_CHARS)
    .join("");
  return text.length === stream.text.length ? stream : { ...stream, text, cut: true };
}

function signalNumber(name: string | null): number {
  return Object.entries(constants.signals).find(([known]) => known === name)?.[1] ?? 0;
}

function warnAbout(names: readonly string[], call: ToolCall): void {
  const delicate = names.filter((name) => DELICATE.has(name));
  if (delicate.length > 0) call.state.log("warn", "shell call sets delicate variables", { names: delicate.join(",") });
}
