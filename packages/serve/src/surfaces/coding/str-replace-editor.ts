// str_replace_editor: view, str_replace and create behind one tool, for models trained on it.
import { EngineError } from "@bosun/engine";
import { array, boolean, integer, isObject, object, optional, string } from "@bosun/mcp/server";
import { serveTool, withEnum } from "../../calls/tool-definition.ts";
import { editFile } from "./replace-in-file.ts";
import { viewPath } from "./view-path.ts";
import { writeText } from "./write-text.ts";

const COMMANDS = ["view", "str_replace", "create"];

const INPUT = object({
  command: withEnum(string(""), COMMANDS),
  path: string(""),
  view_range: optional(array("view: [first, last] line; last -1 is the end", integer(""))),
  old_str: optional(string("str_replace: must be unique unless replace_all")),
  new_str: string("str_replace: omit to delete", { default: "" }),
  replace_all: boolean("", { default: false }),
  file_text: string("create: the content", { default: "" }),
});

export const strReplaceEditor = serveTool({
  surface: "coding",
  name: "str_replace_editor",
  description: "View files and directories, replace exact text in a file, create or overwrite a file.",
  readOnly: false,
  destructive: true,
  input: {
    ...INPUT,
    // A command we do not have comes with arguments we do not have: that there is no `insert` is what helps.
    parse(value, at) {
      const command = isObject(value) ? value["command"] : undefined;
      const isOther = typeof command === "string" && !COMMANDS.includes(command);
      return isOther ? { ok: false, problem: unknown(command) } : INPUT.parse(value, at);
    },
  },
  acts: ({ command, path }) => ({ paths: [{ requested: path, access: command === "view" ? "read" : "write" }] }),
  run(input, call) {
    const { command } = input;
    switch (command) {
      case "view":
        return viewPath(openEnded(input.view_range), call);
      case "str_replace":
        return editFile({ find: input.old_str ?? "", replace: input.new_str, all: input.replace_all }, call);
      case "create":
        return writeText(input.file_text, call);
      default:
        throw new EngineError("INVALID_INPUT", unknown(command));
    }
  },
});

function openEnded(range: readonly number[] | undefined): readonly number[] | undefined {
  return range?.[1] === -1 ? [range[0] ?? 1, Number.MAX_SAFE_INTEGER, ...range.slice(2)] : range;
}

function unknown(command: string): string {
  return `unknown command: ${command} (valid commands: ${COMMANDS.join(", ")})`;
}
