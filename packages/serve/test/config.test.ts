// Flags, variables and sizes → Config, in all their forms.
import { expect } from "bun:test";
import { UsageError } from "@bosun/platform/flags";
import { parseInvocation } from "../src/index.ts";
import type { Config } from "../src/index.ts";
import { announceRows, rows } from "./harness/contract.ts";
import { scratch } from "./harness/server.ts";

announceRows();

const { root } = scratch({ "one/x": "", "two/x": "" });

function parse(words: string[], env: Record<string, string> = {}): Config {
  const invocation = parseInvocation(words, env, root);
  if (invocation.kind !== "serve") throw new Error(invocation.kind);
  return invocation.config;
}

rows(
  "server",
  [
    [
      "defaults",
      [],
      {},
      {
        transport: "http",
        host: "127.0.0.1",
        port: 8080,
        workdir: root,
        roots: [root],
        timeoutMs: 120_000,
        maxFileBytes: 10_485_760,
        sandbox: "auto",
        requireView: false,
        truncate: "head",
        auth: { kind: "none" },
        surfaces: ["coding"],
        openPlaces: [],
        protect: true,
      },
    ],
    [
      "protected places",
      ["--open-place", ".git/config", "--open-place=.git/hooks/**", "--no-protect"],
      {},
      { openPlaces: [".git/config", ".git/hooks/**"], protect: false },
    ],
    [
      "protected places by variables",
      [],
      { BOSUN_OPEN_PLACES: ".git/config,.vscode/**", BOSUN_NO_PROTECT: "0" },
      { openPlaces: [".git/config", ".vscode/**"], protect: true },
    ],
    [
      "BORIS_ names are read",
      [],
      { BORIS_PORT: "9", BORIS_TRANSPORT: "stdio", BORIS_ANTHROPIC_COMPAT: "true" },
      { port: 9, transport: "stdio", anthropicCompat: true, requireView: true },
    ],
    ["BOSUN_ names beat them", [], { BORIS_PORT: "9", BOSUN_PORT: "10" }, { port: 10 }],
    ["a flag beats both", ["--port", "11"], { BORIS_PORT: "9", BOSUN_PORT: "10" }, { port: 11 }],
    ["the last of two flags counts", ["--port", "1", "--port=2"], {}, { port: 2 }],
    [
      "lists repeat",
      ["--allow-dir", "one", "--allow-dir", "two"],
      {},
      { roots: [`${root}/one`, `${root}/two`], rootsNamed: true },
    ],
    [
      "variables of lists are comma-separated",
      [],
      { BORIS_ALLOW_DIRS: "one,two", BORIS_DENY_DIRS: "**/.env, **/*.{key,pem}" },
      { roots: [`${root}/one`, `${root}/two`], deny: ["**/.env", "**/*.{key,pem}"] },
    ],
    ["sizes in any case with blanks", ["--max-file-size", " 5 kb "], {}, { maxFileBytes: 5120 }],
    ["bare bytes", ["--max-file-size", "77"], {}, { maxFileBytes: 77 }],
    ["gigabytes", ["--max-file-size", "2GB"], {}, { maxFileBytes: 2 * 1024 ** 3 }],
    [
      "seconds become milliseconds",
      ["--timeout", "30", "--background-task-timeout", "9000000"],
      {},
      { timeoutMs: 30_000, backgroundTimeoutMs: 9_000_000_000 },
    ],
    ["the guard follows the compat mode", ["--anthropic-compat"], {}, { requireView: true }],
    [
      "unless told otherwise",
      ["--anthropic-compat", "--require-view-before-edit", "false"],
      {},
      { requireView: false },
    ],
    [
      "a switch can be switched off",
      ["--anthropic-compat=false"],
      { BORIS_ANTHROPIC_COMPAT: "1" },
      { anthropicCompat: false },
    ],
    [
      "old names of flags",
      ["--bg-timeout", "5", "--no-bash"],
      {},
      { backgroundTimeoutMs: 5000, disabledTools: ["bash"] },
    ],
    ["unscoped has no roots", ["--unscoped"], {}, { roots: [], workdir: root }],
    [
      "started elsewhere, work begins in the first allowed folder",
      ["--tools", "workspace,coding", "--allow-dir", "two", "--allow-dir", "one"],
      {},
      { workdir: `${root}/two`, roots: [`${root}/two`, `${root}/one`] },
    ],
    [
      "started in an allowed folder, it begins there",
      ["--allow-dir", "one", "--allow-dir", "."],
      {},
      { workdir: root },
    ],
    ["surfaces in their order", ["--tools", "shell,coding"], {}, { surfaces: ["coding", "shell"] }],
    ["a token is trimmed of nothing", ["--token", " a b "], {}, { auth: { kind: "token", token: " a b " } }],
    [
      "limits",
      ["--max-memory", "1GB", "--max-processes", "50", "--max-cpu", "9", "--max-written-size", "1MB"],
      {},
      { limits: { memoryBytes: 1024 ** 3, processes: 50, cpuSeconds: 9, fileBytes: 1024 ** 2 } },
    ],
  ] as [string, string[], Record<string, string>, Partial<Config>][],
  (_, words, env, expected) => expect(parse(words, env)).toMatchObject(expected),
);

rows(
  "server",
  [
    ["a word that is no flag", ["serve"], /every option starts with --/],
    ["a flag without its value", ["--port"], /--port needs a value: --port N/],
    ["a number with a tail", ["--timeout", "10s"], /--timeout must be a whole number from 1 to \d+, got "10s"/],
    ["no timeout at all", ["--timeout", "0"], /from 1 to/],
    ["a switch with another word", ["--read-only=maybe"], /must be true or false, got "maybe"/],
    ["contradictions", ["--unscoped", "--allow-dir", "one"], /contradict each other/],
    [
      "workspace tools outside the allowed folders",
      ["--tools", "workspace", "--allow-dir", "one", "--workdir", "."],
      /which no --allow-dir holds/,
    ],
    ["a file as a folder", ["--allow-dir", "one/x"], /is not a folder/],
    ["a log level that is none", ["--log-level", "loud"], /--log-level must be debug, info, warn or error; got "loud"/],
    ["a sandbox that is none", ["--sandbox", "on"], /--sandbox must be auto, require or off; got "on"/],
    ["a variable is named in its error", [], /BORIS_PORT must be a whole number from 0 to 65535, got "x"/],
  ] as [string, string[], RegExp][],
  (_, words, expected) => {
    const env = words.length === 0 ? { BORIS_PORT: "x" } : {};
    expect(() => parse(words, env as Record<string, string>)).toThrow(UsageError);
    expect(() => parse(words, env as Record<string, string>)).toThrow(expected);
  },
);
