// bosun unfold: the proxy's inverse as a filter.
import { unfoldLines } from "@bosun/bcp-mcp-server/unfold";

const HELP = `bosun unfold --lines: what bosun proxy emitted, back to the originals

Reads one JSON object a line, {"text": …, "meta": …}, as the proxy emitted them and in that order: the text a client was
given, and the result's _meta. Answers each with {"text": …}, the original, or {"error": …}.

Example:
  echo '{"text":"unchanged"}' | bosun unfold --lines`;

export async function runUnfold(argv: readonly string[]): Promise<number> {
  if (argv.length !== 1 || argv[0] !== "--lines") {
    (argv.includes("--help") ? console.log : console.error)(HELP);
    return argv.includes("--help") ? 0 : 2;
  }
  const out = Bun.stdout.writer();
  const code = await unfoldLines(Bun.stdin.stream(), async (line) => {
    out.write(`${line}\n`);
    await out.flush();
  });
  await out.end();
  return code;
}
