// edit_file: literal find and replace, one or all, with an expected count if wanted.
import { replaceText } from "@bosun/engine";
import { boolean, integer, object, optional, string } from "@bosun/mcp/server";
import { serveTool } from "../../calls/tool-definition.ts";
import { succeeded } from "./envelope.ts";
import { normalOf } from "./echoed-path.ts";
import { MAX_WRITTEN_BYTES } from "./write-file.ts";

export const editFile = serveTool({
  surface: "workspace",
  name: "edit_file",
  description: "Replace literal text in a workspace file.",
  readOnly: false,
  destructive: true,
  input: object({
    file: string(""),
    find: string("", { minLength: 1 }),
    replace: string(""),
    replaceAll: boolean("", { default: false }),
    expectedOccurrences: optional(
      integer("else EDIT_CONFLICT; more than 1 needs replaceAll", { min: 1, max: 1_000_000 }),
    ),
  }),
  acts: ({ file }) => ({ paths: [{ requested: file, access: "write" }] }),
  async run({ file, find, replace, replaceAll, expectedOccurrences }, call) {
    const { replacements } = await replaceText(call.place(), {
      find,
      replace,
      all: replaceAll,
      ...(expectedOccurrences === undefined ? {} : { expectedOccurrences }),
      maxBytes: MAX_WRITTEN_BYTES,
      signal: call.context.signal,
    });
    return succeeded({ file: normalOf(file), replacements });
  },
});
