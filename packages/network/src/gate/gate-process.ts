// Starts a gate in a network namespace of its own, and is the server's end of what it says.
import { closeSync, openSync, readFileSync, statSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { NetworkError } from "../network-error.ts";
import { FrameReader, TEXT_TAG, frame, textFrame } from "./control-frames.ts";
import { lastWords, makeGateFolder, removeGateFolder } from "./gate-folder.ts";
import type { BoundFile, GateFolder } from "./gate-folder.ts";
import type { GateTools } from "./gate-tools.ts";

/** How the gate is started: our executable under a hidden word, or Bun with its source. */
export type GateProgram = {
  readonly words: readonly string[];
  /** What it reads: the executable, and its sources. */
  readonly readable: readonly string[];
};

export function gateFromSources(): GateProgram {
  const words = [process.execPath, "--no-env-file", "--config=/dev/null", path.join(import.meta.dir, "gate-main.ts")];
  return { words, readable: [process.execPath, import.meta.dir] };
}

/** One connection of a command, as it comes out of the namespace. */
export type Arrival = {
  readonly number: number;
  /** That was dialled: one of the session's loopback addresses. */
  readonly address: string;
  readonly port: number;
  /** Paused; what was read of it so far stands in `first`. */
  readonly socket: net.Socket;
  readonly first: Uint8Array;
};

export type GateHandlers = {
  /** Returns the answer, or undefined to drop the question. */
  question(bytes: Uint8Array): Promise<Uint8Array | undefined>;
  arrival(arrival: Arrival, gate: GateProcess): void;
  /** The command's side has reset the connection with this number. */
  reset(number: number): void;
  ended(): void;
};

export type GateOptions = {
  readonly tools: GateTools;
  readonly program: GateProgram;
  /** Private, and seen by no command. */
  readonly folder: string;
  readonly startMs: number;
};

const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/nix/store", "/gnu/store"];
// Not --dev: its terminals would cost an unprivileged user a second user namespace, to which the network does not belong.
const DEVICES = ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"];
const NAMESPACES =
  "--cap-add CAP_NET_BIND_SERVICE --unshare-net --unshare-pid --unshare-ipc --unshare-uts --die-with-parent --info-fd 3 --proc /proc".split(
    " ",
  );
const FIRST_LINE_BYTES = 64;

export class GateProcess {
  readonly #tools: GateTools;
  readonly #folder: GateFolder;
  readonly #handlers: GateHandlers;
  readonly #server: net.Server;
  readonly #listening = new Map<string, Promise<boolean>>();
  readonly #answers = new Map<string, (isListening: boolean) => void>();
  readonly #ready = Promise.withResolvers<void>();
  #child: Bun.Subprocess | undefined;
  #control: net.Socket | undefined;
  #namespace: { readonly pid: number; readonly inode: bigint } | undefined;
  #isEnded = false;

  static async start(options: GateOptions, handlers: GateHandlers): Promise<GateProcess> {
    const gate = new GateProcess(options.tools, makeGateFolder(options.folder), handlers);
    try {
      await gate.#start(options);
      return gate;
    } catch (error) {
      const why = lastWords(gate.#folder) || (error instanceof Error ? error.message : String(error));
      gate.close();
      throw new NetworkError("START_FAILED", `the network gate did not start: ${why}`);
    }
  }

  private constructor(tools: GateTools, folder: GateFolder, handlers: GateHandlers) {
    this.#tools = tools;
    this.#folder = folder;
    this.#handlers = handlers;
    this.#server = net.createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => this.#greet(socket));
  }

  get files(): readonly BoundFile[] {
    return this.#folder.files;
  }

  /** Differs for every namespace: what was started in another one is of no use. */
  get state(): string {
    return this.isAlive ? String(this.#namespace?.inode ?? "") : "";
  }

  /** Process ids are used again: only the namespace itself says that it is still the same. */
  get isAlive(): boolean {
    if (this.#isEnded || this.#namespace === undefined) return false;
    const { pid, inode } = this.#namespace;
    return inodeOf(pid) === inode;
  }

  /** What stands before a command's own words, so that it runs in the gate's namespace. */
  get prefix(): readonly string[] {
    const pid = this.#namespace?.pid ?? 0;
    const { nsenter } = this.#tools;
    return isRoot()
      ? [nsenter, `--net=/proc/${pid}/ns/net`, "--"]
      : // Without --preserve-credentials it calls setgroups, which a user may not.
        [nsenter, "--user", "--net", "--preserve-credentials", "-t", String(pid), "--"];
  }

  /** False when a command holds that port already. */
  listen(port: number, address: string): Promise<boolean> {
    const key = `${port} ${address}`;
    const known = this.#listening.get(key);
    if (known !== undefined) return known;
    const answer = Promise.withResolvers<boolean>();
    this.#listening.set(key, answer.promise);
    this.#answers.set(key, (isListening) => {
      // Asked again next time: the command may have given it up.
      if (!isListening) this.#listening.delete(key);
      answer.resolve(isListening);
    });
    this.#say(`listen ${key}`);
    return answer.promise;
  }

  /** Ends a connection as a refusal, not as an end of what is sent. */
  reset(number: number): void {
    this.#say(`reset ${number}`);
  }

  close(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#child?.kill("SIGKILL");
    this.#control?.destroy();
    this.#server.close();
    for (const answer of this.#answers.values()) answer(false);
    this.#ready.reject(new Error("it ended"));
    removeGateFolder(this.#folder);
    this.#handlers.ended();
  }

  async #start({ tools, program, startMs }: GateOptions): Promise<void> {
    this.#ready.promise.catch(() => undefined); // also when nobody waits any more
    await listening(this.#server, this.#folder.socket);
    const [info, errors] = [openSync(this.#folder.info, "wx", 0o600), openSync(this.#folder.errors, "wx", 0o600)];
    try {
      this.#child = Bun.spawn([...bubblewrapWords(tools, program, this.#folder), this.#folder.socket], {
        cwd: "/",
        env: { PATH: "/usr/bin:/bin", BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" },
        stdio: ["ignore", "ignore", errors, info],
        detached: true, // a ^C in our terminal is not for it
        lazy: true,
      });
    } finally {
      closeSync(info);
      closeSync(errors);
    }
    void this.#child.exited.then(() => this.close());
    const late = setTimeout(() => this.#ready.reject(new Error(`it was not ready in ${startMs / 1000} s`)), startMs);
    try {
      await this.#ready.promise;
    } finally {
      clearTimeout(late);
    }
    // Written before the gate itself was started, so it is there.
    const pid = pidIn(readFileSync(this.#folder.info, "utf8"));
    const inode = inodeOf(pid);
    if (inode === undefined) throw new Error("its namespace is not there");
    this.#namespace = { pid, inode };
  }

  /** The first line of a connection says what it is. */
  #greet(socket: net.Socket): void {
    socket.on("error", () => socket.destroy());
    socket.once("data", (chunk: Uint8Array) => {
      socket.pause();
      const end = chunk.indexOf(0x0a);
      // One write of ours, smaller than anything that a socket takes apart.
      if (end < 0 || end > FIRST_LINE_BYTES) return void socket.destroy();
      const line = new TextDecoder().decode(chunk.subarray(0, end));
      const rest = chunk.subarray(end + 1);
      if (line === "control") return this.#control === undefined ? this.#take(socket, rest) : void socket.destroy();
      const [, address, port, number] = /^([\d.]{7,15}) (\d{1,5}) (\d{1,15})$/.exec(line) ?? [];
      if (address === undefined) return void socket.destroy();
      this.#handlers.arrival({ number: Number(number), address, port: Number(port), socket, first: rest }, this);
    });
    socket.resume();
  }

  #take(control: net.Socket, first: Uint8Array): void {
    this.#control = control;
    const frames = new FrameReader();
    const read = (chunk: Uint8Array): void => {
      for (const { tag, bytes } of frames.read(chunk)) {
        if (tag === TEXT_TAG) this.#hear(new TextDecoder().decode(bytes));
        else void this.#answer(tag, bytes.slice());
      }
    };
    read(first);
    control.on("data", read);
    control.on("close", () => this.close());
    control.on("end", () => this.close());
    control.resume();
  }

  async #answer(tag: number, bytes: Uint8Array): Promise<void> {
    // A question without an answer is asked again, and a mistake of ours must not end the server.
    const answer = await this.#handlers.question(bytes).catch(() => undefined);
    if (answer !== undefined && !this.#isEnded) this.#control?.write(frame(tag, answer));
  }

  #hear(line: string): void {
    const [word, first = "", second = ""] = line.split(" ");
    if (word === "ready") this.#ready.resolve();
    else if (word === "reset") this.#handlers.reset(Number(first));
    else if (word === "listening" || word === "taken") {
      const key = `${first} ${second}`;
      this.#answers.get(key)?.(word === "listening");
      this.#answers.delete(key);
    }
  }

  #say(line: string): void {
    if (!this.#isEnded) this.#control?.write(textFrame(line));
  }
}

function bubblewrapWords(tools: GateTools, program: GateProgram, folder: GateFolder): string[] {
  return [
    tools.bwrap,
    ...(isRoot() ? ["--cap-drop", "ALL"] : ["--unshare-user"]),
    ...NAMESPACES,
    ...SYSTEM.flatMap((place) => ["--ro-bind-try", place, place]),
    ...DEVICES.flatMap((place) => ["--dev-bind", place, place]),
    ...program.readable.flatMap((place) => ["--ro-bind", place, place]),
    "--ro-bind",
    folder.socket,
    folder.socket,
    "--chdir",
    "/",
    "--",
    ...program.words,
  ];
}

function listening(server: net.Server, socket: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(socket, () => {
      server.removeListener("error", reject);
      server.on("error", () => undefined); // of one connection that could not be taken: the command sees it refused
      resolve();
    });
  });
}

function pidIn(info: string): number {
  const [, pid] = /"child-pid": (\d+)/.exec(info) ?? [];
  if (pid === undefined) throw new Error("bubblewrap did not name its process");
  return Number(pid);
}

function inodeOf(pid: number): bigint | undefined {
  try {
    return statSync(`/proc/${pid}/ns/net`, { bigint: true }).ino;
  } catch {
    // It has ended.
    return undefined;
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
