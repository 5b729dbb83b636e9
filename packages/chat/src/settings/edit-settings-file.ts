// A server that was named at run time → a few lines at the end of the person's settings file.
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { writePrivateFile } from "@bosun/platform/private-files";
import { readSettings } from "@bosun/settings";
import type { ServerConfig } from "../servers/server-config.ts";

/** Throws when the file would not be valid with it. */
export function saveServer(file: string, config: ServerConfig): void {
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  const added = `\n${tableOf(config)}`;
  readSettings(file, before + added); // a file we made unreadable would end the next start
  replaceFile(file, before === "" ? added.trimStart() : before + added);
}

/** `"alias.tool" = true` under `[mcp.auto_approve]`, which is made when it is not there. */
export function saveApproval(file: string, pattern: string): void {
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  const line = `${JSON.stringify(pattern)} = true`;
  const header = "[mcp.auto_approve]";
  const lines = before.split("\n");
  const at = lines.findIndex((one) => one.trim() === header);
  const text =
    at < 0
      ? `${before}${before === "" || before.endsWith("\n") ? "" : "\n"}\n${header}\n${line}\n`
      : [...lines.slice(0, at + 1), line, ...lines.slice(at + 1)].join("\n");
  readSettings(file, text);
  replaceFile(file, text);
}

/** Takes the table away again; false when it is not there. */
export function removeServer(file: string, alias: string): boolean {
  if (!existsSync(file)) return false;
  const lines = readFileSync(file, "utf8").split("\n");
  const start = lines.findIndex((line) => line.trim() === `[mcp.servers.${alias}]`);
  if (start < 0) return false;
  const isOwn = (line: string): boolean => !/^\s*\[/.test(line) || line.trim().startsWith(`[mcp.servers.${alias}.`);
  let end = start + 1;
  while (end < lines.length && isOwn(lines[end] ?? "")) end += 1;
  const text = [...lines.slice(0, start), ...lines.slice(end)].join("\n");
  readSettings(file, text);
  replaceFile(file, text);
  return true;
}

// Whole or not at all: half a settings file would end the next start. A link to it stays a link.
function replaceFile(file: string, text: string): void {
  writePrivateFile(existsSync(file) ? realpathSync(file) : file, text);
}

function tableOf({ alias, reach }: ServerConfig): string {
  const lines = [`[mcp.servers.${alias}]`];
  if (reach.kind === "http") lines.push(`url = ${JSON.stringify(reach.url)}`);
  if (reach.kind === "http" && reach.authEnv !== undefined) lines.push(`auth_env = ${JSON.stringify(reach.authEnv)}`);
  if (reach.kind === "stdio") {
    lines.push(`command = ${JSON.stringify(reach.command)}`);
    if (reach.args.length > 0) lines.push(`args = ${JSON.stringify(reach.args)}`);
  }
  return `${lines.join("\n")}\n`;
}
