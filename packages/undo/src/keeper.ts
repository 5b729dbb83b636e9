// The process that looks at one tree for all servers that record it: one holds the lock, the others talk to it. It ends when
// nobody has wanted anything for a while, so that the index is in nobody's memory.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { codeOf } from "@bosun/platform/errors";
import { LocalKeeper } from "./local-keeper.ts";
import { Lock } from "./lock.ts";
import { isAlive } from "./owner.ts";
import type { StoreOptions } from "./store.ts";
import { UndoStore } from "./store.ts";

const NICE = 10;
const IDLE_MS = 60_000;
const LOOK_MS = 10_000;
/** Share of the time that looking at a running task may take. */
const MOST_OF_THE_TIME = 0.02;
const MOST_PATH_BYTES = 100;

export type KeeperOptions = StoreOptions & {
  readonly idleMs?: number;
  readonly say?: (word: "listening" | "busy") => void;
};

/** Resolves when it has ended: at once when another is the keeper. */
export async function runKeeper(options: KeeperOptions): Promise<void> {
  lowerPriority();
  const store = new UndoStore(options);
  const lock = Lock.take(store.folder, "keeper.lock");
  if (lock === undefined) {
    store.close();
    options.say?.("busy");
    return;
  }
  await new Keeper(store, options.idleMs ?? IDLE_MS).run(() => options.say?.("listening"));
  store.close();
  lock[Symbol.dispose]();
}

/** `/proc/self/fd/N/keeper.sock` where the folder's own name is too long for a socket's. */
export function socketPlace(folder: string): { place: string; close: () => void } {
  const place = path.join(folder, "keeper.sock");
  if (Buffer.byteLength(place) <= MOST_PATH_BYTES || process.platform !== "linux") return { place, close: () => {} };
  const fd = fs.openSync(folder, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
  return { place: `/proc/self/fd/${fd}/keeper.sock`, close: () => fs.closeSync(fd) };
}

type Client = { write(text: string): unknown };

class Keeper {
  readonly #store: UndoStore;
  readonly #keeper: LocalKeeper;
  readonly #idleMs: number;
  readonly #ended = Promise.withResolvers<void>();
  readonly #waitingForScan: Client[] = [];
  readonly #waitingForSnapshot: Client[] = [];
  #clients = 0;
  #isWorking = false;
  #isWanted = true;
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(store: UndoStore, idleMs: number) {
    this.#store = store;
    this.#keeper = new LocalKeeper(store);
    this.#idleMs = idleMs;
  }

  async run(onListening: () => void): Promise<void> {
    const { place, close } = socketPlace(this.#store.folder);
    fs.rmSync(path.join(this.#store.folder, "keeper.sock"), { force: true });
    const listener = Bun.listen<{ text: string }>({
      unix: place,
      socket: {
        open: (socket) => {
          this.#clients += 1;
          socket.data = { text: "" };
        },
        data: (socket, bytes) => {
          const lines = (socket.data.text + bytes.toString("latin1")).split("\n");
          // A client of ours never sends much; of anybody else's nothing is kept.
          socket.data.text = (lines.pop() ?? "").slice(0, 100);
          for (const line of lines) this.#answer(line, socket);
        },
        close: () => {
          this.#clients -= 1;
          // A server that ended without a word has left windows open.
          this.#want();
        },
        error: () => {},
      },
    });
    fs.chmodSync(path.join(this.#store.folder, "keeper.sock"), 0o600);
    onListening();
    this.#keeper.begin();
    this.#want();
    const look = setInterval(() => this.#lookAtTasks(), LOOK_MS);
    await this.#ended.promise;
    clearInterval(look);
    listener.stop(true);
    fs.rmSync(path.join(this.#store.folder, "keeper.sock"), { force: true });
    close();
  }

  #answer(line: string, client: Client): void {
    if (line === "scan") this.#waitingForScan.push(client);
    else if (line === "ready") this.#waitingForSnapshot.push(client);
    else return;
    this.#want();
  }

  #want(): void {
    this.#isWanted = true;
    clearTimeout(this.#idle);
    if (!this.#isWorking) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    try {
      let hasMore = true;
      while (this.#isWanted || hasMore) {
        if (this.#isWanted) {
          this.#isWanted = false;
          // Who asks while it runs wants one that began later.
          const clients = this.#waitingForScan.splice(0);
          this.#scan();
          for (const client of clients) client.write("scanned\n");
          hasMore = true;
        } else hasMore = this.#keeper.keepSome();
        await new Promise((resolve) => setImmediate(resolve));
      }
      for (const client of this.#waitingForSnapshot.splice(0)) client.write("ready\n");
    } catch (error) {
      // A store that cannot be written or read any more: the next keeper begins anew, and says why.
      this.#ended.reject(error);
      return;
    } finally {
      this.#isWorking = false;
    }
    this.#idle = setTimeout(() => this.#ended.resolve(), this.#clients > 0 ? this.#idleMs * 10 : this.#idleMs);
  }

  #scan(): void {
    try {
      this.#keeper.scan();
    } catch (error) {
      // The tree itself has gone: nothing to look at, until somebody puts it back.
      if (codeOf(error) !== "ENOENT") throw error;
    }
  }

  #lastLookMs = 0;

  #lookAtTasks(): void {
    const isRunning = this.#store.records.windows().some(({ toNs, owner }) => toNs === undefined && isAlive(owner));
    if (!isRunning || this.#isWorking) return;
    const begun = performance.now();
    if (this.#lastLookMs > LOOK_MS * MOST_OF_THE_TIME) {
      this.#lastLookMs -= LOOK_MS * MOST_OF_THE_TIME;
      return;
    }
    this.#scan();
    this.#lastLookMs = performance.now() - begun;
  }
}

function lowerPriority(): void {
  try {
    os.setPriority(0, NICE);
  } catch {
    // Not allowed here: then it is as important as the rest.
  }
}
