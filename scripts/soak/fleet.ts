// The programs that live as long as the soak: server and proxy, each over stdio and over HTTP, and what was seen of them.
import type { Endpoint } from "./http-peer.ts";
import { inTime } from "./in-time.ts";
import type { Keeps, Look } from "./judge.ts";
import type { Tally } from "./ledger.ts";
import { note } from "./ledger.ts";
import type { Place } from "./place.ts";
import { descendants, descriptors, rssMb } from "./process-table.ts";
import { StdioPeer } from "./stdio-peer.ts";

/** Clients that vanish are forgotten so soon, so that a short soak sees it. */
const IDLE_SECONDS = "2";
const MAX_CLIENTS = "8";
const END_MS = 30_000;
/** CutOutputs for read_original, at most. */
const PROXY_KEEPS: Keeps = { rssMb: 64 };
/** Over HTTP also the servers of clients that left without a word, until their places are needed: with all they started. */
const LISTENING_PROXY_KEEPS: Keeps = { ...PROXY_KEEPS, children: 33, descriptors: 12 };

export type Ship = {
  readonly name: string;
  readonly pid: number;
  readonly looks: Look[];
  readonly keeps: Keeps;
  peakMb: number;
  /** Asks it to end; false when it had to be made to. */
  stop(): Promise<boolean>;
};

export type Fleet = {
  readonly ships: readonly Ship[];
  readonly peers: readonly { readonly peer: StdioPeer; readonly isProxy: boolean }[];
  readonly endpoints: readonly { readonly name: string; readonly endpoint: Endpoint }[];
};

export async function launch(program: readonly string[], place: Place, tally: Tally): Promise<Fleet> {
  const serve = serveWords(program);
  const proxy = [...program, "proxy", "--"];
  const token = crypto.randomUUID();
  const overHttp = [...program, "serve", "--transport", "http", "--port", "0", "--token", token];
  overHttp.push("--session-idle-timeout", IDLE_SECONDS, "--pass-env", "BOSUN_SOAK");
  const server = new StdioPeer("serve, stdio", serve, place, tally);
  const relay = new StdioPeer("proxy, stdio", [...proxy, ...serve], place, tally);
  await Promise.all([server.greet(), relay.greet()]);
  place.tidy.add(server.pid);
  const listening = [
    await listen("serve, HTTP", overHttp, place, token, {}, tally),
    await listen(
      "proxy, HTTP",
      [...program, "proxy", "--listen", "0", "--max-clients", MAX_CLIENTS, "--", ...serve],
      place,
      undefined,
      LISTENING_PROXY_KEEPS,
      tally,
    ),
  ];
  for (const { ship } of listening) place.tidy.add(ship.pid);
  return {
    ships: [ship(server, {}), ship(relay, PROXY_KEEPS), ...listening.map(({ ship }) => ship)],
    peers: [
      { peer: server, isProxy: false },
      { peer: relay, isProxy: true },
    ],
    endpoints: listening.map(({ ship, endpoint }) => ({ name: ship.name, endpoint })),
  };
}

export function serveWords(program: readonly string[]): string[] {
  return [...program, "serve", "--transport", "stdio", "--pass-env", "BOSUN_SOAK"];
}

/** At rest: everything counts. */
export function look(ship: Ship, place: Place): void {
  ship.looks.push({
    rssMb: rssMb(ship.pid),
    descriptors: descriptors(ship.pid),
    children: descendants(ship.pid).length,
    tempFiles: place.temporaryFiles().length,
  });
}

export function notePeaks(ships: readonly Ship[]): void {
  for (const ship of ships) ship.peakMb = Math.max(ship.peakMb, rssMb(ship.pid));
}

function ship(peer: StdioPeer, keeps: Keeps): Ship {
  return { name: peer.name, pid: peer.pid, looks: [], keeps, peakMb: 0, stop: () => peer.leave() };
}

async function listen(
  name: string,
  words: readonly string[],
  place: Place,
  token: string | undefined,
  keeps: Keeps,
  tally: Tally,
): Promise<{ ship: Ship; endpoint: Endpoint }> {
  const child = Bun.spawn([...words], {
    cwd: place.work,
    env: place.env,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    lazy: true,
    detached: true,
  });
  const found = Promise.withResolvers<string>();
  void readAddress(child.stderr, found.resolve);
  let ending = false;
  void child.exited.then((code) => {
    found.reject(new Error(`${name} ended with ${code} before it listened`));
    if (!ending) note(tally.wrong, `${name} ended by itself with ${code}`);
  });
  const url = await found.promise;
  const stop = async (): Promise<boolean> => {
    ending = true;
    child.kill("SIGTERM");
    const ended = await inTime(child.exited, END_MS);
    if (!ended) child.kill("SIGKILL");
    await child.exited;
    return ended;
  };
  return { ship: { name, pid: child.pid, looks: [], keeps, peakMb: 0, stop }, endpoint: { url, token } };
}

/** Goes on reading for ever: a full pipe would stop the program. */
async function readAddress(stream: ReadableStream<Uint8Array>, found: (url: string) => void): Promise<void> {
  let text = "";
  for await (const chunk of stream) {
    if (text.length < 10_000) text += new TextDecoder().decode(chunk);
    const url = /http:\/\/[^\s"]+/.exec(text)?.[0];
    if (url !== undefined && text.includes("\n")) found(url);
  }
}
