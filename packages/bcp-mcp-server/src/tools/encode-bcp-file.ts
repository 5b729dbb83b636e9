// encode_bcp_file: a JSON manifest as a .bcp file.
import { resolve } from "node:path";
import { boolean, defineTool, failure, object, string, text } from "@bosun/mcp/server";
import type { BcpCommand } from "../bcp-command.ts";
import { explained, hasExtension, problemWithFile, said } from "./bcp-file-argument.ts";

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
      const manifest = resolve(manifest_path);
      const output = resolve(output_path);
      const problem = await problemWithFile(bcp, manifest);
      if (problem) return problem;
      await bcp.check(output);
      // A wrong word must not replace somebody's source file; nor could the result be read with these tools.
      if (!hasExtension(output, ".bcp")) return failure(`${output} is not a .bcp file`);
      const written = await bcp.run(
        [
          "encode",
          { path: manifest, use: "manifest" },
          "-o",
          { path: output, use: "write" },
          ...bcp.extra.encode,
          ...(compress ? ["--compress-blocks"] : []),
        ],
        signal,
      );
      if (written.exitCode !== 0) return explained(written);
      const stats = await bcp.run(["stats", { path: output, use: "read" }], signal);
      // Written is written: what cannot be counted must not look as if it had to be done again.
      const counted = stats.exitCode === 0 ? stats.stdout : `No statistics: ${said(stats)}\n`;
      return text(`Wrote ${output}\n\n${counted}`);
    },
  });
