// bosun unfold: the proxy's inverse as a filter.
import { unfoldLines } from "@bosun/proxy/unfold";
import { UsageError } from "@bosun/platform/flags";
import type { Program } from "@bosun/platform/flags";
import { command } from "./define-command.ts";

export const PROGRAM: Program = {
  name: "bosun unfold",
  once: true,
  summary: "what bosun proxy emitted, back to the originals",
  usage: ["bosun unfold --lines < results.jsonl"],
  flags: [{ name: "lines", help: "one JSON object a line on standard input (required)" }],
  examples: [[`echo '{"text":"unchanged"}' | bosun unfold --lines`, 'prints {"text":"unchanged"}']],
  notes: `Reads {"text": …, "meta": …} lines as the proxy emitted them and in that order: the text a client was given, and
the result's _meta. Of several content blocks the texts are joined by line breaks, those of embedded resources too, and
links to resources as their JSON; pictures and sound are left out. Answers each with {"text": …}, the original, or
{"error": …}.`,
};

export const runUnfold = command(PROGRAM, async (flags) => {
  if (!flags.has("lines")) throw new UsageError("reads standard input, with --lines");
  const out = Bun.stdout.writer();
  const code = await unfoldLines(Bun.stdin.stream(), async (line) => {
    out.write(`${line}\n`);
    await out.flush();
  });
  await out.end();
  return code;
});
