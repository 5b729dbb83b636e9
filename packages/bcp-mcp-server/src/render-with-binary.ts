// Detected blocks through another `bcp` binary (BCP_CLI_PATH): encoded from a JSON manifest and decoded to text. The
// reference's manifests have no file trees and no diffs: blocks of these are encoded here and decoded by the binary.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { encodePlain } from "@bosun/bcp";
import type { NewBlock } from "@bosun/bcp";
import type { Log } from "@bosun/platform/log";
import type { RenderBlocks } from "@bosun/proxy";
import { ConcurrencyLimit } from "./concurrency-limit.ts";
import { runExternal } from "./external-bcp.ts";

const PROCESSES = 4;
const MAX_OUTPUT_CHARS = 4 * 1024 * 1024;
const decoder = new TextDecoder();

export type BinaryOptions = { timeoutMs: number; log: Log; signal: AbortSignal };

export function renderWithBinary(program: string, { timeoutMs, log, signal }: BinaryOptions): RenderBlocks {
  const limit = new ConcurrencyLimit(PROCESSES);
  const bcp = async (...args: string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await runExternal(program, args, {
      timeoutMs,
      maxChars: MAX_OUTPUT_CHARS,
      signal,
    });
    if (exitCode !== 0) throw new Error(stderr.trim() || `${program} ${args[0]} ended with exit code ${exitCode}`);
    return stdout;
  };
  return (blocks, { mode, budget }) =>
    limit.run(signal, async () => {
      const folder = await mkdtemp(path.join(tmpdir(), "bcp-render-"));
      try {
        const payload = path.join(folder, "blocks.bcp");
        const manifest = manifestOf(blocks);
        if (manifest === undefined) await writeFile(payload, encodePlain(blocks));
        else {
          const file = path.join(folder, "manifest.json");
          await writeFile(file, manifest);
          await bcp("encode", file, "-o", payload);
        }
        const limits = budget === undefined ? [] : ["--budget", String(budget), "--verbosity", "adaptive"];
        return (await bcp("decode", payload, "--mode", mode, ...limits)).replace(/\n$/, "");
      } catch (error) {
        // Rendering is not needed for the result: it leaves without, and the log says why.
        log("warn", `BCP_CLI_PATH: ${error instanceof Error ? error.message : String(error)}`);
        return undefined;
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
}

/** Undefined where a block is of a type that such a manifest does not have. */
function manifestOf(blocks: readonly NewBlock[]): string | undefined {
  const entries = blocks.map(entryOf);
  return entries.includes(undefined) ? undefined : JSON.stringify({ blocks: entries });
}

function entryOf(block: NewBlock): object | undefined {
  const { type } = block;
  const summary = block.summary === undefined ? {} : { summary: block.summary };
  if (type === "code")
    return { type, lang: block.lang, path: block.path, content: decoder.decode(block.content), ...summary };
  if (type === "structured_data")
    return { type, format: block.format, content: decoder.decode(block.content), ...summary };
  if (type === "tool_result") {
    const { toolName, status } = block;
    // The reference reads `name`, the specification says `tool_name`.
    return { type, name: toolName, tool_name: toolName, status, content: decoder.decode(block.content), ...summary };
  }
  return undefined;
}
