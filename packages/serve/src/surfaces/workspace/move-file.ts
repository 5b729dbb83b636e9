// move_file: a file, a link itself, or a folder; nothing is replaced unless asked for.
import { movePath } from "@bosun/engine";
import { boolean, object, string } from "@bosun/mcp/server";
import { serveTool } from "../../calls/tool-definition.ts";
import { succeeded } from "./envelope.ts";
import { normalOf } from "./echoed-path.ts";

export const moveFile = serveTool({
  surface: "workspace",
  name: "move_file",
  description: "Move or rename a workspace file or folder.",
  readOnly: false,
  destructive: true,
  input: object({ from: string(""), to: string(""), overwrite: boolean("", { default: false }) }),
  acts: ({ from, to }) => ({
    paths: [
      { requested: from, access: "write", follow: false },
      { requested: to, access: "write", follow: false },
    ],
  }),
  async run({ from, to, overwrite }, call) {
    const options = { overwrite, signal: call.context.signal };
    const { overwritten } = await movePath(call.place(0), call.place(1), options);
    return succeeded({ from: normalOf(from), to: normalOf(to), overwritten });
  },
});
