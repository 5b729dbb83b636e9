// The public names of settings: the file, its schema, and what follows from it.
export { SettingsError } from "./settings-document.ts";
export { type LoadOptions, type LoadedSettings, loadSettings, readSettings, defaultSettings } from "./load-settings.ts";
export {
  type Environment,
  type Folders,
  PROJECT_FILE,
  homeOf,
  foldersOf,
  type SettingsFile,
  locateSettings,
  locateProjectFiles,
  protectedPaths,
} from "./locations.ts";
export { isOffered } from "./offered-tools.ts";
export { policyOfSettings, unmatchedRules } from "./policy-of-settings.ts";
export {
  type ProjectSettings,
  type ProjectTrust,
  type IsTrusted,
  loadProjectSettings,
  openProjectTrust,
  tightenSettings,
} from "./project-settings.ts";
export { secretsOfSettings } from "./secrets-of-settings.ts";
export { type ServerList, readServerList } from "./server-lists.ts";
export { settingsReference } from "./settings-reference.ts";
export { type Settings, type ModelSettings, type ServerSettings } from "./settings-table.ts";
export { type ShellRequest, type ShellLimits, shellLimits } from "./shell-limits.ts";
export { readToml } from "./toml.ts";
