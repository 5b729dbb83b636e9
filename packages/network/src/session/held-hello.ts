// Holds what a command sends first until it is known for whom it is: TLS names its server in the clear. What does not begin
// like TLS passes.
import { HANDSHAKE_RECORD, readClientHello } from "../wire/client-hello.ts";
import type { Limits } from "../limits.ts";
import type { Socket } from "node:net";

export type HeldHello =
  | { readonly kind: "passes"; readonly held: Uint8Array; readonly isEnded: boolean }
  | { readonly kind: "refused"; readonly reason: string };

/** Resolves with the first bytes, once they are judged; the socket is then paused. Undefined when it closed before. */
export function holdHello(
  socket: Socket,
  first: Uint8Array,
  host: string,
  limits: Limits,
): Promise<HeldHello | undefined> {
  return new Promise((resolve) => {
    let held = first;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = (result: HeldHello | undefined): void => {
      clearTimeout(timer);
      socket.pause();
      socket.removeListener("data", onData);
      socket.removeListener("end", onEnd);
      socket.removeListener("close", onClose);
      resolve(result);
    };
    const look = (isLast: boolean): void => {
      const verdict = judge(held, host, isLast, limits);
      if (verdict !== undefined) return end(verdict);
      // A server may speak first, and the client much later: only a hello that was begun has to end.
      if (held.length > 0) timer ??= setTimeout(() => end(refused("its TLS hello did not end")), limits.helloMs);
    };
    const onData = (chunk: Uint8Array): void => {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      look(false);
    };
    const onEnd = (): void => look(true);
    const onClose = (): void => end(undefined);
    socket.on("data", onData);
    socket.on("end", onEnd);
    socket.on("close", onClose);
    look(false);
    if (socket.listeners("data").includes(onData)) socket.resume();
  });
}

function judge(held: Uint8Array, host: string, isLast: boolean, limits: Limits): HeldHello | undefined {
  if (held.length === 0) return isLast ? passes(held, isLast) : undefined;
  if (held[0] !== HANDSHAKE_RECORD) return passes(held, isLast);
  const hello = readClientHello(held);
  if (hello.kind === "malformed") return refused("its TLS hello cannot be read");
  if (hello.kind === "name") {
    const isSame = hello.name === undefined || hello.name === host;
    return isSame ? passes(held, isLast) : refused(`the TLS name is ${hello.name}`);
  }
  if (isLast) return refused("its TLS hello was cut short");
  return held.length > limits.helloBytes ? refused("its TLS hello is too long") : undefined;
}

function passes(held: Uint8Array, isEnded: boolean): HeldHello {
  return { kind: "passes", held, isEnded };
}

function refused(reason: string): HeldHello {
  return { kind: "refused", reason };
}
