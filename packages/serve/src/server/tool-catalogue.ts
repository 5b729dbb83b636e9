// Which tools a configuration gives.
import type { Config } from "../config/config.ts";
import { UsageError } from "@bosun/platform/flags";
import type { ToolDefinition } from "../calls/tool-definition.ts";
import { bash } from "../surfaces/coding/bash-tool.ts";
import { createFile } from "../surfaces/coding/create-file.ts";
import { compatGlob, glob } from "../surfaces/coding/glob-tool.ts";
import { compatGrep, grep } from "../surfaces/coding/grep-tool.ts";
import { strReplaceEditor } from "../surfaces/coding/str-replace-editor.ts";
import { strReplace } from "../surfaces/coding/str-replace.ts";
import { taskOutput } from "../surfaces/coding/task-output.ts";
import { view } from "../surfaces/coding/view.ts";
import { shell } from "../surfaces/shell/shell-tool.ts";
import type { ShellLimits } from "../surfaces/shell/shell-tool.ts";
import { deleteFile } from "../surfaces/workspace/delete-file.ts";
import { editFile } from "../surfaces/workspace/edit-file.ts";
import { listDir } from "../surfaces/workspace/list-dir.ts";
import { mkdir } from "../surfaces/workspace/mkdir.ts";
import { moveFile } from "../surfaces/workspace/move-file.ts";
import { readFile } from "../surfaces/workspace/read-file.ts";
import { runCommand } from "../surfaces/workspace/run-command.ts";
import { writeFile } from "../surfaces/workspace/write-file.ts";

const SPLIT = [taskOutput, view, strReplace, createFile, grep, glob];
const COMBINED = [taskOutput, strReplaceEditor, compatGrep, compatGlob];
const WORKSPACE = [listDir, readFile, editFile, writeFile, deleteFile, moveFile, mkdir, runCommand];

type Choice = Pick<Config, "surfaces" | "anthropicCompat" | "readOnly" | "disabledTools"> &
  Partial<Pick<Config, "timeoutMs" | "transport">>;

/** Throws UsageError for a tool name that does not exist. */
export function catalogueFor(
  choice: Choice,
  shellLimits?: ShellLimits,
  guests: readonly ToolDefinition[] = [],
): readonly ToolDefinition[] {
  const offered = [
    ...(choice.surfaces.includes("coding") ? coding(choice) : []),
    ...(choice.surfaces.includes("workspace") ? WORKSPACE : []),
    ...(choice.surfaces.includes("shell") ? [shell(shellLimits)] : []),
    ...guests.filter(({ surface }) => choice.surfaces.includes(surface)),
  ];
  const disabled = disabledNames(choice, guests);
  return offered.filter(({ name, readOnly }) => !disabled.has(name) && (readOnly || !choice.readOnly));
}

/** Whether any of them starts commands: only then is there something to confine. */
export function runsCommands(tools: readonly ToolDefinition[]): boolean {
  return tools.some(({ name }) => name === "run_command" || isShell(name));
}

/** Whether it hands text to a shell. */
export function isShell(name: string): boolean {
  return name === "bash" || name === "shell";
}

// The combined editor can write; without writing, plain `view` is what is left of it.
function coding({ anthropicCompat, readOnly, timeoutMs, transport }: Choice): readonly ToolDefinition[] {
  const here = bash(timeoutMs, transport);
  if (!anthropicCompat) return [here, ...SPLIT];
  return readOnly ? [view, compatGrep, compatGlob] : [here, ...COMBINED];
}

function disabledNames({ disabledTools, anthropicCompat }: Choice, guests: readonly ToolDefinition[]): Set<string> {
  const all = [bash(), ...SPLIT, ...COMBINED, ...WORKSPACE, shell(), ...guests].map(({ name }) => name);
  const known = [...new Set(all)].toSorted();
  const unknown = disabledTools.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new UsageError(`--disable-tools: unknown tool ${JSON.stringify(unknown)}; valid names: ${known.join(", ")}`);
  }
  const disabled = new Set(disabledTools);
  // Neither is of use without the other.
  if (disabled.has("bash") || disabled.has("task_output")) disabled.add("bash").add("task_output");
  const editorParts = ["view", "str_replace", "create_file"];
  if (anthropicCompat && editorParts.some((name) => disabled.has(name))) disabled.add("str_replace_editor");
  return disabled;
}
