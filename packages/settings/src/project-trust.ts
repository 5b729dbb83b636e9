// Which project files a person has agreed to, by path and content.
import { isObject } from "@bosun/platform/json";
import { openStateFile, stateFileIn } from "@bosun/platform/private-files";
import type { IsTrusted } from "./project-settings.ts";

export type ProjectTrust = {
  readonly isTrusted: IsTrusted;
  trust(file: string, hash: string, now: Date): void;
  forget(file: string): void;
};

type Entries = Readonly<Record<string, { readonly hash: string; readonly at: string }>>;

export function openProjectTrust(stateFolder: string): ProjectTrust {
  const store = openStateFile<Entries>(stateFileIn(stateFolder, "trusted-projects.json"), {}, parseEntries);
  return {
    isTrusted(file, hash) {
      const known = Object.hasOwn(store.value, file) ? store.value[file] : undefined;
      return known === undefined ? "no" : known.hash === hash ? "yes" : "another version";
    },
    trust(file, hash, now) {
      store.update((entries) => ({ ...entries, [file]: { hash, at: now.toISOString() } }));
    },
    forget(file) {
      store.update((entries) => Object.fromEntries(Object.entries(entries).filter(([one]) => one !== file)));
    },
  };
}

function parseEntries(value: unknown): Entries | undefined {
  if (!isObject(value)) return undefined;
  const entries: [string, { hash: string; at: string }][] = [];
  for (const [file, entry] of Object.entries(value)) {
    if (!isObject(entry) || typeof entry["hash"] !== "string" || typeof entry["at"] !== "string") return undefined;
    entries.push([file, { hash: entry["hash"], at: entry["at"] }]);
  }
  return Object.fromEntries(entries);
}
