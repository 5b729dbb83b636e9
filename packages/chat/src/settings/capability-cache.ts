// What the program learns about others and remembers between runs: the era a server speaks, the switches a model needs.
import path from "node:path";
import { isObject } from "@bosun/mcp";
import { compatFrom } from "../model/compat.ts";
import { compatToSettings } from "../model/model.ts";
import type { CompatStore } from "../model/model.ts";
import type { Era, EraStore } from "../servers/open-client.ts";
import { openCacheFile } from "./cache-file.ts";
import type { CacheFile } from "./cache-file.ts";

/** A server may have learnt the newer protocol since: ask again after a while. */
const LEGACY_DAYS = 7;
/** Addresses come and go; the oldest are forgotten. */
const MOST = 500;

type Table = Readonly<Record<string, unknown>>;
type CachedCapabilities = { readonly eras: Table; readonly compat: Table };

export class CapabilityCache {
  readonly #file: CacheFile<CachedCapabilities>;

  constructor(stateFolder: string) {
    this.#file = openCacheFile(path.join(stateFolder, "aish.json"), { eras: {}, compat: {} }, (read) =>
      isObject(read) ? { eras: tableOf(read["eras"]), compat: tableOf(read["compat"]) } : undefined,
    );
  }

  get eras(): EraStore {
    return {
      get: (identity) => this.#era(identity),
      set: (identity, era) => {
        if (this.#era(identity) === era) return; // an old verdict that was found again counts from now on
        const at = new Date().toISOString();
        this.#file.update((all) => ({ ...all, eras: withEntry(all.eras, identity, { era, at }) }));
      },
    };
  }

  get compats(): CompatStore {
    return {
      get: (key) => {
        const known = this.#file.value.compat[key];
        return compatFrom(isObject(known) ? known : {});
      },
      set: (key, compat) => {
        const written = compatToSettings(compat);
        this.#file.update((all) => ({ ...all, compat: withEntry(all.compat, key, written) }));
      },
    };
  }

  #era(identity: string): Era | undefined {
    const known = this.#file.value.eras[identity];
    const era = isObject(known) ? known["era"] : undefined;
    if (!isObject(known) || (era !== "modern" && era !== "legacy")) return undefined;
    const age = Date.now() - Date.parse(String(known["at"]));
    return era === "legacy" && !(age < LEGACY_DAYS * 86_400_000) ? undefined : era;
  }
}

function tableOf(value: unknown): Table {
  return isObject(value) ? value : {};
}

function withEntry(table: Table, key: string, value: unknown): Table {
  const others = Object.entries(table).filter(([one]) => one !== key);
  return Object.fromEntries([...others.slice(-(MOST - 1)), [key, value]]);
}
