// list_dir: the entries of a folder, or of everything below it.
import { listEntries } from "@bosun/engine";
import { boolean, integer, object, string } from "@bosun/mcp/server";
import { serveTool } from "../../calls/tool-definition.ts";
import { succeeded } from "./envelope.ts";
import { normalOf, orRoot } from "./echoed-path.ts";

export const listDir = serveTool({
  surface: "workspace",
  name: "list_dir",
  description: "List a workspace folder.",
  readOnly: true,
  input: object({
    dir: string("", { default: "." }),
    recursive: boolean("", { default: false }),
    maxEntries: integer("", { min: 1, max: 2000, default: 500 }),
  }),
  acts: ({ dir }) => ({ paths: [{ requested: orRoot(dir), access: "read" }] }),
  async run({ dir, recursive, maxEntries }, call) {
    const listing = await listEntries(call.place(), { recursive, maxEntries, signal: call.context.signal });
    const normal = normalOf(orRoot(dir));
    const prefix = normal === "." ? "" : `${normal}/`;
    const entries = listing.entries.map(({ path, type, size }) => ({ path: prefix + path, type, size }));
    return succeeded({ dir: normal, entries, truncated: listing.truncated });
  },
});
