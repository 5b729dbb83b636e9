// read_bcp_file: a .bcp file as text a model reads.
import { resolve } from "node:path";
import { MODES } from "@bosun/bcp";
import type { Mode } from "@bosun/bcp";
import { defineTool, number, object, oneOf, optional, string, text } from "@bosun/mcp/server";
import type { BcpCommand } from "../bcp-command.ts";
import { explained, problemWithFile } from "./bcp-file-argument.ts";

export const readBcpFile = (bcp: BcpCommand, defaultMode: Mode) =>
  defineTool({
    name: "read_bcp_file",
    description:
      "Read a .bcp (Bit Context Protocol) file and return its content as text, rendered as XML, Markdown or minimal.",
    readOnly: true,
    input: object({
      path: string("Absolute path to the .bcp file"),
      mode: oneOf("Output render mode", MODES, { default: defaultMode }),
      budget: optional(number("Token budget: low-priority blocks are summarised to fit", { min: 0, max: 0xffff_ffff })),
    }),
    async run({ path: asked, mode, budget }, { signal }) {
      const path = resolve(asked);
      const problem = await problemWithFile(bcp, path, ".bcp");
      if (problem) return problem;
      const limit = budget === undefined ? [] : ["--budget", String(Math.floor(budget)), "--verbosity", "adaptive"];
      const words = ["decode", { path, use: "read" }, "--mode", mode, ...limit, ...bcp.extra.decode] as const;
      const outcome = await bcp.run(words, signal, less(budget));
      return outcome.exitCode === 0 ? text(outcome.stdout) : explained(outcome);
    },
  });

/** What can be asked for instead: what is critical does not heed a budget. */
function less(budget: number | undefined): string | undefined {
  if (budget === undefined) return "set a budget";
  return budget >= 1 ? "a smaller budget may help" : undefined;
}
