// view: a file with line numbers, a directory as a tree, an image as an image.
import { array, integer, object, optional, string } from "@bosun/mcp/server";
import { serveTool } from "../../calls/tool-definition.ts";
import { viewPath } from "./view-path.ts";

export const view = serveTool({
  surface: "coding",
  name: "view",
  description: "Read a file (numbered lines, or image) or list a directory.",
  readOnly: true,
  input: object({
    path: string(""),
    view_range: optional(array("[first, last] line, 1-based", integer(""))),
  }),
  acts: ({ path }) => ({ paths: [{ requested: path, access: "read" }] }),
  run: ({ view_range }, call) => viewPath(view_range, call),
});
