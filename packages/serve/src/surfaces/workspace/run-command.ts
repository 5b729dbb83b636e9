// run_command: one of a few programs, as an argument vector that never meets a shell. Which programs is a
// rule of the guard's; the list holds interpreters, so it is a convenience filter and not a boundary.
import { EngineError } from "@bosun/engine";
import type { CapturePlan } from "@bosun/engine";
import { array, integer, object, string } from "@bosun/mcp/server";
import { liveProgress } from "../live-progress.ts";
import { serveTool } from "../../calls/tool-definition.ts";
import type { ToolCall } from "../../calls/tool-definition.ts";
import { noteRun, usageFacts } from "../note-run.ts";
import { commandHints } from "../sandbox-hint.ts";
import { succeeded } from "./envelope.ts";
import { normalOf, orRoot } from "./echoed-path.ts";

export const runCommand = serveTool({
  surface: "workspace",
  name: "run_command",
  description: "Run an allowed program (node, npm, npx, python3, pytest, tsc) in the workspace, without a shell.",
  readOnly: false,
  destructive: true,
  openWorld: true,
  showsCommands: true,
  input: object({
    command: string("", { minLength: 1 }),
    args: array("", string("", { maxLength: 400 }), { maxItems: 64, default: [] }),
    cwd: string("", { default: "." }),
    timeoutMs: integer("", { min: 100, max: 60_000, default: 15_000 }),
    maxOutputBytes: integer("", { min: 1024, max: 262_144, default: 65_536 }),
  }),
  acts: ({ command, args, cwd }) => ({ argv: [command, ...args], cwd: orRoot(cwd) }),
  async run({ command, args, cwd, timeoutMs, maxOutputBytes }, call) {
    const normal = normalOf(orRoot(cwd));
    const directory = call.directory();
    refuseBadFolder(directory.place?.entry?.kind, normal);
    if ([command, ...args].some((word) => word.includes("\0"))) {
      throw new EngineError("INVALID_INPUT", "an argument contains a NUL character");
    }
    const plan: CapturePlan = { cap: { max: maxOutputBytes, unit: "bytes" }, tailBytes: 0 };
    const run = await execute([command, ...args], directory.path, timeoutMs, plan, call);
    const hints = commandHints(run, call.state);
    const places = hints.filter((hint) => hint.startsWith("[protected]"));
    return succeeded({
      command,
      args,
      cwd: normal,
      exitCode: run.exitCode,
      signal: run.signal,
      timedOut: run.timedOut,
      stdout: run.stdout.text,
      stderr: run.stderr.text,
      stdoutTruncated: run.stdout.cut,
      stderrTruncated: run.stderr.cut,
      ...usageFacts(run),
      ...(places.length === 0 ? {} : { protected: places }),
      ...(hints.length === places.length ? {} : { hints: hints.slice(places.length) }),
    });
  },
});

async function execute(argv: readonly string[], cwd: string, timeoutMs: number, plan: CapturePlan, call: ToolCall) {
  const progress = liveProgress(call.context);
  try {
    const run = await call.session.run({
      what: { kind: "argv", argv },
      cwd,
      timeoutMs,
      signal: call.context.signal,
      stdout: plan,
      stderr: plan,
      open: call.open,
      ...(progress === undefined ? {} : { onOutput: progress.onOutput }),
    });
    noteRun(run, call);
    return run;
  } finally {
    progress?.end();
  }
}

function refuseBadFolder(kind: string | undefined, shown: string): void {
  if (kind === undefined) throw new EngineError("NOT_FOUND", `${shown} does not exist`, { requested: shown });
  if (kind !== "directory") throw new EngineError("NOT_DIRECTORY", `${shown} is not a directory`, { requested: shown });
}
