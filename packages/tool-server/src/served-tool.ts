// A tool of this server: its wire description, what it would touch (for the rules), and what it does.
import { optional, string } from "@bosun/mcp/server";
import type { Context, JsonObject, Schema, ToolResult } from "@bosun/mcp/server";
import type { Session } from "@bosun/engine";
import type { Bench } from "./bench.ts";
import type { Surface } from "./config.ts";

/** What a call would do, in the caller's own words; resolved and judged only where a rule asks. */
export type Acts = {
  readonly command?: string;
  readonly argv?: readonly string[];
  /** Where it would run, as requested. */
  readonly cwd?: string | undefined;
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
  readonly environment?: readonly string[];
};

export type ToolCall = {
  readonly bench: Bench;
  readonly session: Session;
  readonly context: Context;
  note(facts: OutcomeFacts): void;
};

export type ServedTool<Input = unknown> = {
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
  run(input: Input, call: ToolCall): Promise<ToolResult> | ToolResult;
};

export function serveTool<Input>(tool: ServedTool<Input>): ServedTool {
  // The one place where the input's type is forgotten: callTool hands `run` only what `input` has parsed.
  return tool as unknown as ServedTool;
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
