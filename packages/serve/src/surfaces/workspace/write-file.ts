// write_file: a file with exactly this content; missing folders are made.
import { encodeContent, writeFile as write } from "@bosun/engine";
import { object, string } from "@bosun/mcp/server";
import { serveTool } from "../../calls/tool-definition.ts";
import { succeeded } from "./envelope.ts";
import { normalOf } from "./echoed-path.ts";

/** Of what is written and of what an edit makes. */
export const MAX_WRITTEN_BYTES = 1024 * 1024;

export const writeFile = serveTool({
  surface: "workspace",
  name: "write_file",
  description: "Write a workspace file (at most 1 MiB), overwriting it.",
  readOnly: false,
  destructive: true,
  idempotent: true,
  input: object({ file: string(""), content: string("") }),
  acts: ({ file }) => ({ paths: [{ requested: file, access: "write" }] }),
  async run({ file, content }, call) {
    const { bytes } = await write(call.place(), encodeContent(content, MAX_WRITTEN_BYTES));
    return succeeded({ file: normalOf(file), bytesWritten: bytes });
  },
});
