// Tool definitions that can be offered at all: nothing hides in what a call must use, names can be told apart, and
// nothing is endless.
import type { ToolDefinition } from "@bosun/shrink";
import { revealHiddenText } from "./reveal-hidden-text.ts";

const MAX_TOOLS = 5000;
const MAX_DEFINITION_CHARS = 256 * 1024;
/** Ten times the longest list known. All servers' definitions share one file of pins, and one must not fill it. */
const MAX_LIST_CHARS = 1024 * 1024;
const MAX_NAME_CHARS = 200;
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const HIDDEN_IN_NAME = /[\x00-\x20\x7f-\xa0]|\p{C}|\p{Z}/u;

export type Usable = {
  tools: ToolDefinition[];
  /** Why the others cannot be offered, by name. */
  unusable: Map<string, string>;
};

/** `bounded`: they are to be kept, so there is a limit to them. */
export async function usableTools(listed: readonly ToolDefinition[], bounded: boolean): Promise<Usable> {
  const problems = new Map<ToolDefinition, string>();
  await revealHiddenText(listed, { leftOut: (tool, why) => problems.set(tool, why) });
  if (bounded) addBounds(listed, problems);
  const unusable = new Map<string, string>();
  if (problems.size > 0) {
    const { revealed } = await import("@bosun/policy");
    for (const [{ name }, why] of problems)
      unusable.set(name, `"${revealed(name.slice(0, MAX_NAME_CHARS))}" is held back: ${why}`);
  }
  return { tools: listed.filter((tool) => !problems.has(tool)), unusable };
}

function addBounds(listed: readonly ToolDefinition[], problems: Map<ToolDefinition, string>): void {
  const names = new Map<string, number>();
  for (const { name } of listed) names.set(name, (names.get(name) ?? 0) + 1);
  let chars = 0;
  for (const [at, tool] of listed.entries()) {
    const { name } = tool;
    const length = JSON.stringify(tool).length;
    const problem =
      (at >= MAX_TOOLS && `its server lists more than ${MAX_TOOLS} tools`) ||
      ((names.get(name) ?? 0) > 1 && "its server lists it twice") ||
      (name.length > MAX_NAME_CHARS && "its name is too long") ||
      (HIDDEN_IN_NAME.test(name) && "its name holds characters that are not seen") ||
      (length > MAX_DEFINITION_CHARS && "its definition is too large") ||
      (chars + length > MAX_LIST_CHARS && "all definitions of its server together are too large");
    if (problem) problems.set(tool, problem);
    else if (!problems.has(tool)) chars += length;
  }
}
