// What the program learns and remembers between runs: eras of servers, switches of models, lines typed. Small files of
// mode 0600; a damaged one is started over, because nothing in it grants anything.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isObject } from "@bosun/mcp";
import { compatFrom } from "../model/compat.ts";
import { compatToSettings } from "../model/model.ts";
import type { CompatStore } from "../model/model.ts";
import type { EraStore } from "../servers/open-client.ts";

const MAX_HISTORY = 2000;
/** A server may have learnt the newer protocol since: ask again after a while. */
const LEGACY_DAYS = 7;

type Eras = Record<string, { era: "modern" | "legacy"; at: string }>;
type Compats = Record<string, Record<string, string>>;

export class LearntState {
  readonly #file: string;
  readonly #eras: Eras;
  readonly #compats: Compats;

  constructor(stateFolder: string) {
    this.#file = path.join(stateFolder, "aish.json");
    const read = readJson(this.#file);
    this.#eras = isObject(read?.["eras"]) ? (read["eras"] as Eras) : {};
    this.#compats = isObject(read?.["compat"]) ? (read["compat"] as Compats) : {};
  }

  get eras(): EraStore {
    return {
      get: (identity) => {
        const known = this.#eras[identity];
        if (known?.era !== "modern" && known?.era !== "legacy") return undefined;
        const age = Date.now() - Date.parse(known.at);
        return known.era === "legacy" && !(age < LEGACY_DAYS * 86_400_000) ? undefined : known.era;
      },
      set: (identity, era) => {
        if (this.#eras[identity]?.era === era) return;
        this.#eras[identity] = { era, at: new Date().toISOString() };
        this.#save();
      },
    };
  }

  get compats(): CompatStore {
    return {
      get: (key) => compatFrom(isObject(this.#compats[key]) ? this.#compats[key] : {}),
      set: (key, compat) => {
        this.#compats[key] = compatToSettings(compat);
        this.#save();
      },
    };
  }

  #save(): void {
    writePrivate(this.#file, `${JSON.stringify({ eras: this.#eras, compat: this.#compats }, undefined, 1)}\n`);
  }
}

/** Lines typed, oldest first. Lines that begin with a blank are not kept. */
export class InputHistory {
  readonly lines: string[];
  readonly #file: string | undefined;

  constructor(stateFolder: string | undefined) {
    this.#file = stateFolder === undefined ? undefined : path.join(stateFolder, "input-history.json");
    const read = this.#file === undefined ? undefined : readJson(this.#file);
    const lines = Array.isArray(read?.["lines"]) ? read["lines"] : [];
    this.lines = lines.filter((line): line is string => typeof line === "string");
  }

  add(line: string): void {
    if (line.trim() === "" || /^\s/.test(line) || /^:config\s+set\b.*key/i.test(line) || line.length > 20_000) return;
    if (this.lines.at(-1) === line) return;
    this.lines.push(line);
    if (this.lines.length > MAX_HISTORY) this.lines.splice(0, this.lines.length - MAX_HISTORY);
    if (this.#file !== undefined) writePrivate(this.#file, JSON.stringify({ lines: this.lines }));
  }
}

export function writePrivate(file: string, text: string): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const temporary = `${file}.${process.pid}.tmp`;
    writeFileSync(temporary, text, { mode: 0o600 });
    renameSync(temporary, file);
  } catch {
    // what cannot be remembered is learnt again
  }
}

function readJson(file: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
