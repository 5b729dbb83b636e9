// Which places of a folder a person's own programs obey: those that are settled after a command (a change is put back
// unless a person agrees), and those whose changes are only noted.
import { matchesSegments } from "@bosun/platform/glob";
import { compileGlob } from "../scope/glob-pattern.ts";
import type { PathGlob, Segment } from "@bosun/platform/glob";
import { isWithin } from "../scope/scope.ts";
import { programsIn } from "./git-config-programs.ts";
import { HOME_PLACES } from "./home-places.ts";

export type PlaceLevel = "settle" | "note";

export type PlaceRule = {
  readonly level: PlaceLevel;
  /** For people and models: who obeys it. */
  readonly why: string;
  readonly pattern: PathGlob;
  /** What counts of a file's content. Default: all of it. */
  readonly counts?: (content: Buffer) => Uint8Array;
  /** Part of a repository, where nothing can hold it. */
  readonly isOfGit?: boolean;
};

const EDITORS = "editors run it";
const AGENTS = "agents obey it";
const MANAGERS = "package managers obey it";
const SHELLS = "shells and their tools run it";
const HOOKS = "git hooks run it";

const SETTLED: readonly (readonly [why: string, ...patterns: string[]])[] = [
  [EDITORS, ".vscode", ".idea", "*.code-workspace", ".devcontainer", ".devcontainer.json", ".exrc", ".dir-locals.el"],
  [EDITORS, ".zed", ".helix", ".nvim.lua", ".nvimrc", ".vimrc"],
  [
    AGENTS,
    ".mcp.json",
    ".claude",
    ".cursor",
    ".codex",
    ".agents",
    ".gemini",
    ".opencode",
    ".windsurf",
    ".roo",
    ".kiro",
    ".continue",
    "opencode.{json,jsonc}",
    ".aider.conf.yml",
  ],
  [SHELLS, ".envrc", "{.,}mise{,.local}.toml", ".mise"],
  [
    MANAGERS,
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    ".pnpmfile.mjs",
    "bunfig.toml",
    ".cargo/config{,.toml}",
  ],
  [
    HOOKS,
    ".husky",
    ".pre-commit-config.yaml",
    "{.,}lefthook{,-local}.{yml,yaml,toml,json}",
    ".hg/hgrc",
    ".hg/sharedpath",
  ],
  ["git obeys it", ".gitmodules"],
];

const NOTED: readonly (readonly [why: string, ...patterns: string[]])[] = [
  ["it is run by name", "Makefile", "justfile", "Taskfile.yml", "pyproject.toml", "setup.py", "build.rs"],
  ["continuous integration runs it", ".github/workflows", ".gitlab-ci.yml", ".circleci", "Jenkinsfile"],
  ["git obeys it", ".gitattributes"],
  [AGENTS, "CLAUDE.md", "AGENTS.md", "GEMINI.md", ".cursorrules"],
  // Under the usual names: to look into every folder at every command would cost too much for a note.
  ["shells run it", "{.venv,venv,.env,env,.virtualenv,virtualenv}/bin/activate*"],
];

export type RuleOptions = {
  /** The default lists count. Default true. */
  readonly enabled?: boolean;
  /** Further patterns: relative to each folder, or absolute. */
  readonly settle?: readonly string[];
  readonly note?: readonly string[];
  /** What a person has taken out. */
  readonly open?: readonly string[];
  readonly foldCase?: boolean;
  /** What git obeys in a repository is settled, too: nothing can be mounted here that would hold it. */
  readonly settlesGit?: boolean;
};

/** Rules for the entries of a folder, settled ones first: where both speak of an entry, the first counts. */
export class PlaceRules {
  readonly #everywhere: readonly PlaceRule[];
  readonly #absolute: readonly PlaceRule[];
  readonly #open: readonly PathGlob[];
  readonly #foldCase: boolean;
  readonly #enabled: boolean;
  /** The same for rules that speak of the same places. */
  readonly key: string;
  /** What git obeys in every repository is settled, not only in those that commands made. */
  readonly settlesGit: boolean;

