// grep: content search, with the parameter names of either mode.
import { boolean, integer, object, optional, string } from "@bosun/mcp/server";
import { optionalText, serveTool, withEnum } from "../../calls/tool-definition.ts";
import { MODES, searchContent } from "./content-text.ts";

const DESCRIPTION = "Search file contents with a regex (RE2). Skips binary and gitignored files.";
const SHARED = {
  pattern: string(""),
  path: optionalText("file or directory"),
  type: optionalText("file type: js, py, …"),
  output_mode: withEnum(string("", { default: "files_with_matches" }), MODES),
  multiline: boolean("", { default: false }),
  head_limit: integer("0 = all", { default: 0 }),
  offset: integer("", { default: 0 }),
};

export const grep = serveTool({
  surface: "coding",
  name: "grep",
  description: DESCRIPTION,
  readOnly: true,
  input: object({
    ...SHARED,
    include: optionalText("glob"),
    case_insensitive: boolean("", { default: false }),
    line_numbers: boolean("", { default: true }),
    context_before: optional(integer("")),
    context_after: optional(integer("")),
    context: optional(integer("")),
  }),
  acts: ({ path }) => ({ paths: [{ requested: path ?? ".", access: "read" }] }),
  run: (input, call) =>
    searchContent(
      {
        ...input,
        mode: input.output_mode,
        caseInsensitive: input.case_insensitive,
        lineNumbers: input.line_numbers,
        limit: input.head_limit,
        before: input.context_before,
        after: input.context_after,
      },
      call,
    ),
});

export const compatGrep = serveTool({
  surface: "coding",
  name: "grep",
  description: DESCRIPTION,
  readOnly: true,
  input: object({
    ...SHARED,
    glob: optionalText(""),
    "-i": boolean("ignore case", { default: false }),
    "-n": boolean("line numbers", { default: true }),
    "-B": optional(integer("")),
    "-A": optional(integer("")),
    "-C": optional(integer("")),
    context: optional(integer("same as -C")),
  }),
  acts: ({ path }) => ({ paths: [{ requested: path ?? ".", access: "read" }] }),
  run: (input, call) =>
    searchContent(
      {
        ...input,
        include: input.glob,
        mode: input.output_mode,
        caseInsensitive: input["-i"],
        lineNumbers: input["-n"],
        limit: input.head_limit,
        before: input["-B"],
        after: input["-A"],
        context: input.context ?? input["-C"],
      },
      call,
    ),
});
