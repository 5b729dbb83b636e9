// Why a server is not there, in words for the person: what it answered, or how its process ended and what it said last.
import { AuthorizationError, ConnectionError } from "@bosun/mcp";
import { RecentLog } from "./recent-log.ts";
import type { ServerConfig } from "./server-config.ts";

/** A connection that breaks is noticed before its process has ended and its last words are read. */
const EXIT_WAIT_MS = 300;

/** One start of a server's process; nothing ever comes in where there is none. */
export class ServerProcess {
  readonly #stderr = new RecentLog(20);
  readonly #exit = Promise.withResolvers<string>();

  wrote(text: string): void {
    this.#stderr.text(text);
  }

  /** "exit 1", "SIGKILL" */
  ended(how: string): void {
    this.#exit.resolve(how);
  }

  /** How it ended and the last line it wrote, as far as there is any of it. */
  async lastWords({ reach }: ServerConfig): Promise<string | undefined> {
    if (reach.kind !== "stdio") return undefined;
    const exit = await Promise.race([this.#exit.promise, Bun.sleep(EXIT_WAIT_MS)]);
    const said = this.#stderr.last;
    const parts = [...(exit === undefined ? [] : [exit]), ...(said === undefined ? [] : [`it said: ${said}`])];
    return parts.length === 0 ? undefined : parts.join(", ");
  }
}

export async function whyNotConnected(error: unknown, config: ServerConfig, process: ServerProcess): Promise<string> {
  const status = error instanceof ConnectionError ? error.status : undefined;
  if (status === 401 || status === 403) return `HTTP ${status} (${whyRefused(config)})`;
  if (error instanceof AuthorizationError) return `sign-in failed: ${error.message}`;
  const said = error instanceof Error ? error.message : String(error);
  const last = await process.lastWords(config);
  if (last === undefined) return said;
  const isJustGone = error instanceof ConnectionError && error.reason === "closed";
  return isJustGone ? `it ended: ${last}` : `${said} (${last})`;
}

function whyRefused({ alias, reach }: ServerConfig): string {
  if (reach.kind === "http" && reach.authToken !== undefined) return "its token was refused";
  if (reach.kind === "http" && reach.authEnv !== undefined) return `token from ${reach.authEnv} was refused`;
  return `it wants a sign-in: :mcp login ${alias}, or a token: :mcp connect ${alias} --token`;
}
