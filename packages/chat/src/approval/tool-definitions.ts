// Tool definitions as they were first seen, and what is different now: a change is said, shown with the next question,
// and remembered approvals lapse with it because they hang on the definition itself.
import { describeChanges, openPins } from "@bosun/policy";
import type { PinChange, Pins } from "@bosun/policy";
import type { Server } from "../servers/mcp-server.ts";

export class ToolDefinitions {
  readonly #pins: Pins | undefined;
  readonly #say: (text: string) => void;
  readonly #changes = new Map<string, { changes: readonly PinChange[]; accept: () => void }>();

  /** Without a folder nothing is compared (`mcp.pin = "off"`). */
  constructor(stateFolder: string | undefined, say: (text: string) => void) {
    this.#pins = stateFolder === undefined ? undefined : openPins(stateFolder);
    this.#say = say;
  }

  /** Throws when a list cannot be compared at all. */
  check(server: Server, isRelist: boolean): void {
    const pins = this.#pins;
    if (pins === undefined || server.state !== "ready") return;
    const tools = server.tools.map(({ raw }) => raw);
    const accept = (): void => pins.accept(server.identity, tools, new Date());
    const report = pins.check(server.identity, tools);
    if (report.kind === "new") return accept();
    if (report.kind === "same") return;
    this.#changes.set(server.identity, { changes: report.changes, accept });
    this.#say(`mcp: ${server.alias}: ${shortly(report.changes)}${isRelist ? "" : " since last time"}`);
    // Nothing was allowed that could lapse: new and vanished tools are news, not a warning.
    if (report.changes.every(({ kind }) => kind === "added" || kind === "removed")) accept();
  }

  /** When this set was agreed to, or first seen; undefined when nothing is compared. */
  since(server: string): string | undefined {
    // Compared with nothing, the set says since when it holds.
    const report = this.#pins?.check(server, []);
    return report?.kind === "different" && report.since !== "" ? report.since : undefined;
  }

  diffOf(server: string, tool: string): string | undefined {
    const changes = this.#changes.get(server)?.changes.filter((change) => change.name === tool) ?? [];
    return changes.length === 0 ? undefined : describeChanges(changes);
  }

  /** The person has seen it and said yes: from now on this is the set. */
  accept(server: string): void {
    this.#changes.get(server)?.accept();
    this.#changes.delete(server);
  }
}

function shortly(changes: readonly PinChange[]): string {
  const part = (kind: PinChange["kind"], words: string): string[] => {
    const names = changes.filter((one) => one.kind === kind).map(({ name }) => name);
    return names.length === 0 ? [] : [`${words.replace("#", String(names.length))} (${names.slice(0, 5).join(", ")})`];
  };
  return [
    ...part("added", "+# tool"),
    ...part("removed", "-# tool"),
    ...part("changed", "# changed"),
    ...part("renamed", "# renamed"),
    ...part("doubled", "# twice"),
  ].join(", ");
}
