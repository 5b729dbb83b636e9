// The gate: the one process of ours in a session's network namespace. It knows no rule. What commands ask and send there goes
// to the server over a unix socket, and what comes back goes to them. It ends with the server.
import dgram from "node:dgram";
import net from "node:net";
import { FrameReader, TEXT_TAG, frame, textFrame } from "./control-frames.ts";

// The server takes 256 of a session; these are for those it is still about to reset.
const MAX_CONNECTIONS = 512;
// Questions that wait for the server to read them; beyond, they are dropped, and resolvers ask again.
const MAX_WAITING_BYTES = 256 * 1024;
const MAX_TAG = 0xffff;

/** Resolves when the server is gone. */
export async function runGate(socketPath: string): Promise<void> {
  const control = await connected(socketPath);
  const ended = new Promise<void>((resolve) => control.once("close", () => resolve()));
  control.on("error", () => control.destroy());
  control.write("control\n");
  const gate = new Gate(socketPath, control);
  await gate.answerQuestions();
  control.write(textFrame("ready"));
  await ended;
}

type Sender = { readonly address: string; readonly port: number };

class Gate {
  readonly #socketPath: string;
  readonly #control: net.Socket;
  readonly #questions = dgram.createSocket("udp4");
  readonly #senders = new Map<number, Sender>();
  readonly #connections = new Map<number, net.Socket>();
  #lastTag = 0;
  #lastConnection = 0;

  constructor(socketPath: string, control: net.Socket) {
    this.#socketPath = socketPath;
    this.#control = control;
    const frames = new FrameReader();
    control.on("data", (chunk: Uint8Array) => {
      for (const { tag, bytes } of frames.read(chunk)) {
        if (tag === TEXT_TAG) this.#obey(new TextDecoder().decode(bytes));
        else this.#answer(tag, bytes);
      }
    });
  }

  answerQuestions(): Promise<void> {
    this.#questions.on("message", (bytes, { address, port }) => this.#pass(bytes, { address, port }));
    const bound = Promise.withResolvers<void>();
    this.#questions.once("error", bound.reject);
    this.#questions.bind(53, "127.0.0.1", () => {
      this.#questions.removeListener("error", bound.reject);
      // A sender that has gone: ICMP says so, and nothing is to be done.
      this.#questions.on("error", () => undefined);
      bound.resolve();
    });
    return bound.promise;
  }

  #pass(bytes: Uint8Array, sender: Sender): void {
    if (bytes.length > MAX_TAG || this.#control.writableLength > MAX_WAITING_BYTES) return;
    this.#lastTag = this.#lastTag === MAX_TAG ? 1 : this.#lastTag + 1;
    this.#senders.set(this.#lastTag, sender);
    this.#control.write(frame(this.#lastTag, bytes));
  }

  #answer(tag: number, bytes: Uint8Array): void {
    const sender = this.#senders.get(tag);
    if (sender === undefined) return;
    this.#senders.delete(tag);
    this.#questions.send(bytes, sender.port, sender.address);
  }

  #obey(line: string): void {
    const [order, first = "", second = ""] = line.split(" ");
    if (order === "listen") this.#listen(Number(first), second);
    else if (order === "reset") this.#connections.get(Number(first))?.resetAndDestroy();
  }

  #listen(port: number, address: string): void {
    const server = net.createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => this.#forward(socket));
    server.on("error", (error: NodeJS.ErrnoException) => {
      this.#control.write(textFrame(`taken ${port} ${address} ${error.code ?? "UNKNOWN"}`));
    });
    server.listen(port, address, () => this.#control.write(textFrame(`listening ${port} ${address}`)));
  }

  /** First the address and port that were dialled and our number for the connection, then its bytes. */
  #forward(socket: net.Socket): void {
    if (this.#connections.size >= MAX_CONNECTIONS) {
      socket.resetAndDestroy();
      return;
    }
    const number = ++this.#lastConnection;
    const server = net.connect({ path: this.#socketPath, allowHalfOpen: true });
    this.#connections.set(number, socket);
    socket.on("error", () => {
      this.#control.write(textFrame(`reset ${number}`));
      server.destroy();
    });
    socket.on("close", () => {
      this.#connections.delete(number);
      server.destroy();
    });
    server.on("error", () => socket.resetAndDestroy());
    server.on("close", () => {
      if (!socket.writableEnded) socket.resetAndDestroy();
    });
    server.on("connect", () => {
      server.write(`${socket.localAddress} ${socket.localPort} ${number}\n`);
      socket.pipe(server);
      server.pipe(socket);
    });
  }
}

function connected(socketPath: string): Promise<net.Socket> {
  const socket = net.connect({ path: socketPath });
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.removeListener("error", reject);
      resolve(socket);
    });
  });
}