  constructor(options: RuleOptions) {
    const { enabled = true, foldCase = false, settle, note, open, settlesGit } = options;
    this.key = JSON.stringify([enabled, foldCase, settle, note, open, settlesGit === true]);
    this.#enabled = enabled;
    this.settlesGit = enabled && options.settlesGit === true;
    this.#foldCase = foldCase;
    const rule = (level: PlaceLevel, why: string, source: string): PlaceRule => ({
      level,
      why,
      pattern: compileGlob(trimmed(source), { foldCase }),
    });
    const listed = (level: PlaceLevel, table: typeof SETTLED): PlaceRule[] =>
      table.flatMap(([why, ...patterns]) => patterns.map((source) => rule(level, why, source)));
    const named = (level: PlaceLevel, sources: readonly string[] = []): PlaceRule[] =>
      sources.map((source) => rule(level, "the settings name it", source));
    const all = [
      ...named("settle", options.settle),
      ...(enabled ? [...listed("settle", SETTLED), ...versionRules(foldCase)] : []),
      ...named("note", options.note),
      ...(enabled ? [...listed("note", NOTED), packageRule(foldCase)] : []),
    ];
    const isAbsolute = ({ pattern }: PlaceRule): boolean => pattern.source.startsWith("/");
    this.#everywhere = all.filter((one) => !isAbsolute(one));
    this.#absolute = all.filter(isAbsolute);
    this.#open = (options.open ?? []).map((source) => compileGlob(trimmed(source), { foldCase }));
  }

  get isEmpty(): boolean {
    return this.#everywhere.length + this.#absolute.length === 0;
  }

