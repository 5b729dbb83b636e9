// A client of an HTTP endpoint, with a session or without (2026-07-28): counts the answers in every response, and can
// vanish in the middle of one.
import { EventParser } from "@bosun/platform/sse";
import { Ledger, note } from "./ledger.ts";
import type { Tally } from "./ledger.ts";
import { answerOf, Gone, GREETING } from "./peer.ts";
import type { Answer, Peer } from "./peer.ts";

const MODERN = "2026-07-28";

export type Endpoint = { readonly url: string; readonly token: string | undefined };

export class HttpPeer implements Peer {
  readonly name: string;
  private readonly endpoint: Endpoint;
  private readonly era: "session" | "modern";
  private readonly ledger: Ledger;
  private readonly tally: Tally;
  private readonly vanished = new AbortController();
  private session: string | undefined;
  private next = 1;

  constructor(name: string, endpoint: Endpoint, era: "session" | "modern", tally: Tally) {
    this.name = name;
    this.endpoint = endpoint;
    this.era = era;
    this.tally = tally;
    this.ledger = new Ledger(name, tally);
  }

  /** False when all places are taken, by clients that left without a word and are not yet missed. */
  async greet(): Promise<boolean> {
    if (this.era === "modern") return true;
    const { isError, text } = await this.ask("initialize", GREETING);
    if (isError && text.startsWith("too many sessions")) return false;
    await this.post({ jsonrpc: "2.0", method: "notifications/initialized" }, this.vanished.signal);
    return true;
  }

  async ask(method: string, params: object, slowMs = 0): Promise<Answer> {
    const id = this.next++;
    this.ledger.asked(id, `${method} ${(params as { name?: string }).name ?? ""}`);
    return this.exchange(id, method, params, this.vanished.signal, slowMs);
  }

  /** With a session by a notification; without one by hanging up, which is how that revision cancels. */
  async askAndCancel(method: string, params: object, afterMs: number): Promise<void> {
    const id = this.next++;
    const hangUp = new AbortController();
    this.ledger.asked(id, method);
    const answer = this.exchange(id, method, params, AbortSignal.any([this.vanished.signal, hangUp.signal]));
    answer.catch(() => undefined);
    await Bun.sleep(afterMs);
    this.ledger.cancelled(id);
    if (this.era === "session") {
      const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } };
      await this.post(cancel, this.vanished.signal).catch(() => undefined);
      await Promise.race([answer.catch(() => undefined), Bun.sleep(200)]);
    }
    hangUp.abort();
    await answer.catch(() => undefined);
  }

  /** Says goodbye. */
  async leave(): Promise<void> {
    if (this.session !== undefined)
      await fetch(this.endpoint.url, { method: "DELETE", headers: this.headers("DELETE", {}) }).catch(() => undefined);
    this.ledger.settle();
  }

  /** Every connection is dropped, and nobody says goodbye. */
  vanish(): void {
    this.ledger.cutOff();
    this.vanished.abort();
  }

  private async exchange(id: number, method: string, params: object, signal: AbortSignal, slowMs = 0): Promise<Answer> {
    let found: Answer | undefined;
    try {
      const response = await this.post({ jsonrpc: "2.0", id, method, params: this.withMeta(params) }, signal);
      this.session ??= response.headers.get("mcp-session-id") ?? undefined;
      if (slowMs > 0) await Bun.sleep(slowMs);
      for (const message of messagesIn(await response.text(), response.headers.get("content-type") ?? "")) {
        if (message.method !== undefined) continue;
        this.ledger.answered(message.id);
        if (message.id === id) found = answerOf(message);
      }
    } catch (error) {
      if (!signal.aborted) note(this.tally.wrong, `${this.name}: ${method}: ${String(error)}`);
    }
    if (found === undefined) throw new Gone(`${this.name}: no answer`);
    return found;
  }

  private post(message: object, signal: AbortSignal): Promise<Response> {
    return fetch(this.endpoint.url, {
      method: "POST",
      headers: this.headers("POST", message),
      body: JSON.stringify(message),
      signal,
    });
  }

  private headers(verb: string, message: { method?: string; params?: { name?: string } }): Record<string, string> {
    const name = message.params?.name;
    return {
      ...(verb === "POST" ? { "content-type": "application/json" } : {}),
      accept: "application/json, text/event-stream",
      ...(this.endpoint.token === undefined ? {} : { authorization: `Bearer ${this.endpoint.token}` }),
      ...(this.session === undefined ? {} : { "mcp-session-id": this.session }),
      "mcp-protocol-version": this.era === "modern" ? MODERN : GREETING.protocolVersion,
      ...(this.era === "modern" && message.method !== undefined ? { "mcp-method": message.method } : {}),
      ...(this.era === "modern" && name !== undefined ? { "mcp-name": name } : {}),
    };
  }

  private withMeta(params: object): object {
    if (this.era === "session") return params;
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": MODERN,
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": GREETING.clientInfo,
    };
    return { ...params, _meta };
  }
}

type Message = {
  id?: number;
  method?: string;
  result?: unknown;
  error?: { code?: number; message?: string };
};

function messagesIn(text: string, type: string): Message[] {
  if (text === "") return [];
  if (!type.startsWith("text/event-stream")) return [JSON.parse(text) as Message];
  const events = [...new EventParser(text.length).push(text)];
  return events.filter(({ data }) => data !== "").map(({ data }) => JSON.parse(data) as Message);
}
