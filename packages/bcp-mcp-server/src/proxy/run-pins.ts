// bosun proxy pins: what servers changed in their tool lists, and a person's yes to it. What is accepted is what was
// shown: the list that the proxy saw and held back, not what the server would say now.
import {
  comparePins,
  describeChanges,
  GuardError,
  openPins,
  screenSafe,
  type PinReport,
  type Pins,
} from "@bosun/guard";
import { readKnownServers, noteServer } from "./known-servers.ts";
import type { KnownServer } from "./known-servers.ts";
import { stateFolder } from "./state-folder.ts";

const HELP = `bosun proxy pins: tool definitions that changed since they were accepted

Usage: bosun proxy pins                    the servers that are known, and whose list waits for you
       bosun proxy pins show [server]      the change, as a diff; nothing in it is hidden
       bosun proxy pins accept [server]    what \`show\` shows is what you agree to from now on
       bosun proxy pins forget server      the next list is taken as the first one

A server is named as the list names it. Without a name: all that wait.`;

type Entry = KnownServer & { identity: string };

export async function runPins(argv: readonly string[]): Promise<number> {
  if (argv.includes("--help") || argv.includes("-h")) return say(HELP);
  const [what = "list", name, ...more] = argv;
  if (more.length > 0 || !["list", "show", "accept", "forget"].includes(what)) return refuse(HELP);
  try {
    const folder = await stateFolder();
    const pins = openPins(folder);
    const known = [...readKnownServers(folder)].map(([identity, server]): Entry => ({ identity, ...server }));
    if (what === "list") return list(known);
    const meant = known.filter(
      (server) => name === undefined || server.name === name || server.identity.startsWith(name),
    );
    if (name !== undefined && meant.length === 0) {
      return refuse(
        `no server ${JSON.stringify(name)} is known; there are: ${known.map((one) => one.name).join(", ")}`,
      );
    }
    if (what === "forget") return name === undefined ? refuse(HELP) : await forget(folder, pins, meant);
    return what === "show" ? show(pins, meant) : await accept(folder, pins, meant);
  } catch (error) {
    if (error instanceof GuardError) return refuse(error.message);
    throw error;
  }
}

function list(known: readonly Entry[]): number {
  if (known.length === 0) return say("no server is known yet: each is, once it has been listed through the proxy");
  for (const { name, label, seen, tools, pending, resemblances = [] } of known) {
    const state = pending ? "HELD BACK: a change waits, see `bosun proxy pins show`" : "as accepted";
    say(`${safe(name)}  ${tools.length} tools, ${state}\n  ${safe(label)}, last seen ${safe(seen)}`);
    for (const resemblance of resemblances) say(`  careful: ${safe(resemblance)}`);
  }
  return 0;
}

function show(pins: Pins, servers: readonly Entry[]): number {
  const waiting = servers.filter(({ pending }) => pending);
  if (waiting.length === 0) return say("nothing waits");
  for (const server of waiting) {
    const report = reportOf(pins, server);
    const changes = report.kind === "different" ? describeChanges(report.changes) : describeChanges(everything(server));
    const since = report.kind === "different" && report.since !== "" ? `, since ${report.since.slice(0, 10)}` : "";
    say(`${safe(server.name)} (${safe(server.label)})${since}:\n${changes}`);
  }
  return say("\nTo agree: bosun proxy pins accept [server]");
}

async function accept(folder: string, pins: Pins, servers: readonly Entry[]): Promise<number> {
  const waiting = servers.filter(({ pending }) => pending);
  if (waiting.length === 0) return say("nothing waits");
  for (const { identity, pending, name } of waiting) {
    pins.accept(identity, pending?.tools ?? [], new Date());
    await noteServer(folder, identity, (now) => withoutPending(now, servers, identity));
    say(`${safe(name)}: ${pending?.tools.length ?? 0} tools accepted`);
  }
  return 0;
}

async function forget(folder: string, pins: Pins, servers: readonly Entry[]): Promise<number> {
  for (const { identity, name } of servers) {
    pins.forget(identity);
    await noteServer(folder, identity, (now) => withoutPending(now, servers, identity));
    say(`${safe(name)}: forgotten; its next list is taken as it comes`);
  }
  return 0;
}

function withoutPending(now: KnownServer | undefined, servers: readonly Entry[], identity: string): KnownServer {
  const known = now ?? servers.find((server) => server.identity === identity);
  const { name = "", label = "", seen = "", tools = [], resemblances = [] } = known ?? {};
  return { name, label, seen, tools, resemblances };
}

function reportOf(pins: Pins, { identity, pending }: Entry): PinReport {
  return pins.check(identity, pending?.tools ?? []);
}

/** Nothing to compare with: all of it is new. */
function everything({ pending }: Entry): ReturnType<typeof comparePins> {
  const texts = (pending?.tools ?? []).map((tool): [string, string] => [tool.name, JSON.stringify(tool)]);
  return comparePins({}, Object.fromEntries(texts));
}

function safe(text: string): string {
  return screenSafe(text, { oneLine: true, maxChars: 300 });
}

function say(text: string): number {
  console.log(text);
  return 0;
}

function refuse(text: string): number {
  console.error(text);
  return 2;
}
