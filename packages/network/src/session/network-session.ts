// The network of one session: its gate, its names, its contacts, and what its calls are told.
import { NameAddresses } from "../addresses/name-addresses.ts";
import { GateProcess } from "../gate/gate-process.ts";
import { socketsToHide } from "../gate/hidden-sockets.ts";
import { NetworkError } from "../network-error.ts";
import { TYPE_A, readDnsQuestion, writeDnsAnswer } from "../wire/dns-message.ts";
import { Contact } from "./contact.ts";
import { ContactRecord } from "./contact-record.ts";
import { HostJudge } from "./host-judge.ts";
import { HostQuestions } from "./host-questions.ts";
import { RateLimit } from "./rate-limit.ts";
import { RunningCalls } from "./running-calls.ts";
import type { BoundFile } from "../gate/gate-folder.ts";
import type { Arrival, GateOptions } from "../gate/gate-process.ts";
import type { Limits } from "../limits.ts";
import type { Target } from "../rules/network-rule.ts";
import type { RuleSet } from "../rules/rule-set.ts";
import type { Resolve } from "../addresses/resolve-host.ts";
import type { DnsAnswer } from "../wire/dns-message.ts";
import type { CallReport } from "./call-report.ts";
import type { ContactMeans } from "./contact.ts";
import type { RecordEvent } from "./contact-record.ts";
import type { NameVerdict, UnknownHosts } from "./host-judge.ts";
import type { Answered, AskHost, HostAnswer, HostApprovals, HostQuestion } from "./host-questions.ts";
import type { CallKind } from "./running-calls.ts";

/** What a command needs to run behind the gate: a value for whatever starts it. */
export type CommandNetwork = {
  /** Stands before the words that build the sandbox, which then keeps the network it is started in. */
  readonly prefix: readonly string[];
  /** To be mounted read-only, each over the place it names. */
  readonly files: readonly BoundFile[];
  /** Folders and sockets that no command may see, where it sees /run. */
  readonly hidden: readonly string[];
  /** Another one than a waiting shell was started with: that shell is of no use. */
  readonly state: string;
};

/** What the sessions of one server share. */
export type SessionMeans = {
  readonly rules: RuleSet;
  readonly unknownHosts: UnknownHosts;
  readonly approvals: HostApprovals;
  readonly gate: Omit<GateOptions, "startMs">;
  readonly resolve: Resolve;
  readonly record: RecordEvent;
  readonly limits: Limits;
  readonly now: () => number;
  readonly log: (message: string) => void;
  readonly numberContact: () => number;
  /** One more connection of the server; undefined when there are too many. */
  readonly takeConnection: () => (() => void) | undefined;
};

export type SessionOptions = {
  readonly id: string;
  /** Absent when the client cannot be asked: then unknown hosts are refused. */
  readonly ask?: AskHost | undefined;
  readonly holdTime?: ((calls: readonly string[]) => () => void) | undefined;
};

export class NetworkSession {
  readonly id: string;
  readonly #means: SessionMeans;
  readonly #calls = new RunningCalls();
  readonly #names: NameAddresses;
  readonly #questions: HostQuestions;
  readonly #judge: HostJudge;
  readonly #record: ContactRecord;
  readonly #lookups: RateLimit;
  readonly #contactMeans: ContactMeans;
  readonly #contacts = new Map<number, Contact>();
  #fixed: readonly Target[] = [];
  #gate: Promise<GateProcess> | undefined;
  #current: GateProcess | undefined;
  #sweeping: ReturnType<typeof setInterval> | undefined;
  #isClosed = false;

