// create_file: a file with exactly this content, made or overwritten.
import { object, string } from "@bosun/mcp/server";
import { serveTool } from "../../calls/tool-definition.ts";
import { writeText } from "./write-text.ts";

export const createFile = serveTool({
  surface: "coding",
  name: "create_file",
  description: "Create or overwrite a file.",
  readOnly: false,
  destructive: true,
  idempotent: true,
  input: object({ path: string(""), content: string("") }),
  acts: ({ path }) => ({ paths: [{ requested: path, access: "write" }] }),
  run: ({ content }, call) => writeText(content, call),
});
