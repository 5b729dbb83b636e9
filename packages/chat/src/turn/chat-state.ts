// Everything a turn works with: the conversation, the model, the servers, the approval policy, and where things are written.
import type { Audit, AuditEvent } from "@bosun/policy";
import type { Settings } from "@bosun/settings";
import type { HttpFetch } from "@bosun/mcp";
import type { ShrinkTools } from "./result-for-model.ts";
import type { TokenEstimator } from "../conversation/token-estimator.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { ApprovalPolicy } from "../approval/approval-policy.ts";
import type { ResultStore } from "../history/result-store.ts";
import type { Model } from "../model/model.ts";
import type { Servers } from "../servers/servers.ts";
import type { Cost } from "./cost.ts";

export type ChatState = {
  conversation: Conversation;
  model: Model;
  readonly servers: Servers;
  readonly approvalPolicy: ApprovalPolicy;
  results: ResultStore;
  readonly tokens: TokenEstimator;
  readonly audit: Audit | undefined;
  /** Loaded with the first tool call. */
  readonly shrink: () => Promise<ShrinkTools>;
  cost: Cost;
  readonly settings: Settings;
  session: string;
  readonly maxDepth: number;
  readonly fetch: HttpFetch;
  system(): string;
  /** What changed in a tool's definition since it was first seen. */
  definitionDiff(server: string, tool: string): string | undefined;
  /** Since when the definitions of a server are what they are. */
  definitionsSince(server: string): string | undefined;
  /** The person has seen and allowed the changed definition. */
  acceptDefinitions(server: string): void;
  /** The last results, whole, for `:last`. */
  lastResults: { name: string; text: string }[];
  lastReasoning: string;
  lastError: string;
  /** Tests make waits short. */
  readonly waitScale: number;
};

/** Writes an audit line. When it cannot be written, nothing may run: the caller hears of it. */
export function record(chat: ChatState, event: AuditEvent): string | undefined {
  try {
    chat.audit?.append({ session: chat.session, ...event });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
