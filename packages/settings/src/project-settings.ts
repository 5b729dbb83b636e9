// The project's own settings file: comes with a cloned folder, so it is trusted by its hash, once, by a person, and
// even then may only make things stricter.
import { isObject } from "@bosun/platform/json";
import { openStateFile, stateFileIn, readPrivateFile } from "@bosun/platform/private-files";
import { realpathSync } from "node:fs";
import path from "node:path";
import { BosunError } from "@bosun/platform/errors";
import { sha256 } from "@bosun/platform/hash";
import type { TableNode } from "./settings-document.ts";
import { locateProjectFiles } from "./locations.ts";
import { readToml } from "./toml.ts";
import { at, inside, type Field, type Place } from "./field.ts";
import { camel, refuseUnknown } from "./table-fields.ts";
import { SETTINGS, type Settings } from "./settings-table.ts";

const MAX_FILE_BYTES = 256 * 1024;

export type ProjectSettings =
  | { readonly kind: "none" }
  /** Show `text` (made safe for the screen) and ask; then remember the hash. Nothing of it holds until then. */
  | {
      readonly kind: "untrusted";
      readonly file: string;
      readonly hash: string;
      readonly text: string;
      readonly changed: boolean;
    }
  /** Nobody agreed to it and nobody could: no plain file, or it tries to do more than tighten. Anyone can leave one there, so it
   * is not obeyed and stops nothing. */
  | { readonly kind: "unusable"; readonly file: string; readonly problem: string }
  | { readonly kind: "trusted"; readonly file: string; readonly hash: string; readonly settings: Settings };

/** Whether a person has agreed to this file with this content. */
export type IsTrusted = (file: string, hash: string) => "yes" | "no" | "another version";

/**
 * The nearest file that a person has agreed to; when there is none, the nearest of the repository, which nobody has.
 * Throws a SettingsError when one that was agreed to cannot be obeyed any more: the person's own settings changed.
 */
export function loadProjectSettings(own: Settings, cwd: string, isTrusted: IsTrusted): ProjectSettings {
  const found = locateProjectFiles(cwd).map(({ file, isNear }) => ({ isNear, loaded: load(own, file, isTrusted) }));
  const trusted = found.find(({ loaded }) => loaded.kind === "trusted");
  const near = found.find(({ loaded, isNear }) => isNear && loaded.kind !== "none");
  return (trusted ?? near)?.loaded ?? { kind: "none" };
}

function load(own: Settings, found: string, isTrusted: IsTrusted): ProjectSettings {
  const content = attempt(() => readPrivateFile(found, { maxBytes: MAX_FILE_BYTES, anyOwner: true }));
  if (content === undefined) return { kind: "none" };
  if (content instanceof BosunError) return { kind: "unusable", file: found, problem: content.message };
  const file = path.join(realpathSync(path.dirname(found)), path.basename(found));
  const hash = sha256(content.text);
  const trust = isTrusted(file, hash);
  if (trust === "yes") return { kind: "trusted", file, hash, settings: tightenSettings(own, file, content.text) };
  const settings = attempt(() => tightenSettings(own, file, content.text));
  if (settings instanceof BosunError) return { kind: "unusable", file, problem: settings.message };
  return { kind: "untrusted", file, hash, text: content.text, changed: trust === "another version" };
}

function attempt<T>(read: () => T): T | BosunError {
  try {
    return read();
  } catch (error) {
    // A project file that cannot be read is reported, it does not stop the start.
    if (error instanceof BosunError) return error;
    throw error;
  }
}

/** Settings joined with a project file's: never more permissive than the first. */
export function tightenSettings(own: Settings, file: string, text: string): Settings {
  const document = readToml(file, text);
  return tighten(SETTINGS, own, document, { file, name: "" }) as Settings;
}

function tighten(field: Field<unknown>, own: unknown, node: TableNode, place: Place): unknown {
  if (field.shape.kind === "group")
    return tightenGroup(field.shape.fields, own as Record<string, unknown>, node, place);
  if (field.shape.kind === "map") return tightenMap(field.shape.of, own as Record<string, unknown>, node, place);
  return own;
}

function tightenGroup(
  fields: Readonly<Record<string, Field<unknown>>>,
  own: Record<string, unknown>,
  node: TableNode,
  place: Place,
): unknown {
  refuseUnknown(node, Object.keys(fields), place);
  const result = { ...own };
  for (const member of node.members.values()) {
    const field = fields[member.key];
    if (field === undefined) continue;
    const here = inside(place, member.key);
    const key = camel(member.key);
    if (field.tighten !== undefined) {
      const refuse = (why: string): never => {
        throw at(member.at, place, `${here.name}: a project file ${why}`);
      };
      result[key] = field.tighten(own[key], field.read(member.value, here), refuse);
    } else if ((field.shape.kind === "group" || field.shape.kind === "map") && member.value.kind === "table") {
      result[key] = tighten(field, own[key], member.value, here);
    } else
      throw at(
        member.at,
        place,
        `${here.name} cannot be set by a project file: it may only tighten what the person allows`,
      );
  }
  return result;
}

// Only what the person already has: a project cannot bring servers, models or keys.
function tightenMap(of: Field<unknown>, own: Record<string, unknown>, node: TableNode, place: Place): unknown {
  const result = { ...own };
  for (const member of node.members.values()) {
    const here = inside(place, member.key);
    if (!Object.hasOwn(own, member.key) || member.value.kind !== "table") {
      throw at(
        member.at,
        place,
        `${here.name} cannot be added by a project file: it may only tighten what the person allows`,
      );
    }
    result[member.key] = tighten(of, own[member.key], member.value, here);
  }
  return result;
}

/** Which project files a person has agreed to, by path and content. */
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
