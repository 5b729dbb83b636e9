// Which entries of a git configuration may name programs, or files with more entries: all but those known to name none.
import { readGitConfig } from "./git-config.ts";
import type { GitSetting } from "./git-config.ts";

type ValueTest = (value: string) => boolean;

const anything: ValueTest = () => true;
/** `ext::sh -c …` is run, and `name::…` runs git-remote-name. */
const isPlainUrl: ValueTest = (value) => !/^[^/[]*::/.test(value);
/** Switched on or off it is git's own; anything else is a program. */
const isSwitch: ValueTest = (value) => /^(?:true|false|yes|no|on|off|0|1|)$/i.test(value);
const isUpdate: ValueTest = (value) => /^(?:checkout|rebase|merge|none)$/.test(value);

/** Section → its variables. `*` stands for a subsection, which may be anything. */
const HARMLESS: Readonly<Record<string, string>> = {
  core:
    "repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol safecrlf " +
    "quotepath abbrev longpaths fscache untrackedcache preloadindex commitgraph multipackindex compression " +
    "sparsecheckout sparsecheckoutcone sharedrepository protecthfs protectntfs checkstat trustctime whitespace",
  "remote.*":
    "fetch push mirror tagopt promisor partialclonefilter prune prunetags skipdefaultupdate skipfetchall gh-resolved",
  remote: "pushdefault",
  "branch.*": "remote merge rebase pushremote description vscode-merge-base gh-merge-base github-pr-owner-number",
  branch: "autosetupmerge autosetuprebase sort",
  user: "name email signingkey useconfigonly",
  author: "name email",
  committer: "name email",
  init: "defaultbranch",
  extensions: "objectformat compatobjectformat partialclone refstorage relativeworktrees noop preciousobjects",
  "submodule.*": "active branch ignore shallow fetchrecursesubmodules",
  submodule: "active recurse fetchjobs",
  lfs: "repositoryformatversion",
  "lfs.*": "access locksverify",
  pull: "rebase ff",
  push: "default autosetupremote followtags",
  fetch: "prune prunetags parallel writecommitgraph",
  merge: "ff conflictstyle renames",
  rebase: "autosquash autostash updaterefs",
  rerere: "enabled autoupdate",
  commit: "gpgsign verbose",
  tag: "gpgsign sort",
  diff: "renames algorithm mnemonicprefix noprefix colormoved",
  log: "date decorate follow",
  status: "short branch showuntrackedfiles submodulesummary",
  gc: "auto autodetach",
  maintenance: "auto strategy",
  index: "version sparse threads",
  feature: "manyfiles",
  color: "ui",
};

const BY_VALUE: ReadonlyMap<string, ValueTest> = new Map([
  ["remote.*.url", isPlainUrl],
  ["remote.*.pushurl", isPlainUrl],
  ["submodule.*.url", isPlainUrl],
  ["submodule.*.update", isUpdate],
  ["core.fsmonitor", isSwitch],
]);

let table: ReadonlyMap<string, ValueTest> | undefined;

function harmless(): ReadonlyMap<string, ValueTest> {
  table ??= new Map([
    ...Object.entries(HARMLESS).flatMap(([section, names]) =>
      names.split(" ").map((name): [string, ValueTest] => [`${section}.${name}`, anything]),
    ),
    ...BY_VALUE,
  ]);
  return table;
}

export type ConfigUse = {
  /** The beginning of `core.worktree` that is this submodule's own: the way up to the folder around its repository. */
  readonly worktreeBelow?: string | undefined;
};

/**
 * The same configuration without them; undefined when there are none. It is written anew from what was read, so that git
 * cannot read it in another way.
 */
export function withoutPrograms(text: string, use: ConfigUse = {}): string | undefined {
  const { settings, isWhole } = readGitConfig(text);
  const kept = settings.filter((setting) => !mayNameProgram(setting, use));
  return isWhole && kept.length === settings.length ? undefined : written(kept);
}

/** What counts of a configuration: the entries that may name programs, or all of it when it cannot be read. */
export function programsIn(text: string, use: ConfigUse = {}): string {
  const { settings, isWhole } = readGitConfig(text);
  return isWhole ? written(settings.filter((setting) => mayNameProgram(setting, use))) : text;
}

function mayNameProgram({ key, value }: GitSetting, { worktreeBelow }: ConfigUse): boolean {
  // To git a key ends there.
  if (key.includes("\0") || value.includes("\0")) return true;
  if (key === "core.worktree" && worktreeBelow !== undefined) return !isBelow(value, worktreeBelow);
  const { section, subsection, name } = partsOf(key);
  const isHarmless = harmless().get(subsection === undefined ? `${section}.${name}` : `${section}.*.${name}`);
  return isHarmless?.(value) !== true;
}

function isBelow(value: string, start: string): boolean {
  const rest = value.startsWith(start) ? value.slice(start.length).split("/") : [".."];
  return !rest.includes("..");
}

/** A subsection may have dots of its own; a section and a name have none. */
function partsOf(key: string): { section: string; subsection: string | undefined; name: string } {
  const [first, last] = [key.indexOf("."), key.lastIndexOf(".")];
  const subsection = first < last ? key.slice(first + 1, last) : undefined;
  return { section: key.slice(0, first), subsection, name: key.slice(last + 1) };
}

function written(settings: readonly GitSetting[]): string {
  let open = "";
  let text = "";
  for (const { key, value } of settings) {
    const { section, subsection, name } = partsOf(key);
    const sub = subsection === undefined ? "" : ` "${subsection.replace(/["\\]/g, "\\$&")}"`;
    const header = `[${section}${sub}]\n`;
    if (header !== open) text += header;
    open = header;
    text += `\t${name} = ${quoted(value)}\n`;
  }
  return text;
}

const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t", "\b": "\\b", '"': '\\"', "\\": "\\\\" };

function quoted(value: string): string {
  const escaped = value.replace(/["\\\n\t\b]/g, (char) => ESCAPES[char] ?? char);
  return /^[ \r]|[ \r]$|[#;\r]/.test(value) ? `"${escaped}"` : escaped;
}
