// The one rule about a child's environment, for commands, MCP servers and the proxy: a list of names, what the person passes
// by name or sets, and no secret of ours. What makes a loader, a runtime or a shell run something else first is never handed
// on and never taken from a caller; a person may set it for a server of their own, except what would change our own runtime.
import { isSecretVariable } from "../secrets/secret-shapes.ts";

export type EnvironmentSource = Readonly<Record<string, string | undefined>>;

// Where programs are, who the user is, how text is shown, where toolchains and certificates lie. Nothing that names a
// socket (agents, D-Bus, display) and nothing that customarily holds a credential. LD_LIBRARY_PATH is for the person to pass.
const HANDED_ON = new Set(
  [
    "PATH HOME USER LOGNAME SHELL TMPDIR TMP TEMP TZ LANG LANGUAGE TERM TERMINFO COLORTERM NO_COLOR FORCE_COLOR CLICOLOR",
    "CLICOLOR_FORCE COLUMNS LINES EDITOR VISUAL PAGER CI HOSTNAME XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME",
    "XDG_STATE_HOME XDG_DATA_DIRS XDG_CONFIG_DIRS NVM_DIR VOLTA_HOME FNM_DIR N_PREFIX PNPM_HOME BUN_INSTALL",
    "DENO_DIR PYENV_ROOT VIRTUAL_ENV CONDA_PREFIX CARGO_HOME RUSTUP_HOME GOPATH GOROOT GOCACHE JAVA_HOME",
    "GRADLE_USER_HOME GEM_HOME RBENV_ROOT SDKMAN_DIR ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR NIX_PATH NIX_PROFILES",
    "PKG_CONFIG_PATH MANPATH INFOPATH SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE GIT_SSL_CAINFO SOURCE_DATE_EPOCH DEBIAN_FRONTEND",
    "SYSTEMROOT COMSPEC PATHEXT WINDIR APPDATA LOCALAPPDATA USERPROFILE PROGRAMFILES",
  ].flatMap((line) => line.split(" ")),
);
/** Flags for any Bun, our own executable among them; the second turns it into a bare runtime. */
const OUR_RUNTIME = /^(?:BUN_OPTIONS|BUN_BE_BUN|BUN_INSPECT.*)$/;
/** Loaders, runtimes and shells run what these name before the first line of the program that was asked for. */
const RUNS_FIRST =
  /^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|NODE_OPTIONS|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|PYTHONSTARTUP|PERL5OPT|PERL5DB|RUBYOPT|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|BASH_FUNC_.*)$/;
/** Our own settings, tokens among them. */
const OURS = /^(?:BOSUN|BORIS)_/;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const MAX_VALUE_CHARS = 32_768;
const FALLBACK_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export type ChildEnvironmentOptions = {
  /** Names the person lets through although they are not on the list, secrets included. */
  readonly pass?: readonly string[];
  /** Variables the person sets for this child. */
  readonly set?: Readonly<Record<string, string>>;
  /** Whether a listed variable's value holds a secret: then it stays out as well. */
  readonly holdsSecret?: (value: string) => boolean;
};

/** For a command or a server that we start: the list, and what the person added. */
export function childEnvironment(
  from: EnvironmentSource,
  options: ChildEnvironmentOptions = {},
): Record<string, string> {
  const passed = new Set(options.pass ?? []);
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(from)) {
    if (value === undefined || isNeverHandedOn(name) || isFunction(value)) continue;
    const isListed = HANDED_ON.has(name) || (name.startsWith("LC_") && !isSecretVariable(name));
    if (passed.has(name) || (isListed && options.holdsSecret?.(value) !== true)) result[name] = value;
  }
  result["PATH"] ??= FALLBACK_PATH;
  for (const [name, value] of Object.entries(options.set ?? {})) if (!OUR_RUNTIME.test(name)) result[name] = value;
  return result;
}

/**
 * For what runs in the place of a program the person started with this very environment: all of it that may be handed on.
 * `withoutSecrets`: nor what a secret's name is on.
 */
export function wholeEnvironment(from: EnvironmentSource, withoutSecrets = false): Record<string, string> {
  return kept(from, (name, value) => {
    return !isNeverHandedOn(name) && !isFunction(value) && !(withoutSecrets && isSecretVariable(name));
  });
}

/** For what the person typed themselves: theirs, unchanged but for what would change our own runtime. */
export function ownEnvironment(from: EnvironmentSource): Record<string, string> {
  return kept(from, (name) => !OUR_RUNTIME.test(name));
}

/** Also not when it is passed by name, nor when a caller sets it. */
export function isNeverHandedOn(name: string): boolean {
  return OUR_RUNTIME.test(name) || RUNS_FIRST.test(name) || OURS.test(name);
}

/** Why a caller of a tool may not set this variable for its command; undefined when it may. */
export function callerVariableProblem(name: string, value: string): string | undefined {
  if (!NAME.test(name)) return `not a variable name: ${shown(name)}`;
  if (isNeverHandedOn(name)) return `${name} may not be set`;
  if (value.includes("\0")) return `the value of ${name} contains NUL`;
  if (isFunction(value)) return `the value of ${name} is a shell function`;
  if (value.length > MAX_VALUE_CHARS) return `the value of ${name} is longer than ${MAX_VALUE_CHARS} characters`;
  return undefined;
}

function kept(from: EnvironmentSource, isKept: (name: string, value: string) => boolean): Record<string, string> {
  const entries = Object.entries(from).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(entries.filter(([name, value]) => isKept(name, value)));
}

/** Old shells run a value that begins like this. */
function isFunction(value: string): boolean {
  return value.startsWith("() {");
}

function shown(name: string): string {
  return JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name);
}
