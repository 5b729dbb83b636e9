// str_replace: one exact replacement, or all of them.
import { boolean, object, string } from "@bosun/mcp/server";
import { serveTool } from "../../calls/tool-definition.ts";
import { editFile } from "./replace-in-file.ts";

export const strReplace = serveTool({
  surface: "coding",
  name: "str_replace",
  description: "Replace exact text in a file.",
  readOnly: false,
  destructive: true,
  input: object({
    path: string(""),
    old_str: string("must be unique unless replace_all"),
    new_str: string("omit to delete", { default: "" }),
    replace_all: boolean("", { default: false }),
  }),
  acts: ({ path }) => ({ paths: [{ requested: path, access: "write" }] }),
  run: ({ old_str, new_str, replace_all }, call) =>
    editFile({ find: old_str, replace: new_str, all: replace_all }, call),
});
