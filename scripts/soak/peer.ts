// What a deed needs of a connection, whatever carries it.

export type Answer = {
  readonly text: string;
  readonly isError: boolean;
  /** A JSON-RPC error instead of a result. */
  readonly code: number | undefined;
};

export type Peer = {
  readonly name: string;
  ask(method: string, params: object): Promise<Answer>;
  /** Asks and thinks better of it: resolves when the wish to cancel has been sent. */
  askAndCancel(method: string, params: object, afterMs: number): Promise<void>;
};

/** The connection ended before the answer came: somebody was killed, on purpose or not. The ledger knows. */
export class Gone extends Error {
  override readonly name = "Gone";
}

export function call(peer: Peer, tool: string, args: object): Promise<Answer> {
  return peer.ask("tools/call", { name: tool, arguments: args });
}

export function answerOf(message: { result?: unknown; error?: { code?: number; message?: string } }): Answer {
  if (message.error !== undefined)
    return { text: message.error.message ?? "", isError: true, code: message.error.code ?? 0 };
  const result = message.result as { content?: { text?: string }[]; isError?: boolean };
  const text = (result.content ?? []).map((part) => part.text ?? "").join("\n");
  return { text, isError: result.isError === true, code: undefined };
}

export const GREETING = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "soak", version: "1" },
};
