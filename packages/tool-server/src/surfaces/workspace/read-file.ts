// read_file: the whole text of a file, never a part of it without saying so.
import { decodeText, openForReading, readWhole } from "@bosun/engine";
import { integer, object, string } from "@bosun/mcp/server";
import { serveTool } from "../../served-tool.ts";
import { succeeded } from "./envelope.ts";
import { placeOf } from "./place.ts";

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
    using at = placeOf(call, file);
    using open = openForReading(at.place);
    const bytes = await readWhole(open, { maxBytes, signal: call.context.signal });
    const { text, lossy } = decodeText(bytes);
    return succeeded({ file: at.normal, content: text, bytes: bytes.length, ...(lossy ? { lossy } : {}) });
  },
});
