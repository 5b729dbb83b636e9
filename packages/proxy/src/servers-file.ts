// --servers: a file with several servers, as other programs keep them (.mcp.json, claude_desktop_config.json).
import { readFileSync } from "node:fs";
import path from "node:path";
import { UsageError } from "@bosun/platform/flags";
import type { Log } from "@bosun/platform/log";
import type { ServerSpec } from "./servers/server-spec.ts";

const MAX_BYTES = 4 * 1024 * 1024;

/** Throws UsageError when there is no server in it. */
export async function readServers(file: string, log: Log): Promise<ServerSpec[]> {
  const text = contentOf(file);
  const { childEnvironment } = await import("@bosun/platform/environment");
  const { BosunError } = await import("@bosun/platform/errors");
  const { readServerList } = await import("@bosun/settings");
  try {
    const { servers, notes } = readServerList(file, text, process.env);
    for (const note of notes) log("warn", `${file}: ${note}`);
    const specs = Object.entries(servers).flatMap(
      ([name, { enabled, url, command, args, env, cwd, headers }]): ServerSpec[] => {
        if (!enabled) return [];
        if (url !== undefined) return [{ name, kind: "url", url: new URL(url), headers: { ...headers } }];
        if (command === undefined) return [];
        return [
          {
            name,
            kind: "command",
            command,
            args,
            env: childEnvironment(process.env, { set: env }),
            ...(cwd === undefined ? {} : { cwd }),
          },
        ];
      },
    );
    if (specs.length === 0) throw new UsageError(`--servers ${file}: there is no server in it`);
    return specs;
  } catch (error) {
    // What is wrong in the file is for the person who named it.
    if (error instanceof BosunError) throw new UsageError(`--servers ${error.message}`);
    throw error;
  }
}

function contentOf(file: string): string {
  try {
    const text = readFileSync(path.resolve(file), "utf8");
    if (text.length <= MAX_BYTES) return text;
  } catch (error) {
    // So is that it cannot be read.
    const isAbsent = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw new UsageError(`--servers ${file}: ${isAbsent ? "there is no such file" : String(error)}`);
  }
  throw new UsageError(`--servers ${file}: larger than ${MAX_BYTES} bytes`);
}
