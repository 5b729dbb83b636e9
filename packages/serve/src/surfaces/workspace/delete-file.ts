// delete_file: a file, a link (never its target), or a folder.
import { deletePath } from "@bosun/engine";
import { boolean, object, string } from "@bosun/mcp/server";
import { serveTool } from "../../calls/tool-definition.ts";
import { succeeded } from "./envelope.ts";
import { normalOf } from "./echoed-path.ts";

export const deleteFile = serveTool({
  surface: "workspace",
  name: "delete_file",
  description: "Delete a workspace file or folder.",
  readOnly: false,
  destructive: true,
  input: object({ path: string(""), recursive: boolean("", { default: false }) }),
  acts: ({ path }) => ({ paths: [{ requested: path, access: "write", follow: false }] }),
  async run({ path, recursive }, call) {
    const { deleted } = await deletePath(call.place(), { recursive, signal: call.context.signal });
    return succeeded({ path: normalOf(path), deletedType: deleted === "directory" ? "dir" : "file" });
  },
});
