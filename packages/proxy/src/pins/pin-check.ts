// Is a server's tool list still the one that was accepted? What is different is held back until a person has seen it.
// The first list of a server is taken as it is: nobody could compare it with anything.
import { statSync } from "node:fs";
import path from "node:path";
import type { PinChange } from "@bosun/policy";
import type { ToolDefinition } from "@bosun/shrink";
import type { Log } from "@bosun/platform/log";
import { addressOf } from "../servers/server-spec.ts";
import type { ServerSpec } from "../servers/server-spec.ts";
import { noteServer, readKnownServers, referenceTo } from "./known-servers.ts";
import type { KnownServer } from "./known-servers.ts";
import { PinDecisions } from "./pin-decisions.ts";
import type { PendingDecision } from "./pin-decisions.ts";

/** What is read of the file of pins, with something to spare for changes that are accepted. */
const MAX_PINS_BYTES = 3.5 * 1024 * 1024;
/** Definitions stand in it as JSON in JSON. */
const QUOTED = 1.5;
const FORGET =
  "`bosun proxy pins` lists the servers, `bosun proxy pins forget NAME` removes one that is not used any more";

export type PinChecked = {
  /** What may be listed and called. */
  offered: readonly ToolDefinition[];
  /** Why not, by name. */
  heldBack: ReadonlyMap<string, string>;
  /** A person's decision would change this. */
  awaited?: PendingDecision;
};

export class PinCheck {
  readonly decisions: PinDecisions;
  private readonly locate: () => Promise<string>;
  private readonly log: Log;
  /** What has been logged already, so that it is logged once. */
  private readonly logged = new Set<string>();

  /** `locate` gives the state folder: where it is, is not looked up before it is needed. */
  constructor(locate: () => Promise<string>, log: Log) {
    this.locate = locate;
    this.decisions = new PinDecisions(locate);
    this.log = log;
  }

  /** `unusable` are those that its server lists too, and why they cannot be offered whatever a person says. */
  async check(
    spec: ServerSpec,
    definitions: readonly ToolDefinition[],
    unusable: ReadonlyMap<string, string>,
  ): Promise<PinChecked> {
    const { describeChanges, openPins, serverIdentity, serverLabel } = await import("@bosun/policy");
    const { BosunError } = await import("@bosun/platform/errors");
    const folder = await this.locate();
    const tools = definitions.map(asPinned);
    const address = addressOf(spec);
    const identity = serverIdentity(address);
    const note = { name: spec.name, label: serverLabel(address), seen: new Date().toISOString() };
    try {
      // Opened anew each time: a person may have accepted a change in the meantime.
      const pins = openPins(folder);
      const report = pins.check(identity, tools, unusable);
      if (report.kind === "new") {
        if (!hasRoom(folder, tools))
          throw new BosunError("LIMIT", `there is no room for more pins in ${folder}: ${FORGET}`);
        await this.unlessReadOnly(folder, () => pins.accept(identity, tools, new Date()));
      }
      if (report.kind !== "different") {
        await this.note(folder, identity, { ...note, tools: namesOf(tools) }, report.kind === "new");
        return { offered: definitions, heldBack: unusable };
      }
      const unchanged = new Set(namesOf(pins.unchanged(identity, tools)));
      const offered = definitions.filter(({ name }) => unchanged.has(name));
      const remedy = remedyFor(referenceTo(identity, spec.name, readKnownServers(folder)));
      const reasons = reasonsOf(report.changes, spec.name, report.since, remedy);
      this.logOnce(`${spec.name} is not what was accepted:\n${describeChanges(report.changes)}\n${remedy}`);
      await this.note(
        folder,
        identity,
        {
          ...note,
          tools: namesOf(tools),
          pending: { since: report.since, tools, unusable: Object.fromEntries(unusable) },
        },
        true,
      );
      return {
        offered,
        heldBack: new Map([...reasons, ...unusable]),
        awaited: { identity, since: pins.since(identity) },
      };
    } catch (error) {
      if (!(error instanceof BosunError)) throw error;
      // What cannot be compared is not offered.
      const why = `${error.message}. Until then nothing of ${spec.name} is offered, unless --pins off`;
      this.logOnce(why);
      return {
        offered: [],
        heldBack: new Map([...namesOf(definitions), ...unusable.keys()].map((name) => [name, why])),
      };
    }
  }

