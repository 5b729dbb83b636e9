// read_file: the whole text of a file, never a part of it without saying so.
import { isUtf8 } from "node:buffer";
import { decodeText, openForReading, readWhole } from "@bosun/engine";
import { integer, object, string } from "@bosun/mcp/server";
import type { ToolResult } from "@bosun/mcp/server";
import { serveTool } from "../../calls/tool-definition.ts";
import { succeeded, succeededWithText } from "./envelope.ts";
import { normalOf } from "./echoed-path.ts";

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
  async run({ file, maxBytes }, call) {
    using open = openForReading(call.place());
    return answer(normalOf(file), await readWhole(open, { maxBytes, signal: call.context.signal }));
  },
});

/** From here on it pays to send the text while it is made. */
const LONG_BYTES = 64 * 1024;

function answer(file: string, bytes: Buffer): ToolResult {
  if (bytes.length >= LONG_BYTES) return longAnswer(file, bytes);
  const { text, lossy } = decodeText(bytes);
  return succeeded({ file, content: text, bytes: bytes.length, ...(lossy ? { lossy } : {}) });
}

function longAnswer(file: string, bytes: Buffer): ToolResult {
  const lossy = !isUtf8(bytes);
  const content = lossy ? Buffer.from(decodeText(bytes).text) : bytes;
  const data = { file, content: "", bytes: bytes.length, ...(lossy ? { lossy } : {}) };
  return succeededWithText(data, "content", content);
}
