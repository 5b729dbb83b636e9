// Calls of 2026-07-28 that wait for an answer of their client, behind a state that nobody but that client was given.
import { INVALID_PARAMS, isObject, RpcError } from "@bosun/mcp/server";
import type { Call } from "@bosun/mcp/server";
import { StateCipher } from "@bosun/mcp/relay";

/** A person may take this long to answer before the parked call is given up. */
const PARKED_MS = 10 * 60 * 1000;
const MAX_PARKED = 100;

type Run = { isParked: boolean; controller: AbortController };

export class ParkedCalls<T extends Run> {
  private readonly cipher = new StateCipher();
  private readonly parked = new Map<string, T>();

  /** The `requestState` that brings the call back. */
  async park(run: T, call: Call): Promise<string> {
    if (this.parked.size >= MAX_PARKED) throw new RpcError(INVALID_PARAMS, "too many calls wait for an answer");
    const id = crypto.randomUUID();
    this.parked.set(id, run);
    run.isParked = true;
    const expiry = setTimeout(() => this.parked.delete(id) && run.controller.abort(), PARKED_MS);
    expiry.unref?.();
    return this.cipher.encrypt({ id, owner: call.owner, method: call.method, name: call.params["name"] ?? null });
  }

  async take(call: Call): Promise<T> {
    const state = call.params["requestState"];
    const opened = typeof state === "string" ? await this.cipher.decrypt(state) : undefined;
    const ours = isObject(opened) && opened["owner"] === call.owner && opened["method"] === call.method;
    const id = ours && opened["name"] === (call.params["name"] ?? null) ? String(opened["id"]) : "";
    const run = this.parked.get(id);
    if (!run) throw new RpcError(INVALID_PARAMS, "requestState is unknown or has expired: call again from the start");
    this.parked.delete(id);
    run.isParked = false;
    return run;
  }
}
