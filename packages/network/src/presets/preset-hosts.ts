// The hosts of presets, found out when first needed and then kept: a rule must not change while a session runs.
import { partsOf } from "./preset-names.ts";
import { personOutside } from "./run-tool.ts";
import { hostsOfTool } from "./tool-hosts.ts";
import type { HostAndPort, Tool } from "./preset-names.ts";
import type { Person, PersonOptions } from "./run-tool.ts";

export type PresetHost = HostAndPort & {
  readonly preset: string;
  /** From the person's own configuration: also a private address may be meant. */
  readonly isOwnSetting: boolean;
};

export type AskTool = (tool: Tool, person: Person) => Promise<readonly HostAndPort[]>;

export class PresetHosts {
  readonly #options: PersonOptions;
  readonly #askTool: AskTool;
  readonly #found = new Map<string, Promise<readonly PresetHost[]>>();
  #person: Person | undefined;

  constructor(options: PersonOptions, askTool: AskTool = hostsOfTool) {
    this.#options = options;
    this.#askTool = askTool;
  }

  async of(name: string): Promise<readonly PresetHost[]> {
    const parts = await Promise.all(partsOf(name).map((part) => this.#ofPart(part)));
    return parts.flat();
  }

  #ofPart({ name, preset }: ReturnType<typeof partsOf>[number]): Promise<readonly PresetHost[]> {
    const known = this.#found.get(name);
    if (known !== undefined) return known;
    const found = this.#find(name, preset);
    this.#found.set(name, found);
    return found;
  }

  async #find(name: string, preset: ReturnType<typeof partsOf>[number]["preset"]): Promise<readonly PresetHost[]> {
    if (preset.kind === "hosts") return preset.hosts.map((each) => ({ ...each, preset: name, isOwnSetting: false }));
    if (preset.kind === "all") return [];
    this.#person ??= personOutside(this.#options);
    const hosts = await this.#askTool(preset.tool, this.#person);
    return hosts.map((each) => ({ ...each, preset: name, isOwnSetting: true }));
  }
}
