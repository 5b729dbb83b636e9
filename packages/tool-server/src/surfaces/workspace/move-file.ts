// move_file: a file, a link itself, or a folder; nothing is replaced unless asked for.
import { movePath } from "@bosun/engine";
import { boolean, object, string } from "@bosun/mcp/server";
import { serveTool } from "../../served-tool.ts";
import { succeeded } from "./envelope.ts";
import { placeOf } from "./place.ts";

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
    using source = placeOf(call, from, { writing: true, follow: false });
    using target = placeOf(call, to, { writing: true, follow: false });
    const { overwritten } = await movePath(source.place, target.place, { overwrite, signal: call.context.signal });
    return succeeded({ from: source.normal, to: target.normal, overwritten });
  },
});
