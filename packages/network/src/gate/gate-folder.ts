// The private folder of one gate: its socket, and the two files that commands see in place of the system's.
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { NetworkError } from "../network-error.ts";

/** The longest path that a unix socket has (sun_path, with its end). */
const MAX_SOCKET_PATH_BYTES = 107;

/** A file of ours that stands, read-only, where a command looks for the system's. */
export type BoundFile = { readonly at: string; readonly file: string };

export type GateFolder = {
  readonly path: string;
  readonly socket: string;
  readonly info: string;
  readonly errors: string;
  readonly files: readonly BoundFile[];
};

/** Within a folder that no command sees. */
export function makeGateFolder(within: string): GateFolder {
  const folder = mkdtempSync(path.join(within, "gate-"));
  chmodSync(folder, 0o700);
  const socket = path.join(folder, "s");
  if (Buffer.byteLength(socket) > MAX_SOCKET_PATH_BYTES) {
    rmSync(folder, { recursive: true, force: true });
    throw new NetworkError("START_FAILED", `the network gate did not start: ${within} is too long a path for a socket`);
  }
  const files = [
    // The gate answers at once; a question waits only for what a person's tools say about themselves.
    {
      at: resolved("/etc/resolv.conf"),
      file: "resolv.conf",
      text: "nameserver 127.0.0.1\noptions timeout:5 attempts:2\n",
    },
    { at: resolved("/etc/hosts"), file: "hosts", text: "127.0.0.1 localhost\n" },
  ].map(({ at, file, text }) => {
    const own = path.join(folder, file);
    writeFileSync(own, text, { mode: 0o644 });
    return { at, file: own };
  });
  return { path: folder, socket, info: path.join(folder, "info"), errors: path.join(folder, "errors"), files };
}

export function removeGateFolder(folder: GateFolder): void {
  rmSync(folder.path, { recursive: true, force: true });
}

/** What the gate said before it ended, for a message. */
export function lastWords({ errors }: GateFolder): string {
  return existsSync(errors) ? readFileSync(errors, "utf8").trim().split("\n").slice(-3).join("; ").slice(0, 500) : "";
}

/** Often a link into /run: a mount goes over what it leads to. */
function resolved(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    // Not there: programs then take 127.0.0.1, which is the gate.
    return file;
  }
}
