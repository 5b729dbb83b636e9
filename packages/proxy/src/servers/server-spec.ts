// What a server is started with or reached at.
import { existsSync, statSync } from "node:fs";
import path from "node:path";

export type ServerSpec = { name: string } & (
  | { kind: "command"; command: string; args: readonly string[]; env?: Record<string, string>; cwd?: string }
  | { kind: "url"; url: URL; headers?: Record<string, string> }
);

/** As pins name servers. A script named relative to this folder is another one in another folder. */
export function addressOf(spec: ServerSpec): { url: string } | { command: string; args: string[] } {
  if (spec.kind === "url") return { url: spec.url.href };
  const folder = spec.cwd ?? process.cwd();
  const placed = (word: string): string => {
    const file = path.resolve(folder, word);
    const isScript = !path.isAbsolute(word) && existsSync(file) && statSync(file).isFile();
    return isScript ? file : word;
  };
  return { command: placed(spec.command), args: spec.args.map(placed) };
}
