// The settings with what the project's own file tightens, once a person has agreed to it.
import { loadProjectSettings, openProjectTrust } from "@bosun/settings";
import type { LoadedSettings, Settings } from "@bosun/settings";

const SHOWN_LINES = 40;

export type Agree = {
  say: (text: string) => void;
  confirm: ((lines: readonly string[], question: string) => Promise<boolean>) | undefined;
};

/** Throws when a file that was agreed to tries to do more than tighten. */
export async function withProjectSettings(loaded: LoadedSettings, cwd: string, agree: Agree): Promise<Settings> {
  const trust = openProjectTrust(loaded.folders.state);
  const project = loadProjectSettings(loaded.settings, cwd, trust.isTrusted);
  if (project.kind === "none") return loaded.settings;
  if (project.kind === "trusted") return project.settings;
  if (project.kind === "unusable") {
    agree.say(`${project.file} is not used: ${project.problem}`);
    return loaded.settings;
  }
  const since = project.changed ? " and has changed since you agreed to it" : "";
  const text = project.text.split("\n").map((line) => `  ${line}`);
  const more = text.length > SHOWN_LINES ? [`  … ${text.length - SHOWN_LINES} more lines`] : [];
  const lines = [`${project.file} comes with this folder${since}. It says:`, ...text.slice(0, SHOWN_LINES), ...more];
  if (!((await agree.confirm?.(lines, "let it tighten your settings?")) ?? false)) {
    agree.say(`${project.file} is not used: it was not agreed to`);
    return loaded.settings;
  }
  trust.trust(project.file, project.hash, new Date());
  const again = loadProjectSettings(loaded.settings, cwd, trust.isTrusted);
  return again.kind === "trusted" ? again.settings : loaded.settings;
}
