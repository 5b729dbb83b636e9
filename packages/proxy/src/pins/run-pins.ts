// bosun proxy pins: what servers changed in their tool lists, and a person's yes to it. What is accepted is the list that
// was shown, by its hash: neither what the server would say now, nor what the proxy has seen since.
import { BosunError } from "@bosun/platform/errors";
import { comparePins, describeChanges, IN_FULL, listHash, openPins, type Pins } from "@bosun/policy";
import { forgetServer, noteServer, readKnownServers, shortId } from "./known-servers.ts";
import type { KnownServer } from "./known-servers.ts";
import { findServer, safe } from "./find-server.ts";
import type { Entry } from "./find-server.ts";
import { stateFolder } from "../locked-json-file.ts";

const HELP = `bosun proxy pins: tool definitions that changed since they were accepted

Usage: bosun proxy pins                    the servers that are known, and whose list waits for you
       bosun proxy pins show [server]      the change, whole, as a diff; nothing in it is hidden
       bosun proxy pins accept [server]    agree to what was shown last; what was not shown yet is shown first
       bosun proxy pins forget server      the next list is taken as the first one

A server is named as the list names it: by its alias, its command line or address, or its id.
Without a name: all that wait.`;

const COMMANDS = ["list", "show", "accept", "forget"];
const NOT_DONE = 1;

type Waiting = Entry & { pending: NonNullable<KnownServer["pending"]> };

export async function runPins(argv: readonly string[]): Promise<number> {
  if (argv.includes("--help") || argv.includes("-h")) return say(HELP);
  const [what = "list", name, more] = argv;
  if (!COMMANDS.includes(what)) return refuse(`there is no ${JSON.stringify(safe(what))} here\n\n${HELP}`);
  if (more !== undefined) return refuse(`${JSON.stringify(safe(more))} is one word too many\n\n${HELP}`);
  if (what === "forget" && name === undefined) return refuse(`forget whom? A server must be named\n\n${HELP}`);
  try {
    const folder = await stateFolder();
    const pins = openPins(folder);
    const known = [...readKnownServers(folder)].map(([identity, server]): Entry => ({ identity, ...server }));
    if (what === "list") return list(known);
    const one = name === undefined ? undefined : findServer(known, name);
    if (one && "problem" in one) return refuse(one.problem);
    if (what === "forget" && one) return await forget(folder, pins, one);
    const waiting = (one ? [one] : known).filter(isWaiting);
    if (waiting.length === 0) return say("nothing waits");
    return what === "show" ? await show(folder, pins, waiting) : await accept(folder, pins, waiting);
  } catch (error) {
    // A file of pins that cannot be read or trusted: said to the person who typed it.
    if (error instanceof BosunError) return refuse(error.message);
    throw error;
  }
}

function list(known: readonly Entry[]): number {
  if (known.length === 0) return say("no server is known yet: each is, once it has been listed through the proxy");
  for (const { identity, name, label, seen, tools, pending, resemblances = [] } of known) {
    const state = pending ? "HELD BACK: a change waits, see `bosun proxy pins show`" : "as accepted";
    say(`${safe(name)}  ${count(tools)}, ${state}\n  ${shortId(identity)}  ${safe(label)}, last seen ${safe(seen)}`);
    for (const resemblance of resemblances) say(`  careful: ${safe(resemblance)}`);
  }
  return 0;
}

async function show(folder: string, pins: Pins, waiting: readonly Waiting[]): Promise<number> {
  for (const server of waiting) await showOne(folder, pins, server);
  return say("\nTo agree: bosun proxy pins accept [server]");
}

async function showOne(folder: string, pins: Pins, server: Waiting): Promise<void> {
  const { identity, name, label, pending } = server;
  const since = pins.since(identity);
  const when = since === undefined ? "" : `, since ${since.slice(0, 10)}`;
  say(`${safe(name)} (${shortId(identity)}  ${safe(label)})${when}:\n${diffOf(pins, server)}`);
  // After it was shown: what could not be written to a screen was not seen.
  const shown = listHash(pending.tools);
  await noteServer(folder, identity, (now) => ({ ...(now ?? withoutIdentity(server)), shown }));
}

async function accept(folder: string, pins: Pins, waiting: readonly Waiting[]): Promise<number> {
  let code = 0;
  for (const server of waiting) {
    const { identity, name, pending, shown } = server;
    const hash = listHash(pending.tools);
    if (shown === hash) {
      pins.accept(identity, pending.tools, new Date());
      await noteServer(folder, identity, (now) => decided(now ?? withoutIdentity(server), hash));
      say(`${safe(name)}: ${count(pending.tools)} accepted`);
      continue;
    }
    await showOne(folder, pins, server);
    const why = shown === undefined ? "this has not been shown before" : "the list has changed since it was shown";
    say(`\n${safe(name)}: nothing was accepted, because ${why}. To agree to what stands above, run it again.`);
    code = NOT_DONE;
  }
  return code;
}

async function forget(folder: string, pins: Pins, { identity, name }: Entry): Promise<number> {
  pins.forget(identity);
  await forgetServer(folder, identity);
  return say(`${safe(name)}: forgotten; its next list is taken as it comes`);
}

/** What a proxy has held back in the meantime is another list, and still waits. */
function decided({ pending, shown: _, ...known }: KnownServer, hash: string): KnownServer {
  return pending && listHash(pending.tools) !== hash ? { ...known, pending } : known;
}

function diffOf(pins: Pins, { identity, pending }: Waiting): string {
  const report = pins.check(identity, pending.tools, new Map(Object.entries(pending.unusable ?? {})));
  if (report.kind === "same") return "  as it was accepted";
  if (report.kind === "different") return describeChanges(report.changes, IN_FULL);
  // Nothing to compare with: all of it is new.
  const texts = pending.tools.map((tool): [string, string] => [tool.name, JSON.stringify(tool)]);
  return describeChanges(comparePins({}, Object.fromEntries(texts)), IN_FULL);
}

function isWaiting(server: Entry): server is Waiting {
  return server.pending !== undefined;
}

function withoutIdentity({ identity: _, ...known }: Entry): KnownServer {
  return known;
}

function count(tools: readonly unknown[]): string {
  return tools.length === 1 ? "1 tool" : `${tools.length} tools`;
}

function say(text: string): number {
  console.log(text);
  return 0;
}

function refuse(text: string): number {
  console.error(`bosun proxy pins: ${text}`);
  return 2;
}
