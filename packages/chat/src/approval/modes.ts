// Named presets of what runs unasked. They speak where no rule of a person's does, about the tools of this folder only; what a
// rule denies stays denied.
import path from "node:path";
import { openStateFile, stateFileIn } from "@bosun/platform/private-files";
import { isObject } from "@bosun/mcp";
import type { Server } from "../servers/mcp-server.ts";
import type { ToolInfo } from "../tools/tool-info.ts";

export const MODES = {
  "read-only": "reads of this folder run unasked, nothing else runs",
  ask: "every call is asked about, unless a rule of yours allows it",
  edits: "reads and edits of files in this folder run unasked, everything else asks",
  trusted: "every tool of this folder runs unasked, other servers ask",
} as const;

export type Mode = keyof typeof MODES;
export const MODE_NAMES = Object.keys(MODES) as Mode[];

/** Tools of ours that change one file and nothing else. */
const EDITS = new Set(["str_replace", "create_file", "str_replace_based_edit_tool"]);

/** Undefined: the mode says nothing about it. */
export function verdictOf(mode: Mode, tool: ToolInfo, server: Server): "allow" | "deny" | undefined {
  const isOfFolder = server.config.reach.kind === "builtin";
  const reads = tool.annotations.readOnly === true;
  switch (mode) {
    case "read-only":
      if (isOfFolder && reads) return "allow";
      return server.config.trust && reads ? undefined : "deny";
    case "edits":
      return isOfFolder && (reads || EDITS.has(tool.tool)) ? "allow" : undefined;
    case "trusted":
      return isOfFolder ? "allow" : undefined;
    default:
      return undefined;
  }
}

type Kept = Readonly<Record<string, Mode>>;

/** The modes that a person has kept for folders. Throws when what is kept cannot be believed. */
export function openKeptModes(stateFolder: string): {
  of: (folder: string) => Mode | undefined;
  keep: (folder: string, mode: Mode) => void;
} {
  const file = openStateFile<Kept>(stateFileIn(stateFolder, "modes.json"), {}, parseKept);
  return {
    of: (folder) => file.value[path.resolve(folder)],
    keep: (folder, mode) => file.update((kept) => ({ ...kept, [path.resolve(folder)]: mode })),
  };
}

export function isMode(text: string): text is Mode {
  return Object.hasOwn(MODES, text);
}

function parseKept(value: unknown): Kept | undefined {
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value).flatMap(([folder, mode]) =>
    typeof mode === "string" && isMode(mode) ? [[folder, mode] as const] : [],
  );
  return Object.fromEntries(entries);
}
