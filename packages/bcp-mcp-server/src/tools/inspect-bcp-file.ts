// inspect_bcp_file: which blocks a .bcp file holds, without their content.
import { resolve } from "node:path";
import { defineTool, object, string, text } from "@bosun/mcp/server";
import type { BcpCommand } from "../bcp-command.ts";
import { explained, problemWithFile } from "./bcp-file-argument.ts";

export const inspectBcpFile = (bcp: BcpCommand) =>
  defineTool({
    name: "inspect_bcp_file",
    description: "List the blocks of a .bcp file with their types and sizes, without rendering the content.",
    readOnly: true,
    input: object({ path: string("Absolute path to the .bcp file") }),
    async run({ path: asked }, { signal }) {
      const path = resolve(asked);
      const problem = await problemWithFile(bcp, path, ".bcp");
      if (problem) return problem;
      const outcome = await bcp.run(["inspect", { path, use: "read" }], signal, "read_bcp_file takes a budget");
      return outcome.exitCode === 0 ? text(outcome.stdout) : explained(outcome);
    },
  });
