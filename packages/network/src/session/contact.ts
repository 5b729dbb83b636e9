// One connection of a command from its arrival to its end: judged, asked about, resolved, checked, connected, copied.
import { resolveHost } from "../addresses/resolve-host.ts";
import { connectTo } from "./upstream.ts";
import { NOTHING_READ, copyStream } from "./copy-stream.ts";
import { holdHello } from "./held-hello.ts";
import type { Socket } from "node:net";
import type { Resolve } from "../addresses/resolve-host.ts";
import type { Arrival } from "../gate/gate-process.ts";
import type { Limits } from "../limits.ts";
import type { HostOutcome } from "./call-report.ts";
import type { ContactDecision, ContactEnd } from "./contact-events.ts";
import type { ContactRecord } from "./contact-record.ts";
import type { Copied, ReadBefore } from "./copy-stream.ts";
import type { ContactVerdict, HostJudge } from "./host-judge.ts";
import type { HostQuestions } from "./host-questions.ts";

/** What all contacts of a session share. */
export type ContactMeans = {
  readonly judge: HostJudge;
  readonly questions: HostQuestions;
  readonly record: ContactRecord;
  readonly resolve: Resolve;
  readonly limits: Limits;
  readonly now: () => number;
  readonly log: (message: string) => void;
  /** Of the calls that the contact belongs to. */
  readonly tell: (calls: readonly string[], outcome: HostOutcome) => void;
};

type Allowed = Extract<ContactVerdict, { kind: "allowed" }> & { readonly wasAsked: boolean };
type Upstream = { readonly addresses: readonly string[]; readonly port: number };

export class Contact {
  readonly calls: readonly string[];
  readonly #means: ContactMeans;
  readonly #host: string;
  readonly #arrival: Arrival;
  /** Tells the gate to end the command's side as a refusal. */
  readonly #reset: () => void;
  readonly #startedAt: number;
  readonly #over = Promise.withResolvers<void>();
  #upstream: Socket | undefined;
  #number: number | undefined;
  #wasAsked = false;
  #isOver = false;
  #up: Copied = { bytes: 0, isEnded: false };
  #down: Copied = { bytes: 0, isEnded: false };
  #lastByteAt: number;

