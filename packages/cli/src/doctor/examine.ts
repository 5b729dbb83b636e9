// Everything `bosun doctor` looks at, as plain data: each finding says what is, and what is wrong with it.
import { accessSync, constants, existsSync, lstatSync, statSync } from "node:fs";
import path from "node:path";
import { detectShell, findRipgrep } from "@bosun/engine";
import { BosunError } from "@bosun/platform/errors";
import { foldersOf, homeOf, loadSettings, locateProjectFiles, locateSettings } from "@bosun/settings";
import type { Settings } from "@bosun/settings";
import { VERSION } from "@bosun/platform/version";
import { examineProtected } from "./protected.ts";
import type { ProtectedFindings } from "./protected.ts";
import { examineSandboxes } from "./sandbox.ts";
import type { Here, SandboxFindings } from "./sandbox.ts";

export type Finding = { readonly ok: boolean; readonly what: string; readonly problem?: string };

export type Examination = {
  readonly version: string;
  readonly runtime: string;
  readonly executable: string;
  readonly platform: string;
  readonly folder: string;
  readonly sandbox: SandboxFindings;
  readonly protected: ProtectedFindings;
  readonly ripgrep: Finding;
  readonly shell: Finding;
  readonly settings: Finding & { readonly warnings: readonly string[] };
  readonly project: Finding | undefined;
  readonly folders: Readonly<Record<"config" | "state" | "data", Finding>>;
  /** Commands can be confined, and the settings can be used. */
  readonly ok: boolean;
};

export async function examine(here: Here, config: string | undefined): Promise<Examination> {
  const home = homeOf(here.env);
  const sandbox = await examineSandboxes(here);
  const { settings, finding } = examineSettings(here, home, config);
  const folders = foldersOf(here.env, home);
  const project = locateProjectFiles(here.cwd).find(({ isNear }) => isNear)?.file;
  return {
    version: VERSION,
    runtime: `Bun ${Bun.version}`,
    executable: Bun.isStandaloneExecutable ? process.execPath : `${process.execPath} (from sources)`,
    platform: `${process.platform} ${process.arch}`,
    folder: here.cwd,
    sandbox,
    protected: examineProtected(here.cwd, home, settings, sandbox.mechanism),
    ripgrep: examineRipgrep(),
    shell: { ok: true, what: detectShell().path },
    settings: finding,
    project: project === undefined ? undefined : { ok: true, what: project },
    folders: {
      config: examineFolder(folders.config, 0o022),
      state: examineFolder(folders.state, 0o077),
      data: examineFolder(folders.data, 0o077),
    },
    ok: sandbox.mechanism !== "none" && finding.ok,
  };
}

function examineRipgrep(): Finding {
  try {
    const file = findRipgrep();
    accessSync(file, constants.X_OK);
    return { ok: true, what: file };
  } catch (error) {
    // A finding: what is missing is what the doctor is asked for.
    return { ok: false, what: "not found", problem: messageOf(error) };
  }
}

type SettingsExamined = { readonly settings: Settings | undefined; readonly finding: Examination["settings"] };

function examineSettings(here: Here, home: string, config: string | undefined): SettingsExamined {
  const found = locateSettings(config, here.env, home, here.cwd);
  const what = found.kind === "none" ? `none (${found.usual} would be read)` : found.file;
  try {
    const { settings, warnings } = loadSettings({
      ...(config === undefined ? {} : { config }),
      env: here.env,
      home,
      cwd: here.cwd,
    });
    return { settings, finding: { ok: true, what, warnings } };
  } catch (error) {
    // A finding, with the file and the line that are wrong.
    if (!(error instanceof BosunError)) throw error;
    return { settings: undefined, finding: { ok: false, what, problem: error.message, warnings: [] } };
  }
}

/** Who can write there can change policy; who can read the state folder can read what was done. */
function examineFolder(folder: string, forbidden: number): Finding {
  if (!existsSync(path.dirname(folder))) return examineAbsent(folder);
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) return examineAbsent(folder);
  if (!stat.isDirectory() && !stat.isSymbolicLink()) return { ok: false, what: folder, problem: "is not a folder" };
  const mode = stat.mode & 0o777;
  const shown = `${folder} (${mode.toString(8).padStart(4, "0")})`;
  if (process.platform === "win32" || stat.isSymbolicLink()) return { ok: true, what: folder };
  if (process.getuid?.() !== stat.uid) return { ok: false, what: shown, problem: `belongs to user ${stat.uid}` };
  if ((mode & forbidden) === 0) return { ok: true, what: shown };
  return { ok: false, what: shown, problem: `open to others: chmod 700 ${path.normalize(folder)}` };
}

function examineAbsent(folder: string): Finding {
  let above = path.dirname(folder);
  while (!existsSync(above) && path.dirname(above) !== above) above = path.dirname(above);
  try {
    if (!statSync(above).isDirectory())
      return { ok: false, what: folder, problem: `cannot be made: ${above} is no folder` };
    accessSync(above, constants.W_OK);
    return { ok: true, what: `${folder} (made when it is needed)` };
  } catch {
    // Neither looked at nor written.
    return { ok: false, what: folder, problem: `cannot be made: ${above} is not writable` };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
