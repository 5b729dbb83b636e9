// The settings a program runs with: found, checked, read once, with warnings worth saying.
import { BosunError } from "@bosun/platform/errors";
import { readPrivateFile } from "@bosun/platform/private-files";
import type { TableNode } from "./settings-document.ts";
import { readJson } from "./json-settings.ts";
import { foldersOf, locateSettings, protectedPaths, type Environment, type Folders } from "./locations.ts";
import { secretsIn } from "./settings-fields.ts";
import { SETTINGS, type Settings } from "./settings-table.ts";
import { readToml } from "./toml.ts";

const MAX_FILE_BYTES = 1024 * 1024;

export type LoadOptions = {
  /** `--config` */
  readonly config?: string;
  readonly env: Environment;
  readonly home: string;
  readonly cwd: string;
};

export type LoadedSettings = {
  readonly settings: Settings;
  /** undefined: no file, all defaults. */
  readonly file: string | undefined;
  readonly folders: Folders;
  readonly warnings: readonly string[];
  /** What the engine must keep every tool from writing. */
  readonly protectedPaths: readonly string[];
};

export function loadSettings(options: LoadOptions): LoadedSettings {
  const { config, env, home, cwd } = options;
  const found = locateSettings(config, env, home, cwd);
  const base = { folders: foldersOf(env, home), protectedPaths: protectedPaths(config, env, home, cwd) };
  if (found.kind === "none") return { ...base, settings: defaultSettings(), file: undefined, warnings: [] };
  const content = readPrivateFile(found.file, { maxBytes: MAX_FILE_BYTES, followLinks: true });
  if (content === undefined) {
    const by = found.kind === "named" ? ` (named by ${found.by})` : "";
    throw new BosunError("SETTINGS", `${found.file}${by} does not exist`);
  }
  const document = readDocument(found.file, content.text);
  const settings = SETTINGS.read(document, { file: found.file, name: "" });
  checkReferences(settings, found.file);
  return {
    ...base,
    settings,
    file: found.file,
    warnings: warningsFor(document, settings, found.file, content.readableByOthers),
  };
}

/** Settings from text, for tests, editors and `bosun doctor`. */
export function readSettings(file: string, text: string): Settings {
  const settings = SETTINGS.read(readDocument(file, text), { file, name: "" });
  checkReferences(settings, file);
  return settings;
}

export function defaultSettings(): Settings {
  return SETTINGS.fallback;
}

/** TOML is the documented format; `.json` with the same keys is taken too. */
export function readDocument(file: string, text: string): TableNode {
  return file.endsWith(".json") ? readJson(file, text) : readToml(file, text);
}

function checkReferences(settings: Settings, file: string): void {
  const { defaultModel, models } = settings;
  if (defaultModel !== undefined && !Object.hasOwn(models, defaultModel)) {
    const known = Object.keys(models).join(", ");
    throw new BosunError(
      "SETTINGS",
      `${file}: default_model is "${defaultModel}", but there is no [models.${defaultModel}]${known === "" ? "" : `; there are: ${known}`}`,
    );
  }
}

function warningsFor(document: TableNode, settings: Settings, file: string, readableByOthers: boolean): string[] {
  const fields = SETTINGS.shape.kind === "group" ? SETTINGS.shape.fields : {};
  const warnings: string[] = [];
  const secrets = secretsIn(document, fields);
  if (readableByOthers && secrets.length > 0) {
    warnings.push(`${file} holds ${secrets.join(", ")} and can be read by others: chmod 600 ${file}`);
  }
  for (const [alias, server] of Object.entries({ ...settings.mcp.servers, ...settings.proxy.servers })) {
    if (server.tlsInsecure) warnings.push(`${alias}: its certificate is not checked (tls_insecure)`);
  }
  return warnings;
}
