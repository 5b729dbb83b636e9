// The server's end of the keeper: starts one when it is first needed, starts it again when it has ended, and gives up on one
// that keeps dying.
import { childEnvironment } from "@bosun/platform/environment";
import type { KeeperLink } from "./recorder.ts";
import { socketPlace } from "./keeper.ts";
import type { UndoSettings } from "./settings.ts";
import { storeFolder } from "./store.ts";
import { spawnKeeper } from "./process/spawn-keeper.ts";

const MOST_STARTS = 3;
const STARTS_WITHIN_MS = 60_000;
const MOST_ATTEMPTS = 20;

export type KeeperClientOptions = {
  readonly stateFolder: string;
  readonly tree: string;
  readonly settings: Partial<UndoSettings>;
  /** The program and its words before the options; by default the sources' own file. */
  readonly invocation?: readonly string[];
  readonly idleMs?: number;
  /** Told once when commands are not recorded any more. */
  readonly onGivenUp?: (why: string) => void;
};

type Waiting = { readonly word: "scanned" | "ready"; readonly resolve: (isThere: boolean) => void };

export class KeeperClient implements KeeperLink {
  readonly #options: KeeperClientOptions;
  readonly #waiting: Waiting[] = [];
  readonly #starts: number[] = [];
  #connection: Promise<{ write(text: string): unknown; end(): unknown } | undefined> | undefined;
  #hasGivenUp = false;

  constructor(options: KeeperClientOptions) {
    this.#options = options;
  }

  async ready(withinMs: number): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), withinMs);
    const isReady = await Promise.race([this.#ask("ready", "ready"), late]);
    clearTimeout(timer);
    return isReady;
  }

  async scan(): Promise<void> {
    await this.#ask("scan", "scanned");
  }

  async close(): Promise<void> {
    (await this.#connection)?.end();
  }

  /** Again when the keeper ended before its answer: one that dies still takes connections for a moment. */
  async #ask(question: "scan" | "ready", word: Waiting["word"]): Promise<boolean> {
    for (let attempt = 0; attempt < MOST_STARTS; attempt += 1) {
      const connection = await (this.#connection ??= this.#connect());
      if (connection === undefined) {
        this.#connection = undefined;
        return false;
      }
      const { promise, resolve } = Promise.withResolvers<boolean>();
      this.#waiting.push({ word, resolve });
      connection.write(`${question}\n`);
      if (await promise) return true;
    }
    return false;
  }

  async #connect(): ReturnType<typeof this.connectOnce> {
    return (await this.connectOnce()) ?? (this.#mayStart() ? this.#start() : undefined);
  }

  async #start(): ReturnType<typeof this.connectOnce> {
    const { stateFolder, tree, settings, invocation, idleMs } = this.#options;
    const options = { stateFolder, tree, settings, ...(idleMs === undefined ? {} : { idleMs }) };
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const word = await spawnKeeper(invocation, JSON.stringify(options), childEnvironment(process.env));
      const connection = await this.connectOnce();
      // Busy, but nobody listens: one is just ending, or just beginning.
      if (connection !== undefined || word !== "busy") return connection;
    }
    return undefined;
  }

  #mayStart(): boolean {
    const now = performance.now();
    while ((this.#starts[0] ?? now) < now - STARTS_WITHIN_MS) this.#starts.shift();
    this.#starts.push(now);
    if (this.#starts.length <= MOST_STARTS) return true;
    if (!this.#hasGivenUp) this.#options.onGivenUp?.("the process that records changes keeps ending");
    this.#hasGivenUp = true;
    return false;
  }

  /** Undefined when nobody listens. */
  async connectOnce(): Promise<{ write(text: string): unknown; end(): unknown } | undefined> {
    const { place, close } = socketPlace(storeFolder(this.#options.stateFolder, this.#options.tree));
    let text = "";
    try {
      return await Bun.connect({
        unix: place,
        socket: {
          data: (_, bytes) => {
            const lines = (text + bytes.toString("latin1")).split("\n");
            text = lines.pop() ?? "";
            for (const line of lines) this.#hear(line);
          },
          close: () => {
            this.#connection = undefined;
            for (const { resolve } of this.#waiting.splice(0)) resolve(false);
          },
          error: () => {},
        },
      });
    } catch {
      return undefined; // no keeper, or one that has just ended
    } finally {
      close();
    }
  }

  #hear(word: string): void {
    const at = this.#waiting.findIndex((waiting) => waiting.word === word);
    if (at !== -1) this.#waiting.splice(at, 1)[0]?.resolve(true);
  }
}
