// What the audit is told about a command that ran: how it ended and how much it said, never what.
import type { Run } from "@bosun/engine";
import type { ToolCall } from "../calls/tool-definition.ts";

export function noteRun(run: Run, call: ToolCall): void {
  call.note({
    exit: run.exitCode,
    signal: run.signal,
    timedOut: run.timedOut,
    bytesOut: run.stdout.totalBytes,
    bytesErr: run.stderr.totalBytes,
  });
}
