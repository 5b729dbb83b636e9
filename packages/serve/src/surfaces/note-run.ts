// What the audit and programs are told about a command that ran: how it ended, what it used and how much it said, never what.
import type { Run } from "@bosun/engine";
import type { ToolCall } from "../calls/tool-definition.ts";

export type UsageFacts = { readonly cpuMs?: number; readonly maxRssBytes?: number; readonly limitHit?: string };

export function noteRun(run: Run, call: ToolCall): void {
  call.note({
    exit: run.exitCode,
    signal: run.signal,
    timedOut: run.timedOut,
    bytesOut: run.stdout.totalBytes,
    bytesErr: run.stderr.totalBytes,
    ...usageFacts(run),
  });
}

export function usageFacts({ usage, limitHit }: Run): UsageFacts {
  return {
    ...(usage === null ? {} : { cpuMs: Math.round(usage.userMs + usage.systemMs) }),
    ...(usage?.maxRssBytes === undefined ? {} : { maxRssBytes: usage.maxRssBytes }),
    ...(limitHit === null ? {} : { limitHit }),
  };
}
