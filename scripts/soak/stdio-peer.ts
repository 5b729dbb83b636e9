// A client at the standard streams of a process it started: counts every answer, and can misbehave on request.
import { inTime } from "./in-time.ts";
import { Ledger, note } from "./ledger.ts";
import type { Tally } from "./ledger.ts";
import { answerOf, Gone, GREETING } from "./peer.ts";
import type { Answer, Peer } from "./peer.ts";
import type { Place } from "./place.ts";

/** How long an ending program may take; far beyond what it needs. */
const END_MS = 30_000;

export class StdioPeer implements Peer {
  readonly name: string;
  readonly child: Bun.Subprocess<"pipe", "pipe", "ignore">;
  private readonly ledger: Ledger;
  private readonly tally: Tally;
  private readonly waiting = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>();
  private held: Promise<void> | undefined;
  private next = 1;
  /** We mean it to end. */
  private ending = false;

  constructor(name: string, command: readonly string[], place: Place, tally: Tally) {
    this.name = name;
    this.tally = tally;
    this.ledger = new Ledger(name, tally);
    this.child = Bun.spawn([...command], {
      cwd: place.work,
      env: place.env,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
      // An unread pipe must hold the server back, not fill our memory.
      lazy: true,
      // Ctrl-C is for us: what we started is ended by us, in order.
      detached: true,
    });
    void this.read();
  }

  get pid(): number {
    return this.child.pid;
  }

  async greet(): Promise<void> {
    await this.ask("initialize", GREETING);
    await this.send('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  }

  async ask(method: string, params: object): Promise<Answer> {
    const { answer } = this.start(method, params);
    return answer;
  }

  async askAndCancel(method: string, params: object, afterMs: number): Promise<void> {
    const { id, answer } = this.start(method, params);
    // Whether it is still answered is the server's choice; a connection that ends is told elsewhere.
    answer.catch(() => undefined);
    await Bun.sleep(afterMs);
    this.ledger.cancelled(id);
    await this.send(
      `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } })}\n`,
    );
  }

  /** Bytes that are no message: exactly one error without an id must come back. */
  async sendNonsense(bytes: string | Uint8Array): Promise<void> {
    this.ledger.sentNonsense();
    await this.send(bytes);
  }

  async sendRaw(bytes: string | Uint8Array): Promise<void> {
    await this.send(bytes);
  }

  /** Stops reading for a while, as a client does that is busy or stuck. */
  async stopReadingFor(ms: number): Promise<void> {
    this.held = Bun.sleep(ms);
    await this.held;
    this.held = undefined;
  }

  /** True when everything that must be answered has been. */
  async quiet(withinMs: number): Promise<boolean> {
    for (const end = Date.now() + withinMs; this.ledger.waiting > 0 && Date.now() < end;) await Bun.sleep(20);
    return this.ledger.waiting === 0;
  }

  /** Ends the input, as a client does that leaves; false when the program stays. */
  async leave(): Promise<boolean> {
    await this.quiet(END_MS);
    this.ledger.settle();
    this.ending = true;
    await this.child.stdin.end();
    return this.ended();
  }

  /** Goes in the middle: whatever was asked stays unanswered. */
  async vanish(how: "input ends" | "SIGTERM" | "SIGKILL"): Promise<boolean> {
    this.ledger.cutOff();
    this.ending = true;
    if (how === "input ends") await this.child.stdin.end();
    else this.child.kill(how);
    return this.ended();
  }

  private async ended(): Promise<boolean> {
    const ended = await inTime(this.child.exited, END_MS);
    if (!ended) this.child.kill("SIGKILL");
    await this.child.exited;
    return ended;
  }

  private start(method: string, params: object): { id: number; answer: Promise<Answer> } {
    const id = this.next++;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.waiting.set(id, { resolve, reject });
    const args = (params as { name?: string }).name;
    this.ledger.asked(id, args === undefined ? method : `${method} ${args}`);
    void this.send(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return { id, answer: promise };
  }

  private async send(bytes: string | Uint8Array): Promise<void> {
    try {
      this.child.stdin.write(bytes);
      await this.child.stdin.flush();
    } catch {
      // EPIPE: it has gone, and the end of its output says so too.
    }
  }

  private async read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest: string[] = [];
    for await (const chunk of this.child.stdout) {
      const [first = "", ...more] = decoder.decode(chunk, { stream: true }).split("\n");
      rest.push(first);
      for (const piece of more) {
        this.take(rest.join(""));
        rest = [piece];
      }
      if (this.held) await this.held;
    }
    for (const { reject } of this.waiting.values()) reject(new Gone(`${this.name} ended`));
    this.waiting.clear();
    if (!this.ending) note(this.tally.wrong, `${this.name} ended by itself with ${await this.child.exited}`);
  }

  private take(line: string): void {
    if (this.ending) return;
    let message: { id?: number; method?: string; result?: unknown; error?: { code?: number; message?: string } };
    try {
      message = JSON.parse(line);
    } catch {
      note(this.tally.wrong, `${this.name}: not JSON on its output: ${line}`);
      return;
    }
    if (message.method !== undefined) return;
    this.ledger.answered(message.id);
    if (message.id === undefined) return;
    this.waiting.get(message.id)?.resolve(answerOf(message));
    this.waiting.delete(message.id);
  }
}
