// The server's own tokens out of what a tool answers: a command that finds one in our memory or arguments must not show it.
import { EncodedText } from "@bosun/mcp/server";
import type { TextBlock, ToolResult } from "@bosun/mcp/server";

/** Shorter ones would eat ordinary words; real tokens are longer. */
const SHORTEST = 8;

export function withoutOwnTokens(result: ToolResult, secrets: readonly string[]): ToolResult {
  const worth = secrets.filter((secret) => secret.length >= SHORTEST);
  if (worth.length === 0) return result;
  const shows = result.content.some((block) => block.type === "text" && worth.some((secret) => says(block, secret)));
  const said = result.structuredContent === undefined ? "" : JSON.stringify(result.structuredContent);
  if (!shows && !worth.some((secret) => said.includes(secret))) return result;
  // Through JSON, so that every copy of it goes, wherever the surface has put it.
  let text = JSON.stringify(result);
  for (const secret of worth) text = text.replaceAll(JSON.stringify(secret).slice(1, -1), "[redacted: server token]");
  return JSON.parse(text) as ToolResult;
}

function says(block: TextBlock, secret: string): boolean {
  return block instanceof EncodedText ? block.includes(secret) : block.text.includes(secret);
}
