// The clients of the proxy, each with servers of its own: made with their first request, ended with their connection or,
// where they have none, when they do not come back.
import { createHash } from "node:crypto";
import { isShared, ANONYMOUS_OWNER, TooManyClients } from "@bosun/mcp/server";
import type { Call } from "@bosun/mcp/server";
import type { Originals } from "@bosun/shrink";
import { ServerSlots } from "../servers/server-slots.ts";
import { Client } from "./client.ts";
import type { ClientOptions } from "./client.ts";

/** As long as sessions over HTTP may be silent. */
const IDLE_MS = 30 * 60 * 1000;

type Entry = {
  client: Client;
  release(): void;
  /** It came over HTTP without a session: nothing tells when it has gone. */
  isSessionless: boolean;
};

export class Clients {
  readonly originals: Originals;
  private readonly options: ClientOptions;
  private readonly slots: ServerSlots;
  private readonly entries = new Map<string, Entry>();
  private readonly closing = new Set<Promise<void>>();
  private readonly sweeper = setInterval(() => this.endIdle(), IDLE_MS / 10);

  constructor(options: ClientOptions & { originals: Originals }, maxClients: number = Infinity) {
    this.options = options;
    this.originals = options.originals;
    this.slots = new ServerSlots(maxClients);
    this.sweeper.unref?.();
  }

  has(owner: string): boolean {
    return this.entries.has(owner);
  }

  get(owner: string): Client | undefined {
    return this.entries.get(owner)?.client;
  }

  /** The client of this call. Throws TooManyClients when there are too many. */
  of({ owner, header }: Call): Client {
    const known = this.get(owner);
    if (known) return known;
    const release = isShared(owner) ? () => {} : (this.slots.take() ?? this.slotOfLongestIdle());
    if (!release) throw new TooManyClients();
    const client = new Client(owner, this.originals, this.slots, this.options);
    this.entries.set(owner, { client, release, isSessionless: header !== undefined });
    this.options.savings.session(this.options.servers);
    return client;
  }

  end(owner: string): void {
    const entry = this.entries.get(owner);
    this.originals.forget(owner);
    if (!entry) return;
    entry.release();
    this.entries.delete(owner);
    const closed = entry.client.close();
    this.closing.add(closed);
    void closed.finally(() => this.closing.delete(closed));
  }

  async close(): Promise<void> {
    clearInterval(this.sweeper);
    await Promise.all([...this.closing, ...[...this.entries.values()].map(({ client }) => client.close())]);
  }

  private endIdle(): void {
    for (const { owner, lastUsed } of this.idle()) if (Date.now() - lastUsed > IDLE_MS) this.end(owner);
  }

  private slotOfLongestIdle(): (() => void) | undefined {
    const [longest] = this.idle().toSorted((one, other) => one.lastUsed - other.lastUsed);
    if (!longest) return undefined;
    this.end(longest.owner);
    return this.slots.take();
  }

  private idle(): Client[] {
    const sessionless = [...this.entries.values()].filter(({ isSessionless }) => isSessionless);
    return sessionless.map(({ client }) => client).filter(({ running }) => running === 0);
  }
}

/**
 * The call under the name of its token. Clients of 2026-07-28 over HTTP have no session: they are told apart by the token
 * they send, if they do. Nobody checks it here: it is something that only they hold.
 */
export function withTokenOwner(call: Call): Call {
  const token = call.owner === ANONYMOUS_OWNER ? call.header?.("authorization") : undefined;
  if (!token) return call;
  return { ...call, owner: `principal:${createHash("sha256").update(token).digest("base64url")}` };
}
