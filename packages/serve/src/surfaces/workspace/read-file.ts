// read_file: the whole text of a file, never a part of it without saying so.
import { isUtf8 } from "node:buffer";
import { decodeText, giveBack, openForReading, readWhole, readWholeAtOnce } from "@bosun/engine";
import { integer, object, string } from "@bosun/mcp/server";
import type { ToolResult } from "@bosun/mcp/server";
import { serveTool } from "../../served-tool.ts";
import type { ToolCall } from "../../served-tool.ts";
import { succeeded, succeededWithText } from "./envelope.ts";
import { normalOf } from "./place.ts";

export const readFile = serveTool({
  surface: "workspace",
  name: "read_file",
  description: "Read a text file of the workspace.",
  readOnly: true,
  input: object({
    file: string(""),
    maxBytes: integer("", { min: 1, max: 1_048_576, default: 262_144 }),
  }),
  acts: ({ file }) => ({ paths: [{ requested: file, access: "read" }] }),
  run: (request, call) => readAtOnce(request, call) ?? readInTurns(request, call),
});

/** From here on it pays to send the text while it is made. */
const LONG_BYTES = 64 * 1024;

type Request = { readonly file: string; readonly maxBytes: number };

/** A small file by its real name: what is asked for most, and quick enough to keep nobody waiting. */
function readAtOnce({ file, maxBytes }: Request, call: ToolCall): ToolResult | undefined {
  using open = call.fileAtOnce();
  const bytes = open && readWholeAtOnce(open, maxBytes);
  return bytes && answer(normalOf(file), bytes);
}

async function readInTurns({ file, maxBytes }: Request, call: ToolCall): Promise<ToolResult> {
  using open = openForReading(call.place());
  return answer(normalOf(file), await readWhole(open, { maxBytes, signal: call.context.signal }));
}

function answer(file: string, bytes: Buffer): ToolResult {
  if (bytes.length >= LONG_BYTES) return longAnswer(file, bytes);
  const { text, lossy } = decodeText(bytes);
  return succeeded({ file, content: text, bytes: bytes.length, ...(lossy ? { lossy } : {}) });
}

function longAnswer(file: string, bytes: Buffer): ToolResult {
  const lossy = !isUtf8(bytes);
  const content = lossy ? Buffer.from(decodeText(bytes).text) : bytes;
  const data = { file, content: "", bytes: bytes.length, ...(lossy ? { lossy } : {}) };
  return succeededWithText(data, "content", content, () => giveBack(bytes));
}
