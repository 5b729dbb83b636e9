// What all three tools check of a path before anything is run: words for people, not system errors.
import { stat } from "node:fs/promises";
import path from "node:path";
import { failure } from "@bosun/mcp/server";
import type { ToolResult } from "@bosun/mcp/server";
import type { BcpCommand, BcpOutcome } from "../bcp-command.ts";

/** Why this path cannot be read as a file, or undefined. */
export async function problemWithFile(
  bcp: BcpCommand,
  file: string,
  extension?: string,
): Promise<ToolResult | undefined> {
  await bcp.check(file);
  if (extension !== undefined && !hasExtension(file, extension)) return failure(`${file} is not a ${extension} file`);
  const found = await stat(file).catch(() => undefined);
  if (!found) return failure(`${file} does not exist`);
  if (!found.isFile()) return failure(`${file} is not a regular file`);
  return undefined;
}

export function hasExtension(file: string, extension: string): boolean {
  return path.extname(file).toLowerCase() === extension;
}

/** What the command line said, as a failure the model can read. */
export function explained(outcome: BcpOutcome): ToolResult {
  return failure(said(outcome));
}

/** Why a run failed, in its own words if it had any. */
export function said({ stderr, stdout, exitCode }: BcpOutcome): string {
  return (stderr || stdout).trim() || `bcp failed with exit code ${exitCode}`;
}