  constructor(means: ContactMeans, host: string, arrival: Arrival, calls: readonly string[], reset: () => void) {
    this.#means = means;
    this.#host = host;
    this.#arrival = arrival;
    this.calls = calls;
    this.#reset = reset;
    this.#startedAt = means.now();
    this.#lastByteAt = this.#startedAt;
    arrival.socket.on("close", () => this.end(this.#up.isEnded && this.#down.isEnded ? "ended" : "reset"));
  }

  /** Resolves when both sides are closed. */
  async run(): Promise<void> {
    try {
      const allowed = await this.#decide();
      const upstream = allowed === undefined || this.#isOver ? undefined : await this.#resolve(allowed);
      if (allowed === undefined || upstream === undefined || this.#isOver) return;
      if (!this.#putOnRecord(allowed, upstream)) return;
      const connected = await connectTo(upstream.addresses, upstream.port, this.#means.limits);
      if ("failed" in connected) return this.#fail(connected.failed);
      await this.#join(connected.socket);
    } catch (error) {
      // A mistake of ours costs this connection.
      this.#means.log(`a connection to ${this.#host} failed: ${String(error)}`);
      this.end("reset");
    }
  }

  /** Ends both sides at once. */
  end(why: ContactEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#upstream?.destroy();
    if (why === "ended" || why === "gate ended") this.#arrival.socket.destroy();
    else this.#refuseRest();
    if (this.#wasAsked && why === "reset") this.#tell("not answered", "allowed meanwhile: run the command again");
    if (this.#number !== undefined) this.#recordEnd(this.#number, why);
    this.#over.resolve();
  }

  /** Ends it when nothing has passed for too long. */
  sweep(): void {
    const quietMs = this.#means.now() - this.#lastByteAt;
    if (this.#upstream === undefined) return; // questions and attempts have limits of their own
    if (quietMs > this.#means.limits.idleMs) this.end("idle");
    else if ((this.#up.isEnded || this.#down.isEnded) && quietMs > this.#means.limits.halfOpenMs) this.end("half open");
  }

  async #decide(): Promise<Allowed | undefined> {
    const { judge, questions } = this.#means;
    const { port } = this.#arrival;
    const verdict = await judge.judgeContact(this.#host, port);
    if (verdict.kind === "allowed") return { ...verdict, wasAsked: false };
    if (verdict.kind === "refused") return this.#refuse("refused", verdict.reason, { rule: verdict.rule });
    this.#tell("not answered", "the question is still open: run the command again when it is answered");
    const answered = await questions.ask(this.#host, port, this.calls);
    if (answered.kind === "later") return this.#refuse("refused", "not allowed yet; asked at the next command", {});
    if (answered.kind === "refused") return this.#refuse("refused", answered.reason, { answer: answered.reason });
    this.#wasAsked = true;
    if (!this.#isOver) return { ...answered, isOwnSetting: false, wasAsked: true };
    this.#tell("not answered", "allowed meanwhile: run the command again");
    return undefined;
  }

  async #resolve({ target, isOwnSetting }: Allowed): Promise<Upstream | undefined> {
    const { limits, resolve } = this.#means;
    if (target !== undefined) return { addresses: [target.address], port: target.port };
    const resolved = await resolveHost(this.#host, resolve, limits.resolveMs, isOwnSetting);
    switch (resolved.kind) {
      case "addresses":
        return { addresses: resolved.addresses, port: this.#arrival.port };
      case "private": {
        const { address } = resolved;
        return this.#refuse("private", `it resolves to ${address}, a private address`, { address });
      }
      case "failed":
        return this.#fail(resolved.why);
    }
  }

  /** Before anything is sent: what cannot be put on record does not happen. */
  #putOnRecord({ rule, answer, wasAsked }: Allowed, { addresses }: Upstream): boolean {
    const [address] = addresses;
    try {
      this.#number = this.#means.record.allowed({
        calls: this.calls,
        host: this.#host,
        port: this.#arrival.port,
        decision: wasAsked ? "asked" : "allowed",
        ...(address === undefined ? {} : { address }),
        ...(rule === undefined ? {} : { rule }),
        ...(answer === undefined ? {} : { answer }),
      });
      return true;
    } catch (error) {
      this.#means.log(`a contact is refused, because it cannot be put on record: ${String(error)}`);
      this.#tell("refused", "it cannot be put on record");
      this.end("reset");
      return false;
    }
  }

  async #join(upstream: Socket): Promise<void> {
    const { socket, first } = this.#arrival;
    if (this.#isOver) return void upstream.destroy();
    this.#upstream = upstream;
    this.#tell("reached");
    this.#lastByteAt = this.#means.now();
    upstream.on("error", () => this.end("upstream reset"));
    upstream.on("close", () => {
      // Whatever it sent is with the gate: that side ends by itself.
      if (!this.#down.isEnded) this.end("upstream reset");
    });
    // A server may speak first.
    this.#down = this.#copy(upstream, socket, NOTHING_READ);
    const hello = await holdHello(socket, first, this.#host, this.#means.limits);
    if (hello?.kind === "refused") {
      this.#refuse("sni", hello.reason, {}, "sni");
      return;
    }
    if (hello !== undefined && !this.#isOver) this.#up = this.#copy(socket, upstream, hello);
    await this.#over.promise;
  }

  #copy(from: Socket, to: Socket, before: ReadBefore): Copied {
    return copyStream(from, to, before, () => {
      this.#lastByteAt = this.#means.now();
    });
  }

  #refuse(
    decision: ContactDecision,
    reason: string,
    more: { rule?: string | undefined; answer?: string; address?: string },
    why: ContactEnd = "reset",
  ): undefined {
    this.#wasAsked = false;
    this.#tell(decision === "failed" ? "failed" : "refused", reason);
    const { rule, ...rest } = more;
    const known = { ...rest, ...(rule === undefined ? {} : { rule }) };
    try {
      const { calls } = this;
      this.#means.record.refused({ calls, host: this.#host, port: this.#arrival.port, decision, reason, ...known });
    } catch (error) {
      // It is refused either way.
      this.#means.log(`a refusal cannot be put on record: ${String(error)}`);
    }
    this.end(why);
    return undefined;
  }

  /** The gate ends its side as a refusal, and then ours. An end that came from here could reach it first. */
  #refuseRest(): void {
    const { socket } = this.#arrival;
    this.#reset();
    socket.removeAllListeners("data");
    socket.on("data", () => undefined);
    socket.resume();
  }

  #fail(reason: string): undefined {
    return this.#refuse("failed", reason, {});
  }

  #tell(outcome: HostOutcome["outcome"], reason?: string): void {
    const { port } = this.#arrival;
    this.#means.tell(this.calls, { host: this.#host, port, outcome, ...(reason === undefined ? {} : { reason }) });
  }

  #recordEnd(contact: number, why: ContactEnd): void {
    const { record, now, log } = this.#means;
    try {
      record.ended(contact, this.#up.bytes, this.#down.bytes, now() - this.#startedAt, why);
    } catch (error) {
      // It is over: there is nothing left to refuse.
      log(`the end of a contact cannot be put on record: ${String(error)}`);
    }
  }
}
