// A tool of this server: its wire description, what it would touch (for the rules), and what it does.
import { optional, string } from "@bosun/mcp/server";
import type { Context, JsonObject, Schema, ToolResult } from "@bosun/mcp/server";
import type { Session } from "@bosun/engine";
import type { ServerState } from "../server/server-state.ts";
import type { Places } from "./call-places.ts";
import type { Surface } from "../config/config.ts";

/** What a call would do, in the caller's own words. A tool reaches no path that is not named here. */
export type Acts = {
  readonly command?: string;
  readonly argv?: readonly string[];
  /** Variables the caller sets for its command. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Where it would run, as requested; undefined: in the directory of the session, or of the server. */
  readonly cwd?: string | undefined;
  /** No protected place is opened for it: it goes on after the answer, or the caller chose what its programs' names mean. */
  readonly neverOpens?: boolean;
  readonly paths?: readonly {
    readonly requested: string;
    readonly access: "read" | "write";
    readonly follow?: boolean;
  }[];
};

/** What the audit is told about how it went. */
export type OutcomeFacts = {
  readonly exit?: number | null;
  readonly signal?: string | null;
  readonly timedOut?: boolean;
  readonly bytesOut?: number;
  readonly bytesErr?: number;
  readonly cpuMs?: number;
  readonly maxRssBytes?: number;
  /** Why it failed, in a word that does not change. */
  readonly code?: string;
  /** The resource limit that ended it. */
  readonly limitHit?: string;
  readonly environment?: readonly string[];
};

/** What a tool may use of the server. Not its scopes: a path is had from the call, where it was resolved and judged. */
export type ToolServerState = Pick<
  ServerState,
  | "config"
  | "log"
  | "host"
  | "environment"
  | "protection"
  | "noteRead"
  | "wasRead"
  | "keepDirectory"
  | "sessionHolding"
  | "boundary"
  | "sandbox"
>;

export type ToolCall = Places & {
  readonly state: ToolServerState;
  readonly session: Session;
  readonly context: Context;
  /** Protected places that the person opened for this very call. */
  readonly open: readonly string[];
  note(facts: OutcomeFacts): void;
};

export type ToolDefinition<Input = unknown> = {
  readonly surface: Surface;
  readonly name: string;
  readonly description: string;
  readonly input: Schema<Input>;
  /** Changes nothing: stays under --read-only. */
  readonly readOnly: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly openWorld?: boolean;
  /** Its results say what commands did: also what of it was put back. */
  readonly showsCommands?: boolean;
  acts(input: Input): Acts;
  run(input: Input, call: ToolCall): Promise<ToolResult>;
};

export function serveTool<Input>(tool: ToolDefinition<Input>): ToolDefinition {
  // The one place where the input's type is forgotten: callTool hands `run` only what `input` has parsed.
  return tool as unknown as ToolDefinition;
}

/** A text that may be left out, or be empty, which says the same: many a model fills in everything it was told of. */
export function optionalText(description: string, values?: readonly string[]): Schema<string | undefined> {
  const given = optional(values === undefined ? string(description) : withEnum(string(description), values));
  return {
    ...given,
    parse(value, at) {
      const parsed = given.parse(value, at);
      return parsed.ok && parsed.value === "" ? { ok: true, value: undefined } : parsed;
    },
  };
}

/** A text with a closed list of values that the tool itself checks, in its own words. */
export function withEnum(schema: Schema<string>, values: readonly string[]): Schema<string> {
  const { default: fallback, ...json } = schema.json;
  const named: JsonObject = { ...json, enum: [...values] };
  return { ...schema, json: fallback === undefined ? named : { ...named, default: fallback } };
}
