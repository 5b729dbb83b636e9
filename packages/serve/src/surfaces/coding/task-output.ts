// task_output: how a background task stands and what it printed; also the rest of output that was cut.
import { EngineError } from "@bosun/engine";
import type { Captured, JobView, CutOutput, Piece, Session } from "@bosun/engine";
import { boolean, integer, object, oneOf, optional, string, text } from "@bosun/mcp/server";
import type { ToolResult } from "@bosun/mcp/server";
import { shownText, SHOWN_CHARS, streamBlocks } from "../command-output.ts";
import { noteRun } from "../note-run.ts";
import { withHints } from "../protected-hint.ts";
import { commandHints } from "../sandbox-hint.ts";
import { serveTool } from "../../calls/tool-definition.ts";
import type { ToolCall } from "../../calls/tool-definition.ts";

const LONGEST_WAIT_MS = 600_000;
const STREAMS = ["stdout", "stderr"] as const;

export const taskOutput = serveTool({
  surface: "coding",
  name: "task_output",
  description: "Output of a background task. A finished task can be read once without tail or offset.",
  readOnly: false, // it can end a task
  showsCommands: true,
  input: object({
    task_id: string(""),
    wait: optional(integer("ms to wait for its end")),
    tail: optional(integer("only the last N characters")),
    offset: optional(integer("read on from this byte")),
    stream: oneOf("for offset", STREAMS, { default: "stdout" }),
    stop: boolean("end it", { default: false }),
  }),
  acts: () => ({}),
  async run(input, call) {
    const { task_id: id } = input;
    const session = call.state.sessionHolding(call.context.owner, id) ?? call.session;
    const original = session.cutOutputs.find(id);
    if (original !== undefined) return text(originalText(original, input));
    const job = await entryStat(session, input, call);
    const status = statusOf(job, input.stop);
    if (input.offset !== undefined) {
      const { stream } = input;
      return text(pieceText(status, session.jobs.read(id, stream, startOf(input.offset), SHOWN_CHARS), stream));
    }
    if (input.tail !== undefined) {
      const newest = session.jobs.newest(id, tailOf(input.tail));
      return text(`${status}\n${streamBlocks(newest.stderr, newest.stdout)}`);
    }
    return readOnce(session, job, status, call);
  },
});

async function entryStat(
  session: Session,
  input: {
    task_id: string;
    wait?: number | undefined;
    stop: boolean;
    tail?: number | undefined;
    offset?: number | undefined;
  },
  call: ToolCall,
): Promise<JobView> {
  const { task_id: id, wait = 0 } = input;
  const isRead = call.state.wasRead(id);
  // Read to its end by the plain call: only what was asked for by position is still there.
  if (isRead && input.tail === undefined && input.offset === undefined) {
    throw new EngineError("TASK_NOT_FOUND", `task not found: ${id}`, { id });
  }
  if (input.stop) return session.jobs.stop(id);
  if (wait > 0) return session.jobs.wait(id, Math.min(wait, LONGEST_WAIT_MS), call.context.signal);
  return session.jobs.view(id);
}

function statusOf(job: JobView, stopped: boolean): string {
  if (job.run === undefined) return "status: running";
  const how = job.killedByTimeout
    ? " (killed by background task timeout)"
    : stopped && job.run.cancelled
      ? " (stopped)"
      : "";
  return `status: completed${how}\nexit_code: ${job.run.exitCode ?? -1}`;
}

function readOnce(session: Session, job: JobView, status: string, call: ToolCall): ToolResult {
  const { truncate } = call.state.config;
  const half = truncate === "head-tail" ? session.jobs.newest(job.id, SHOWN_CHARS / 2) : undefined;
  const shown = (stream: "stdout" | "stderr", captured: Captured): string =>
    shownText(captured, half === undefined ? undefined : { lastChars: () => half[stream] }, truncate);
  const output = `${status}\n${streamBlocks(shown("stderr", job.stderr), shown("stdout", job.stdout))}`;
  if (job.run === undefined) return text(output);
  noteRun(job.run, call);
  const limit = job.run.limitHit === null ? [] : [`The command hit its ${job.run.limitHit} limit.`];
  const said = withHints(output, [...limit, ...commandHints(job.run, call.state)]);
  // Output that was cut stays readable by position, as long as the session keeps the task.
  const cut = STREAMS.filter((stream) => job[stream].cut);
  if (cut.length === 0) session.jobs.forget(job.id);
  else call.state.noteRead(job.id);
  const hints = cut.map((stream) => `Full ${stream}: the same task_id with an offset and stream "${stream}".`);
  return text(withHints(said, hints));
}

/** One stream of a command that has ended, of which an answer showed only a part. */
function originalText(
  original: CutOutput,
  { tail, offset }: { tail?: number | undefined; offset?: number | undefined },
): string {
  const status = "status: completed";
  if (tail === undefined || offset !== undefined) return pieceText(status, original.read(startOf(offset), SHOWN_CHARS));
  const newest = original.lastChars(tailOf(tail));
  return `${status}\nend: true\n${newest === "" ? "" : `\noutput:\n${newest}`}`;
}

function pieceText(status: string, piece: Piece, stream = "output"): string {
  const lost = piece.skipped > 0 ? `skipped: ${piece.skipped} bytes no longer kept\n` : "";
  const next = piece.last ? "end: true\n" : `next_offset: ${piece.next}\n`;
  return `${status}\n${lost}${next}${piece.text === "" ? "" : `\n${stream}:\n${piece.text}`}`;
}

/** 0 asks how it stands, and for no output at all. */
function tailOf(tail: number): number {
  return Math.min(Math.max(0, tail), SHOWN_CHARS);
}

function startOf(offset: number | undefined): number {
  return Math.max(0, offset ?? 0);
}
