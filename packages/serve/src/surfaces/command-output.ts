// How a command's output is kept and how its text is cut, for the surfaces that show it in characters.
import type { Capture, Captured, CapturePlan, Running } from "@bosun/engine";
import type { ToolServerState } from "../calls/tool-definition.ts";

/** Characters of a stream that are shown. */
export const SHOWN_CHARS = 30_000;
/** What stays readable through a handle after the answer was cut. */
const SPOOL_BYTES = 64 * 1024 * 1024;

export function keepForModel(state: ToolServerState): CapturePlan {
  const half = SHOWN_CHARS / 2;
  return {
    cap: { max: SHOWN_CHARS, unit: "chars" },
    ...(state.config.truncate === "head-tail" ? { tailBytes: half * 4 + 4 } : {}),
    spool: { folder: state.host.folder, maxBytes: SPOOL_BYTES },
  };
}

/** The stream as the model sees it: whole, or cut with the notice of the contract. */
export function shownText(
  stream: Captured,
  capture: Pick<Capture, "lastChars"> | undefined,
  truncate: "head" | "head-tail",
): string {
  if (!stream.cut) return stream.text;
  if (truncate === "head" || capture === undefined) {
    return `${stream.text}\n\n[Truncated: output was ${stream.totalChars} characters, showing first ${SHOWN_CHARS}]`;
  }
  const half = SHOWN_CHARS / 2;
  const head = firstChars(stream.text, half);
  const notice = `[Truncated: output was ${stream.totalChars} characters, showing first ${half} and last ${half}]`;
  return `${head}\n\n${notice}\n\n${capture.lastChars(half)}`;
}

/** stderr before stdout; an empty stream has no heading. */
export function streamBlocks(stderr: string, stdout: string): string {
  const block = (name: string, shown: string): string => (shown === "" ? "" : `\n${name}:\n${shown}`);
  return `${block("stderr", stderr)}${block("stdout", stdout)}`;
}

/** Keeps what was cut readable; the handles by stream. */
export function keepCutOutputs(
  run: { readonly stdout: Captured; readonly stderr: Captured },
  running: Running | undefined,
  keep: (capture: Capture) => string,
): { stdout?: string; stderr?: string } {
  if (running === undefined) return {};
  return {
    ...(run.stdout.cut ? { stdout: keep(running.stdout) } : {}),
    ...(run.stderr.cut ? { stderr: keep(running.stderr) } : {}),
  };
}

function firstChars(text: string, max: number): string {
  let units = 0;
  for (let chars = 0; chars < max && units < text.length; chars += 1)
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, units);
}
