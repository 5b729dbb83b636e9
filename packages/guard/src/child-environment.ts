// The environment a child gets: a short list of harmless names, what the settings add, and no secret of ours.
import type { Redactor } from "./redact.ts";
import { isSecretVariable } from "./secret-shapes.ts";

const BASE = new Set(
  "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TERM TERMINFO COLORTERM COLUMNS LINES NO_COLOR FORCE_COLOR TZ TMPDIR TMP TEMP XDG_RUNTIME_DIR EDITOR VISUAL PAGER SYSTEMROOT COMSPEC PATHEXT WINDIR".split(
    " ",
  ),
);
// They change what our own runtime or the loader does before the child's first line.
const NEVER =
  /^(?:BUN_OPTIONS|BUN_BE_BUN|BUN_INSPECT.*|NODE_OPTIONS|LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|ENV|BOSUN_.*)$/;

export type ChildEnvironmentOptions = {
  /** Names the settings let through although they are not on the list, secrets included: the person said so. */
  pass?: readonly string[];
  /** Variables set for this child. */
  set?: Readonly<Record<string, string>>;
  redactor: Redactor;
};

/** A listed environment. A listed variable whose value is a secret stays out as well. */
export function childEnvironment(
  from: Readonly<Record<string, string | undefined>>,
  options: ChildEnvironmentOptions,
): Record<string, string> {
  const passed = new Set(options.pass ?? []);
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(from)) {
    if (value === undefined || NEVER.test(name)) continue;
    if (passed.has(name)) result[name] = value;
    else if (isListed(name) && !isSecretVariable(name) && options.redactor.find(value).length === 0)
      result[name] = value;
  }
  return { ...result, ...options.set };
}

function isListed(name: string): boolean {
  return BASE.has(name) || name.startsWith("LC_");
}
