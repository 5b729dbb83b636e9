// mkdir: a folder, with its parents unless told otherwise.
import { makeDirectory } from "@bosun/engine";
import { boolean, object, string } from "@bosun/mcp/server";
import { serveTool } from "../../calls/tool-definition.ts";
import { succeeded } from "./envelope.ts";
import { normalOf } from "./echoed-path.ts";

export const mkdir = serveTool({
  surface: "workspace",
  name: "mkdir",
  description: "Make a workspace folder.",
  readOnly: false,
  idempotent: true,
  input: object({ dir: string(""), recursive: boolean("", { default: true }) }),
  acts: ({ dir }) => ({ paths: [{ requested: dir, access: "write" }] }),
  async run({ dir, recursive }, call) {
    const { created } = makeDirectory(call.place(), { recursive });
    return succeeded({ dir: normalOf(dir), created });
  },
});
