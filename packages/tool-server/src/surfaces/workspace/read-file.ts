// read_file: the whole text of a file, never a part of it without saying so.
import { decodeText, openDirectly, openForReading, parseWorkspacePath, readWhole, resolveInScope } from "@bosun/engine";
import type { OpenFile } from "@bosun/engine";
import { integer, object, string } from "@bosun/mcp/server";
import type { ToolResult } from "@bosun/mcp/server";
import { serveTool } from "../../served-tool.ts";
import type { ToolCall } from "../../served-tool.ts";
import { succeeded } from "./envelope.ts";

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
    const { normal, walk } = parseWorkspacePath(file);
    const { workspace } = call.bench;
    using direct = openDirectly(workspace, walk, workspace.workdir);
    if (direct !== undefined) return await contentOf(direct, normal, maxBytes, call);
    using place = resolveInScope(workspace, walk);
    using open = openForReading(place);
    return await contentOf(open, normal, maxBytes, call);
  },
});

async function contentOf(open: OpenFile, file: string, maxBytes: number, call: ToolCall): Promise<ToolResult> {
  const bytes = await readWhole(open, { maxBytes, signal: call.context.signal });
  const { text, lossy } = decodeText(bytes);
  return succeeded({ file, content: text, bytes: bytes.length, ...(lossy ? { lossy } : {}) });
}
