// encode_bcp_file: a JSON manifest as a .bcp file.
import { isAbsolute } from "node:path";
import { boolean, defineTool, failure, object, string, text } from "@bosun/mcp/server";
import type { BcpCommand } from "../bcp-command.ts";
import { explained, problemWithFile } from "./bcp-file-argument.ts";

export const encodeBcpFile = (bcp: BcpCommand) =>
  defineTool({
    name: "encode_bcp_file",
    description: "Encode a JSON manifest of blocks (code, conversation, tool results …) into a .bcp file.",
    destructive: true,
    idempotent: true,
    input: object({
      manifest_path: string("Absolute path to the JSON manifest file"),
      output_path: string("Absolute path for the output .bcp file"),
      compress: boolean("Enable per-block zstd compression", { default: false }),
    }),
    async run({ manifest_path, output_path, compress }, { signal }) {
      const problem = await problemWithFile(bcp, manifest_path);
      if (problem) return problem;
      if (!isAbsolute(output_path)) return failure(`${output_path} is not an absolute path`);
      await bcp.check(output_path);
      const written = await bcp.run(
        ["encode", manifest_path, "-o", output_path, ...bcp.extended, ...(compress ? ["--compress-blocks"] : [])],
        signal,
      );
      if (written.exitCode !== 0) return explained(written);
      const stats = await bcp.run(["stats", output_path], signal);
      return stats.exitCode === 0 ? text(`Wrote ${output_path}\n\n${stats.stdout}`) : explained(stats);
    },
  });
