// Every primitive exists once. Each row knows code that only its kind of primitive has; a second place that has it fails
// the test, and the fix is to use the first. What stands beside the one place says why it may.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dir, "..");

type Primitive = {
  readonly name: string;
  /** What such code cannot do without. */
  readonly telltale: RegExp;
  /** The one place, a folder or a file. */
  readonly home: string;
  /** Other places that may have it, with the reason. */
  readonly besides?: Readonly<Record<string, string>>;
};

const PRIMITIVES: readonly Primitive[] = [
  {
    name: "JSON reader",
    telltale:
      /startsWith\("true"|["'`\\/]bfnrt|"true", "false", "null"|\(\?:true\|false\|null\)["/)]|true\|false\|null\/y/,
    home: "packages/platform/src/json/",
    besides: {
      "packages/bcp/src/":
        "manifests of any size, read as bytes where they stand and in steps that others may interrupt",
    },
  },
  {
    name: "glob engine",
    telltale: /=== "\*\*"[^]*=== "\?"|kind: "any-depth"|minimatch|picomatch/,
    home: "packages/platform/src/glob/",
  },
  {
    name: "flag parser",
    telltale: /class UsageError|util"[^]*parseArgs|\.shift\(\)[^;]*;[^]{0,400}startsWith\("--"\)|unknown option \$\{/,
    home: "packages/platform/src/flags/",
    besides: { "packages/policy/src/rules/": "reads the words of the commands that rules judge, not our own" },
  },
  {
    name: "distance between words",
    telltale: /Array\.from\(\{ length: \w+\.length \+ 1 \}, \(_, \w+\) => \w+\)/,
    home: "packages/platform/src/flags/nearest.ts",
  },
  {
    name: "event-stream parser",
    telltale: /field === "data"|startsWith\("data:|\/\^data:/,
    home: "packages/platform/src/sse/",
  },
  {
    name: "loopback check",
    telltale: /\/[^/\n]*127\\\.|=== "localhost"|"localhost", *"127|startsWith\("127\.|=== "::1"/,
    home: "packages/platform/src/hosts/",
  },
  {
    name: "process table",
    telltale: /\/proc\/[^"'`\n]*\/(?:stat|task)\b(?!us)|\/children`|"-axo"/,
    home: "packages/platform/src/process-tree/",
  },
  {
    name: "child environment",
    telltale: /LD_PRELOAD\|LD_AUDIT|Bun\.spawn\([^;]*\benv: \{ \.\.\.process\.env/,
    home: "packages/platform/src/environment/",
    besides: {
      "packages/policy/src/rules/code-variables.ts":
        "rules ask before a command sets such a variable; it hands none on",
      "scripts/": "start our own programs for tests and builds",
    },
  },
  {
    name: "log",
    telltale: /function createLog\b|\["debug", "info", "warn", "error"\]/,
    home: "packages/platform/src/log/",
  },
  {
    name: "resolver of paths inside a boundary",
    telltale: /\brealpath(?:Sync)?\b[^]*\bO_NOFOLLOW\b/,
    home: "packages/engine/src/",
    besides: {
      "packages/bcp-mcp-server/src/allowed-paths.ts":
        "a server of its own, without the engine: opens, and asks the descriptor where it is",
      "packages/bcp/src/cli/": "a file that a person names on a command line: no boundary",
      "packages/cli/src/init/config-file.ts": "the same",
    },
  },
];

const packages = readdirSync(path.join(root, "packages")).map((name) => `packages/${name}/src`);
const sources = [...packages.flatMap(filesIn), ...filesIn("scripts"), ...filesIn("bench")].map((file) => ({
  file,
  text: readFileSync(path.join(root, file), "utf8"),
}));

test.each(PRIMITIVES)("there is one $name", ({ telltale, home, besides = {} }) => {
  const found = sources.filter(({ text }) => telltale.test(text)).map(({ file }) => file);
  const allowed = [home, ...Object.keys(besides)];
  expect(found.filter((file) => !allowed.some((place) => file.startsWith(place)))).toEqual([]);
  // A telltale that finds nothing at home no longer tells.
  expect(found.some((file) => file.startsWith(home))).toBe(true);
});

/** Sources of programs: no tests, no fixtures. */
function filesIn(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return /^(node_modules|test|fixtures|dist)$/.test(entry.name) ? [] : filesIn(name);
    return /\.(ts|mjs)$/.test(entry.name) ? [name] : [];
  });
}