  /** Names of one server that a person or a model could take for another's. */
  async compare(servers: readonly { spec: ServerSpec; tools: readonly string[] }[]): Promise<void> {
    const { describeResemblance, findResemblances, serverIdentity } = await import("@bosun/policy");
    const folder = await this.locate();
    const names = servers.flatMap(({ spec, tools }) => tools.map((tool) => ({ alias: spec.name, tool })));
    const found = findResemblances(names).filter(({ left, right }) => left.alias !== right.alias);
    for (const resemblance of found) {
      const text = describeResemblance(resemblance);
      if (!this.logOnce(text)) continue;
      const spec = servers.find((server) => server.spec.name === resemblance.right.alias)?.spec;
      if (!spec) continue;
      const identity = serverIdentity(addressOf(spec));
      const known = readKnownServers(folder).get(identity);
      if (!known || known.resemblances?.includes(text)) continue;
      const resemblances = [...(known.resemblances ?? []), text].slice(-50);
      await this.unlessReadOnly(folder, () =>
        noteServer(folder, identity, (now) => ({ ...(now ?? known), resemblances })),
      );
    }
  }

  /** What a server that does not answer now was last seen to offer: its names stay taken. */
  async lastNames(spec: ServerSpec): Promise<readonly string[]> {
    const { serverIdentity } = await import("@bosun/policy");
    return readKnownServers(await this.locate()).get(serverIdentity(addressOf(spec)))?.tools ?? [];
  }

  private async note(folder: string, identity: string, noted: KnownServer, isNews: boolean): Promise<void> {
    const known = readKnownServers(folder).get(identity);
    // A list that is as it was is not worth a write each time.
    if (!isNews && known && !known.pending && known.name === noted.name && known.label === noted.label) return;
    await this.unlessReadOnly(folder, () =>
      noteServer(folder, identity, (now) => {
        // What a person has been shown, and what was flagged, is not this list's to forget.
        const { resemblances, shown } = now ?? {};
        return { ...noted, ...(resemblances ? { resemblances } : {}), ...(shown === undefined ? {} : { shown }) };
      }),
    );
  }

  /** A disk that cannot be written makes every look the first one; that is logged, and the servers still work. */
  private async unlessReadOnly(folder: string, write: () => void | Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      // Not for what is wrong with the pins: only where the disk cannot be written.
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      if (!["EACCES", "EROFS", "ENOSPC", "EPERM", "EDQUOT", "EEXIST"].includes(code)) throw error;
      this.logOnce(`pins cannot be kept in ${folder} (${code})`);
    }
  }

  private logOnce(text: string): boolean {
    if (this.logged.has(text) || this.logged.size > 1000) return false;
    this.logged.add(text);
    this.log("warn", text);
    return true;
  }
}

// A file that has grown beyond what is read would be no pins at all, for any server.
function hasRoom(folder: string, tools: readonly ToolDefinition[]): boolean {
  const size = statSync(path.join(folder, "pins.json"), { throwIfNoEntry: false })?.size ?? 0;
  return size + JSON.stringify(tools).length * QUOTED < MAX_PINS_BYTES;
}

/** How a tool is run says nothing to a model, and servers say it to clients of one era only. */
function asPinned({ execution: _, name, ...tool }: ToolDefinition): ToolDefinition {
  return { name, ...tool };
}

function reasonsOf(changes: readonly PinChange[], server: string, since: string, remedy: string): [string, string][] {
  const when = since === "" ? "" : ` since ${since.slice(0, 10)}`;
  return changes.flatMap((change): [string, string][] => {
    const held = (name: string, what: string): [string, string] => [
      name,
      `${name} is held back: ${what}${when}, and nobody has agreed to it yet. ${remedy}`,
    ];
    switch (change.kind) {
      case "added":
        return [held(change.name, `${server} has added it`)];
      case "removed":
        return [held(change.name, `${server} has removed it`)];
      case "changed":
        return [held(change.name, `${server} has changed its definition`)];
      case "renamed":
        return [
          held(change.name, `${server} has renamed it from ${change.from}`),
          held(change.from, `${server} has renamed it to ${change.name}`),
        ];
      case "doubled":
        return [held(change.name, `${server} lists it twice`)];
      case "unusable":
        return [[change.name, change.why]];
      default:
        return change satisfies never;
    }
  });
}

function remedyFor(server: string): string {
  return `A person can look with \`bosun proxy pins show ${server}\` and then agree to what was shown with \`bosun proxy pins accept ${server}\`.`;
}

function namesOf(tools: readonly ToolDefinition[]): string[] {
  return tools.map(({ name }) => name);
}
