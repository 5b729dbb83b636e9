// What the model is told about this server before its first call: where it is, what it may touch, how commands run.
import { sandboxInstructions } from "@bosun/engine";
import type { ServerState } from "./server-state.ts";
import { isShell, runsCommands } from "./tool-catalogue.ts";
import type { ToolDefinition } from "../calls/tool-definition.ts";

const HELD =
  "Read-only, because git runs or obeys them outside the sandbox: .git/hooks, .git/config and git's pointer files; other git work is as usual.";
const PUT_BACK = "unless the person agrees, because their own programs run or obey it";

/** The first lines are the contract's; the rest says why something may fail. */
export function instructionsFor(state: ServerState, tools: readonly ToolDefinition[]): string {
  const { config, scope } = state;
  const hasFileTools = tools.some(
    ({ surface, name }) => surface !== "shell" && name !== "bash" && name !== "task_output",
  );
  const denied = [...new Set(scope.deny.map(({ source }) => source))];
  const lines = [
    `Working directory: ${config.workdir}`,
    ...(config.rootsNamed ? [`Allowed directories: ${config.roots.join(", ")}`] : []),
    ...(denied.length > 0 ? [`Denied patterns: ${denied.join(", ")}`] : []),
    ...(config.rootsNamed || !hasFileTools
      ? []
      : [
          config.roots.length === 0
            ? "File tools may touch any folder."
            : "File tools are limited to the working directory.",
        ]),
    ...(state.paths.protect === "on" && !config.readOnly ? protectedPlaces(state) : []),
    ...(config.readOnly ? ["Nothing can be written: the server is read-only."] : []),
    ...(tools.some(({ name }) => isShell(name))
      ? [`Shell: ${state.host.shell.path}, no terminal, input at end-of-file.`]
      : []),
    ...(runsCommands(tools)
      ? [sandboxInstructions(state.sandbox.description, state.boundary, { hasTasks: hasTasks(tools) })]
      : []),
  ];
  return lines.join("\n");
}

function protectedPlaces({ paths, holdsPlaces }: ServerState): string[] {
  const opened = paths.open.length === 0 ? "" : ` Opened by the person: ${paths.open.join(", ")}.`;
  const settled = ".vscode, .envrc, .mcp.json, .claude, .husky and the like";
  return holdsPlaces
    ? [HELD, `Put back after a command ${PUT_BACK}: ${settled}.${opened}`]
    : [`Put back after a command ${PUT_BACK}: git's hooks and programs in its config, ${settled}.${opened}`];
}

function hasTasks(tools: readonly ToolDefinition[]): boolean {
  return tools.some(({ name }) => name === "bash");
}
