// The outer half of a contact: connects to an address that was checked, never to a name.
import net from "node:net";
import type { Limits } from "../limits.ts";

export type Connected = { readonly socket: net.Socket; readonly address: string } | { readonly failed: string };

/** The addresses one after the other, within one time for all. The socket that comes back is paused. */
export async function connectTo(addresses: readonly string[], port: number, limits: Limits): Promise<Connected> {
  const until = performance.now() + limits.connectMs;
  let failed = "there is no address to try";
  for (const [at, address] of addresses.slice(0, limits.connectAddresses).entries()) {
    const left = until - performance.now();
    if (left <= 0) break;
    // An address that swallows everything must leave time for the next.
    const tries = Math.min(addresses.length, limits.connectAddresses) - at;
    const connected = await connectOnce(address, port, left / tries);
    if (connected instanceof net.Socket) return { socket: connected, address };
    failed = connected === "TIMEOUT" ? `no answer in ${limits.connectMs / 1000} s` : describe(connected);
  }
  return { failed };
}

function connectOnce(address: string, port: number, timeoutMs: number): Promise<net.Socket | string> {
  return new Promise((resolve) => {
    const socket = net.connect({ host: address, port, allowHalfOpen: true, autoSelectFamily: false });
    const end = (result: net.Socket | string): void => {
      clearTimeout(timer);
      socket.removeAllListeners();
      // Whatever is left of it may still fail.
      socket.on("error", () => undefined);
      if (typeof result === "string") socket.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => end("TIMEOUT"), timeoutMs);
    socket.once("connect", () => {
      socket.pause();
      end(socket);
    });
    socket.once("error", (error: NodeJS.ErrnoException) => end(error.code ?? "UNKNOWN"));
  });
}

function describe(code: string): string {
  if (code === "ECONNREFUSED") return "nothing listens there";
  if (code === "ENETUNREACH" || code === "EHOSTUNREACH") return "it cannot be reached from here";
  return code;
}