  /**
   * The rules that can concern entries below that folder, as patterns relative to it; `home` adds those of a home, `further`
   * what git is told to run or obey there, `git` what of a repository is there to settle.
   */
  below(
    folder: string,
    home: readonly string[] = [],
    further: readonly string[] = [],
    git: readonly GitPlaces[] = [],
  ): FolderRules {
    const absolute = this.#absolute.flatMap((rule) => relativeRule(rule, folder));
    const ofHome = home.map((source): PlaceRule => ({
      level: "settle",
      why: "programs of the person start with it",
      pattern: compileGlob(source, { foldCase: this.#foldCase }),
    }));
    const ofGit = further.map((source): PlaceRule => ({
      level: "settle",
      why: "git's configuration or a link of the person leads to it",
      pattern: compileGlob(source, { foldCase: this.#foldCase }),
    }));
    const settled = this.#enabled ? git.flatMap((places) => gitRules(places, this.#foldCase)) : [];
    const rules = [...absolute, ...ofHome, ...ofGit, ...settled, ...this.#everywhere];
    return new FolderRules(folder, rules, this.#open, this.#foldCase);
  }
}

export type Verdict =
  | { readonly kind: "place"; readonly rule: PlaceRule }
  /** Something below may be a place; `rule` when that folder is named and not just one of many. */
  | { readonly kind: "way"; readonly rule: PlaceRule | undefined }
  | { readonly kind: "nothing" };

const NOTHING: Verdict = { kind: "nothing" };

export class FolderRules {
  readonly folder: string;
  readonly #open: readonly PathGlob[];
  readonly #foldCase: boolean;
  /** By the name of the first component, and those that begin with a wildcard. */
  readonly #named = new Map<string, PlaceRule[]>();
  readonly #wild: PlaceRule[] = [];

  constructor(folder: string, rules: readonly PlaceRule[], open: readonly PathGlob[], foldCase: boolean) {
    this.folder = folder;
    this.#open = open;
    this.#foldCase = foldCase;
    for (const rule of rules) {
      const firsts = rule.pattern.alternatives.map(([first]) => (first?.kind === "literal" ? first.text : undefined));
      if (firsts.includes(undefined)) this.#wild.push(rule);
      else
        for (const first of new Set(firsts.filter((one) => one !== undefined))) {
          this.#named.set(first, [...(this.#named.get(first) ?? []), rule]);
        }
    }
  }

  /** What an entry is, by its components below the folder; its parents are known to be ways. */
  judge(parts: readonly string[]): Verdict {
    const folded = this.#foldCase ? parts.map((part) => part.toLowerCase()) : parts;
    const candidates = [...(this.#named.get(folded[0] ?? "") ?? []), ...this.#wild];
    if (candidates.length === 0) return NOTHING;
    let way: Verdict = NOTHING;
    for (const rule of candidates) {
      if (rule.pattern.alternatives.some((segments) => matchesSegments(segments, folded))) {
        return this.isOpen(parts) ? NOTHING : { kind: "place", rule };
      }
      if (way.kind === "nothing" && rule.pattern.alternatives.some((segments) => leadsOn(segments, folded)))
        way = { kind: "way", rule: this.#wild.includes(rule) ? undefined : rule };
    }
    return way;
  }

  /** Names that entries of the folder itself may have, as far as they are known without listing it. */
  get names(): readonly string[] {
    return [...this.#named.keys()];
  }

  /** Whether a person has taken it, or a folder it lies in, out of the list. */
  isOpen(parts: readonly string[]): boolean {
    if (this.#open.length === 0) return false;
    const folded = this.#foldCase ? parts.map((part) => part.toLowerCase()) : parts;
    const absolute = `${this.folder === "/" ? "" : this.folder}/${folded.join("/")}`.split("/");
    return this.#open.some(({ source, alternatives }) => {
      const whole = source.startsWith("/") ? absolute : folded;
      const least = source.startsWith("/") ? absolute.length - folded.length + 1 : 1;
      for (let length = whole.length; length >= least; length -= 1) {
        const upTo = whole.slice(0, length);
        if (alternatives.some((segments) => matchesSegments(segments, upTo))) return true;
      }
      return false;
    });
  }
}

/** Of a folder: its `.git` when that is a folder, its `.git` when that leads elsewhere, or it is a git folder itself. */
export type GitPlaces = "in .git" | "pointer" | "git folder";

/** What of a git folder is settled. */
export const GIT_ENTRIES = ["hooks", "commondir", "gitdir", "config", "config.worktree"] as const;

/** Hooks, and of the configuration what may name programs: a remote or a name may be set. */
function gitRules(places: GitPlaces, foldCase: boolean): PlaceRule[] {
  const rule = (source: string): PlaceRule => ({
    level: "settle",
    why: "git obeys it",
    pattern: compileGlob(source, { foldCase }),
    isOfGit: true,
  });
  if (places === "pointer") return [rule(".git")];
  const counts = (content: Buffer): Uint8Array => Buffer.from(programsIn(content.toString("latin1")), "latin1");
  return GIT_ENTRIES.map((name) => {
    const named = rule(places === "in .git" ? `.git/${name}` : name);
    return name.startsWith("config") ? { ...named, counts } : named;
  });
}

/** Whether the pattern could match something below these components. */
function leadsOn(segments: readonly Segment[], parts: readonly string[]): boolean {
  const depth = segments.findIndex(({ kind }) => kind === "any-depth");
  if (depth >= 0 && depth <= parts.length) return matchesSegments(segments.slice(0, depth), parts.slice(0, depth));
  return segments.length > parts.length && matchesSegments(segments.slice(0, parts.length), parts);
}

function relativeRule(rule: PlaceRule, folder: string): PlaceRule[] {
  const whole = rule.pattern.foldCase ? folder.toLowerCase() : folder;
  const own = whole === "/" ? [""] : whole.split("/");
  const alternatives = rule.pattern.alternatives.flatMap((segments) =>
    segments.length > own.length && matchesSegments(segments.slice(0, own.length), own)
      ? [segments.slice(own.length)]
      : [],
  );
  return alternatives.length === 0 ? [] : [{ ...rule, pattern: { ...rule.pattern, alternatives } }];
}

/** `dir/` and `dir/**` mean the folder and everything in it, as `dir` does. */
function trimmed(source: string): string {
  return source.replace(/(?:\/\*\*|\/)+$/, "") || source;
}

/** A version may be another one; what may name a folder with programs counts, and that is all that is not known to name none. */
function versionRules(foldCase: boolean): PlaceRule[] {
  const rule = (source: string, harmless: RegExp): PlaceRule => ({
    level: "settle",
    why: "version managers start what it names",
    pattern: compileGlob(source, { foldCase }),
    counts: (content) => {
      const lines = content.toString("latin1").split("\n");
      return Buffer.from(lines.filter((line) => !harmless.test(line)).join("\n"), "latin1");
    },
  });
  return [
    rule(".tool-versions", /^[ \t]*(?:[\w-]+(?:[ \t]+[\w.+-]+)*)?[ \t\r]*(?:#.*)?$/),
    rule(
      "rust-toolchain{,.toml}",
      /^[ \t]*(?:\[toolchain\]|[\w.-]+|(?:(?:channel|components|targets|profile)[ \t]*=)?[ \t]*[["][\w.", \t-]*\]?|\],?)?[ \t\r]*(?:#.*)?$/,
    ),
  ];
}

function packageRule(foldCase: boolean): PlaceRule {
  return {
    level: "note",
    why: "package managers run its scripts",
    pattern: compileGlob("package.json", { foldCase }),
    counts: scriptsOf,
  };
}

/** A package file is edited all the time; what is run is its scripts. */
function scriptsOf(content: Buffer): Uint8Array {
  try {
    const parsed: unknown = JSON.parse(content.toString("utf8"));
    if (typeof parsed !== "object" || parsed === null || !("scripts" in parsed)) return Buffer.from("{}");
    return Buffer.from(JSON.stringify(parsed.scripts ?? {}));
  } catch {
    return content; // not JSON: all of it counts
  }
}

/** The places of a home that matter when that folder is, or holds, the home; relative to the folder. */
export function homePlacesBelow(folder: string, home: string): string[] {
  if (!isWithin(folder, home)) return [];
  const way = home === folder ? "" : `${home.slice(folder === "/" ? 1 : folder.length + 1)}/`;
  return HOME_PLACES.map((place) => `${escapedGlob(way)}${place}`);
}

export function escapedGlob(text: string): string {
  return text.replace(/[\\*?[\]{}!]/g, "\\$&");
}
