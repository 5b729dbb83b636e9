// bosun unfold --lines: the inverse for everyone. Reads one {"text","meta"} a line, as the proxy emitted them and in that
// order, and answers each with {"text"}, the original.
import { unfold } from "@bosun/shrink";
import { LineSplitter } from "@bosun/mcp/relay";

const MAX_LINE_BYTES = 64 * 1024 * 1024;

export async function unfoldLines(
  input: AsyncIterable<Uint8Array>,
  write: (line: string) => Promise<void>,
): Promise<number> {
  const splitter = new LineSplitter(MAX_LINE_BYTES);
  let failures = 0;
  const answer = async (line: { kind: "line"; text: string } | { kind: "bad"; problem: string }): Promise<void> => {
    const outcome = line.kind === "bad" ? { error: line.problem } : unfoldLine(line.text);
    if ("error" in outcome) failures++;
    await write(JSON.stringify(outcome));
  };
  for await (const chunk of input) for (const line of splitter.push(chunk)) await answer(line);
  for (const line of splitter.end()) await answer(line);
  return failures === 0 ? 0 : 1;
}

function unfoldLine(line: string): { text: string } | { error: string } {
  let emitted: unknown;
  try {
    emitted = JSON.parse(line);
  } catch {
    // Each line is answered, this one too.
    return { error: "the line is not JSON" };
  }
  if (typeof emitted !== "object" || emitted === null || !("text" in emitted) || typeof emitted.text !== "string") {
    return { error: 'the line is not {"text": …, "meta": …}' };
  }
  const unfolded = unfold({ text: emitted.text, ...("meta" in emitted ? { meta: emitted.meta } : {}) });
  return unfolded.ok ? { text: unfolded.text } : { error: unfolded.reason };
}
