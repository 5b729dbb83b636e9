// Calls of 2026-07-28 that wait for an answer of their client, behind a state that nobody but that client was given.
import { INVALID_PARAMS, isObject, RpcError } from "@bosun/mcp/server";
import type { Call } from "@bosun/mcp/server";
import { StateCipher } from "@bosun/mcp/relay";

/** A person may take this long to answer before the waiting call is given up. */
const MAX_WAIT_MS = 10 * 60 * 1000;
const MAX_WAITING = 100;

type Suspended = { awaitsInput: boolean; controller: AbortController };

export class CallsAwaitingInput<T extends Suspended> {
  private readonly cipher = new StateCipher();
  private readonly waiting = new Map<string, T>();

  /** The `requestState` that brings the call back. */
  async suspend(run: T, call: Call): Promise<string> {
    if (this.waiting.size >= MAX_WAITING) throw new RpcError(INVALID_PARAMS, "too many calls wait for an answer");
    const id = crypto.randomUUID();
    this.waiting.set(id, run);
    run.awaitsInput = true;
    const expiry = setTimeout(() => this.waiting.delete(id) && run.controller.abort(), MAX_WAIT_MS);
    expiry.unref?.();
    return this.cipher.encrypt({ id, owner: call.owner, method: call.method, name: call.params["name"] ?? null });
  }

  async resume(call: Call): Promise<T> {
    const state = call.params["requestState"];
    const opened = typeof state === "string" ? await this.cipher.decrypt(state) : undefined;
    const ours = isObject(opened) && opened["owner"] === call.owner && opened["method"] === call.method;
    const id = ours && opened["name"] === (call.params["name"] ?? null) ? String(opened["id"]) : "";
    const run = this.waiting.get(id);
    if (!run) throw new RpcError(INVALID_PARAMS, "requestState is unknown or has expired: call again from the start");
    this.waiting.delete(id);
    run.awaitsInput = false;
    return run;
  }
}