  constructor(options: SessionOptions, means: SessionMeans) {
    const { limits, now, log, record, rules, approvals } = means;
    this.id = options.id;
    this.#means = means;
    this.#names = new NameAddresses(limits, now);
    this.#questions = new HostQuestions({
      session: options.id,
      ask: options.ask,
      approvals,
      limits,
      isRunning: (call) => this.#calls.isRunning(call),
      holdTime: options.holdTime ?? (() => () => undefined),
      log,
    });
    this.#judge = new HostJudge(rules, this.#questions, options.ask === undefined ? "deny" : means.unknownHosts);
    this.#record = new ContactRecord(options.id, record, means.numberContact, limits, now);
    this.#lookups = new RateLimit(limits.dnsPerSecond, now);
    this.#contactMeans = {
      judge: this.#judge,
      questions: this.#questions,
      record: this.#record,
      resolve: means.resolve,
      limits,
      now,
      log,
      tell: (calls, outcome) => this.#calls.tell(calls, outcome),
    };
  }

  /** Before each command: starts the gate, or another one when it has died. Throws when there is none to be had. */
  async commandNetwork(): Promise<CommandNetwork> {
    if (this.#isClosed) throw new NetworkError("CLOSED", "the session is over");
    if (this.#current?.isAlive !== true) {
      this.#current?.close();
      this.#gate ??= this.#startGate();
      await this.#gate;
    }
    const gate = this.#current;
    if (gate === undefined) throw new NetworkError("START_FAILED", "the network gate did not start: it has ended");
    return { prefix: gate.prefix, files: gate.files, hidden: socketsToHide(), state: gate.state };
  }

  /** Of the namespace that commands join now; "" when there is none. */
  get state(): string {
    return this.#current?.state ?? "";
  }

  begin(call: string, kind: CallKind = "command"): void {
    this.#calls.begin(call, kind);
  }

  /** What a call that goes on has to say so far. */
  report(call: string): CallReport {
    return this.#calls.report(call);
  }

  /** What did not get through. Connections that nobody runs for any more are cut a moment later. */
  end(call: string): CallReport {
    const report = this.#calls.end(call);
    const timer = setTimeout(() => this.#cutOrphans(), this.#means.limits.cutAfterCallMs);
    timer.unref();
    return report;
  }

  /** Questions that could not be asked while a call ran: to be asked before the next one starts. */
  get pending(): readonly HostQuestion[] {
    return this.#questions.pending;
  }

  answer(host: string, port: number, answer: HostAnswer): Answered {
    return this.#questions.answer(host, port, answer, this.#calls.ids);
  }

  close(): void {
    this.#isClosed = true;
    this.#questions.close();
    this.#current?.close();
    this.#current = undefined;
    clearInterval(this.#sweeping);
  }

  async #startGate(): Promise<GateProcess> {
    const { gate: options, limits, rules } = this.#means;
    try {
      // Tools take a moment to say what they are configured for: meanwhile the gate starts.
      const prepared = rules.prepare();
      // A gate may end before it has started.
      const started: { gate?: GateProcess } = {};
      const gate = await GateProcess.start(
        { ...options, startMs: limits.gateStartMs },
        {
          question: (bytes) => this.#answerQuestion(bytes),
          arrival: (arrival, from) => void this.#take(arrival, from),
          reset: (number) => this.#contacts.get(number)?.end("reset"),
          ended: () => this.#gateEnded(started.gate),
        },
      );
      started.gate = gate;
      await prepared;
      this.#fixed = await rules.loopbackTargets();
      await this.#listen(gate);
      if (this.#isClosed) {
        gate.close();
        throw new NetworkError("CLOSED", "the session is over");
      }
      this.#current = gate;
      return gate;
    } finally {
      this.#gate = undefined;
    }
  }

  async #listen(gate: GateProcess): Promise<void> {
    const known = this.#names.all.map(({ host, address }) => this.#openPorts(gate, host, address));
    const fixed = this.#fixed.map(({ address, port }) => gate.listen(port, address));
    await Promise.all([...[22, 80, 443].map((port) => gate.listen(port, "0.0.0.0")), ...known, ...fixed]);
  }

  async #answerQuestion(bytes: Uint8Array): Promise<Uint8Array | undefined> {
    const { limits } = this.#means;
    if (!this.#lookups.take()) return undefined;
    const question = readDnsQuestion(bytes, limits.dnsBytes);
    if (question === undefined) return undefined;
    const isName = question.isInternet && question.name !== undefined;
    const verdict: NameVerdict = isName ? await this.#judge.judgeName(question.name) : { kind: "refused" };
    const answer = await this.#answerFor(verdict, question.type);
    return writeDnsAnswer(question, answer);
  }

  async #answerFor(verdict: NameVerdict, type: number): Promise<DnsAnswer> {
    if (verdict.kind === "refused") {
      this.#refuseName(verdict);
      return { kind: "no-such-name" };
    }
    if (type !== TYPE_A) return { kind: "no-record" };
    const { host, ports } = verdict;
    const address = this.#names.addressOf(host);
    if (address === undefined) {
      this.#refuseName({ kind: "refused", host, reason: "too many names at once" });
      return { kind: "no-such-name" };
    }
    if (this.#current !== undefined) await this.#openPorts(this.#current, host, address);
    const open = ports.toSorted((a, b) => a - b).join(", ");
    this.#calls.lookedUp(host, `ports ${open} only; a rule such as ${host}:5432 opens another`);
    return { kind: "address", address, ttlSeconds: this.#means.limits.ttlSeconds };
  }

  /** Small ports on every address at once; others only where a name has them, so that commands can use them elsewhere. */
  async #openPorts(gate: GateProcess, host: string, address: string): Promise<void> {
    const ports = await this.#means.rules.portsOf(host);
    await Promise.all(ports.map((port) => gate.listen(port, port < 1024 ? "0.0.0.0" : address)));
  }

  #refuseName({ host, reason, rule }: Extract<NameVerdict, { kind: "refused" }>): void {
    if (host === undefined || reason === undefined) return;
    this.#calls.tell(this.#calls.ids, { host, outcome: "refused", reason });
    const known = rule === undefined ? {} : { rule };
    this.#writeDown({ host, decision: "refused", reason, ...known });
  }

  async #take(arrival: Arrival, gate: GateProcess): Promise<void> {
    const { number, address, port, socket } = arrival;
    const reset = (): void => gate.reset(number);
    const calls = this.#calls.ids;
    const fixed = this.#fixed.find((target) => target.address === address && target.port === port);
    const host = fixed === undefined ? this.#names.hostOf(address) : address;
    const refuse = (where: string, decision: "refused" | "limit", reason: string): void => {
      this.#calls.tell(calls, { host: where, port, outcome: "refused", reason });
      this.#writeDown({ host: where, port, decision, reason });
      reset();
    };
    if (calls.length === 0) return refuse(host ?? address, "refused", "no command of the session runs");
    if (host === undefined) return refuse(address, "refused", "an address, not the name of a host");
    const release =
      this.#contacts.size < this.#means.limits.sessionConnections ? this.#means.takeConnection() : undefined;
    if (release === undefined) return refuse(host, "limit", "too many connections at once");
    const letGo = this.#names.hold(address);
    const contact = new Contact(this.#contactMeans, host, arrival, calls, reset);
    this.#contacts.set(number, contact);
    this.#sweeping ??= this.#sweepRegularly();
    socket.once("close", () => {
      this.#contacts.delete(number);
      letGo();
      release();
    });
    await contact.run();
  }

  #writeDown(refusal: Omit<Parameters<ContactRecord["refused"]>[0], "calls">): void {
    try {
      this.#record.refused({ calls: this.#calls.ids, ...refusal });
    } catch (error) {
      // It is refused either way.
      this.#means.log(`a refusal cannot be put on record: ${String(error)}`);
    }
  }

  #cutOrphans(): void {
    if (this.#calls.hasTask) return;
    for (const contact of this.#contacts.values()) {
      if (!contact.calls.some((call) => this.#calls.isRunning(call))) contact.end("call over");
    }
  }

  #gateEnded(gate: GateProcess | undefined): void {
    for (const contact of this.#contacts.values()) contact.end("gate ended");
    if (this.#current === gate) this.#current = undefined;
  }

  #sweepRegularly(): ReturnType<typeof setInterval> {
    const everyMs = Math.min(10_000, Math.ceil(this.#means.limits.idleMs / 4));
    const timer = setInterval(() => {
      for (const contact of this.#contacts.values()) contact.sweep();
    }, everyMs);
    timer.unref();
    return timer;
  }
}
