// What a child sees of our environment: a list of names, never the rest (threats.md S12). Knows no command.
import { EngineError } from "../failure.ts";

export type Environment = Readonly<Record<string, string>>;

export type EnvironmentChoice = {
  /** Further names to hand on from the source. */
  readonly pass?: readonly string[];
  /** Values to set, after everything else. */
  readonly set?: Environment;
  /** Values that must not appear in any variable handed on: our own tokens and keys. */
  readonly secrets?: readonly string[];
};

// Where programs are, who the user is, how text is shown, where toolchains and certificates lie. Nothing that names a
// socket (agents, D-Bus, display) and nothing that customarily holds a credential.
const HANDED_ON = new Set(
  [
    "PATH HOME USER LOGNAME SHELL TMPDIR TZ LANG LANGUAGE TERM COLORTERM NO_COLOR FORCE_COLOR CLICOLOR",
    "CLICOLOR_FORCE COLUMNS LINES EDITOR VISUAL PAGER CI HOSTNAME XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME",
    "XDG_STATE_HOME XDG_DATA_DIRS XDG_CONFIG_DIRS NVM_DIR VOLTA_HOME FNM_DIR N_PREFIX PNPM_HOME BUN_INSTALL",
    "DENO_DIR PYENV_ROOT VIRTUAL_ENV CONDA_PREFIX CARGO_HOME RUSTUP_HOME GOPATH GOROOT GOCACHE JAVA_HOME",
    "GRADLE_USER_HOME GEM_HOME RBENV_ROOT SDKMAN_DIR ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR NIX_PATH NIX_PROFILES",
    "PKG_CONFIG_PATH MANPATH INFOPATH SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE GIT_SSL_CAINFO SOURCE_DATE_EPOCH DEBIAN_FRONTEND",
  ].flatMap((line) => line.split(" ")),
);
// The first injects flags into any Bun, the second turns our own executable into a bare runtime (runtime.md §11).
// BASH_ENV and ENV name a file that a shell runs before the command.
const NEVER = new Set(["BUN_OPTIONS", "BUN_BE_BUN", "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS"]);
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const MAX_VALUE_CHARS = 32_768;
const FALLBACK_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
// A short secret ("1", "on") would blank half the environment; real tokens are longer.
const SHORTEST_SECRET = 6;

/** The listed part of `source`, plus what the choice adds. */
export function childEnvironment(
  source: Readonly<Record<string, string | undefined>>,
  choice: EnvironmentChoice = {},
): Environment {
  const pass = new Set(choice.pass);
  const secrets = (choice.secrets ?? []).filter((secret) => secret.length >= SHORTEST_SECRET);
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(source)) {
    if (value === undefined || NEVER.has(name)) continue;
    if (!HANDED_ON.has(name) && !name.startsWith("LC_") && !pass.has(name)) continue;
    if (secrets.some((secret) => value.includes(secret))) continue;
    env[name] = value;
  }
  env["PATH"] ??= FALLBACK_PATH;
  for (const [name, value] of Object.entries(choice.set ?? {})) if (!NEVER.has(name)) env[name] = value;
  return env;
}

/** `base` with a caller's own variables over it, checked: names are identifiers, values are bounded and free of NUL. */
export function extendEnvironment(base: Environment, extra: Environment): Environment {
  const env: Record<string, string> = { ...base };
  for (const [name, value] of Object.entries(extra)) {
    if (!NAME.test(name)) throw new EngineError("INVALID_INPUT", `environment: not a variable name: ${show(name)}`);
    if (NEVER.has(name)) throw new EngineError("INVALID_INPUT", `environment: ${name} may not be set`);
    if (value.includes("\0")) throw new EngineError("INVALID_INPUT", `environment: the value of ${name} contains NUL`);
    if (value.length > MAX_VALUE_CHARS) {
      throw new EngineError(
        "INVALID_INPUT",
        `environment: the value of ${name} is longer than ${MAX_VALUE_CHARS} characters`,
      );
    }
    env[name] = value;
  }
  return env;
}

function show(name: string): string {
  return JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name);
}
