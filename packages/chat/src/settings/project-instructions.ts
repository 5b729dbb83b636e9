// AGENTS.md and CLAUDE.md of a folder: what its owner wants a model to know. They come with a cloned folder, so they are shown
// and agreed to once, by their content; without that the model never sees them.
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { digestOf } from "@bosun/platform/json";
import { withoutTagCharacters } from "@bosun/platform/safe-text";
import { isObject } from "@bosun/mcp";
import { openProjectTrust } from "@bosun/settings";
import { openCacheFile } from "./cache-file.ts";
import type { Agree } from "./trust-project-settings.ts";

const NAMES = ["AGENTS.md", "CLAUDE.md"];
const MAX_BYTES = 64 * 1024;
const SHOWN_LINES = 60;

/** Texts for the model, the outermost folder first. */
export async function projectInstructions(stateFolder: string, cwd: string, agree: Agree): Promise<string[]> {
  const trust = openProjectTrust(stateFolder);
  const declined = openCacheFile<readonly string[]>(
    path.join(stateFolder, "declined-instructions.json"),
    [],
    parseHashes,
  );
  const texts: string[] = [];
  for (const { file, text } of instructionFiles(cwd)) {
    const hash = digestOf(text);
    const name = path.relative(cwd, file);
    if (trust.isTrusted(file, hash) !== "yes") {
      if (agree.confirm === undefined) {
        agree.say(`${name} is not used: nobody has agreed to it yet (a start without -p asks)`);
        continue;
      }
      if (declined.value.includes(hash)) continue;
      if (!(await agree.confirm(shown(name, text), `give ${name} to the model as instructions?`))) {
        declined.update((hashes) => [...hashes.slice(-200), hash]);
        agree.say(`${name} is not used; it is asked about again when it changes`);
        continue;
      }
      trust.trust(file, hash, new Date());
    }
    agree.say(`${name} is part of the instructions (${text.split("\n").length} lines)`);
    texts.push(`Instructions of this project, from ${name}:\n${withoutTagCharacters(text).text.trim()}`);
  }
  return texts;
}

function instructionFiles(cwd: string): { file: string; text: string }[] {
  const found: { file: string; text: string }[] = [];
  for (const folder of foldersFromRoot(cwd)) {
    for (const name of NAMES) {
      const text = readSmall(path.join(folder, name));
      // Often one says the same as the other, or only points to it.
      const isNews = text !== undefined && text.trim() !== "" && !/^@AGENTS\.md\s*$/.test(text.trim());
      if (isNews && !found.some((one) => one.text === text)) found.push({ file: path.join(folder, name), text });
    }
  }
  return found;
}

/** From the root of the repository down to here; only here, where there is no repository. */
function foldersFromRoot(cwd: string): string[] {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    folders.unshift(folder);
    if (existsSync(path.join(folder, ".git"))) return folders;
    if (folder === path.dirname(folder)) return [cwd];
  }
}

function readSmall(file: string): string | undefined {
  const facts = statSync(file, { throwIfNoEntry: false });
  return facts?.isFile() === true && facts.size <= MAX_BYTES ? readFileSync(file, "utf8") : undefined;
}

function shown(name: string, text: string): string[] {
  const lines = text.split("\n").map((line) => `  ${line}`);
  const more = lines.length > SHOWN_LINES ? [`  … ${lines.length - SHOWN_LINES} more lines`] : [];
  return [`${name} comes with this folder. It says:`, ...lines.slice(0, SHOWN_LINES), ...more];
}

function parseHashes(value: unknown): readonly string[] | undefined {
  if (isObject(value) || !Array.isArray(value)) return undefined;
  return value.filter((one): one is string => typeof one === "string");
}
