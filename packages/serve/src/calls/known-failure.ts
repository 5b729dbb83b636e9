// What a surface has words for. Anything else that is thrown is a bug, and mcp's callTool deals with bugs.
import type { EngineError } from "@bosun/engine";
import type { InvalidArguments } from "@bosun/mcp/server";
import type { Refusal } from "./refusal.ts";

export type KnownFailure = EngineError | InvalidArguments | Refusal;

/** What a surface may repeat of the call that failed. */
export type FailedCall = {
  readonly tool: string;
  /** As they were sent. */
  readonly args: unknown;
  readonly workdir: string;
};
