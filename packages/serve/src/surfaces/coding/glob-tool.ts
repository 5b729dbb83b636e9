// glob: files and directories by name pattern, newest first; the compat form has no `type`.
import { object, string } from "@bosun/mcp/server";
import { optionalText, serveTool } from "../../calls/tool-definition.ts";
import { findNames, TYPES } from "./find-names.ts";

const DESCRIPTION = "Find files and directories by glob, newest first.";
const SHARED = { pattern: string("such as **/*.ts"), path: optionalText("directory") };

export const glob = serveTool({
  surface: "coding",
  name: "glob",
  description: DESCRIPTION,
  readOnly: true,
  input: object({ ...SHARED, type: optionalText("", TYPES) }),
  acts: ({ path }) => ({ paths: [{ requested: path ?? ".", access: "read" }] }),
  run: (input, call) => findNames(input, call),
});

export const compatGlob = serveTool({
  surface: "coding",
  name: "glob",
  description: DESCRIPTION,
  readOnly: true,
  input: object(SHARED),
  acts: ({ path }) => ({ paths: [{ requested: path ?? ".", access: "read" }] }),
  run: (input, call) => findNames(input, call),
});
