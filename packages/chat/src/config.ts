// The command line → what to do, parsed once. Wrong usage is an error with a hint, never a guess.
import { number, oneOf, readFlags, UsageError, whole } from "@bosun/platform/flags";
import { MODE_NAMES } from "./approval/modes.ts";
import type { Mode } from "./approval/modes.ts";
import type { Program } from "@bosun/platform/flags";

export type ChatOptions = {
  print: boolean;
  model: string | undefined;
  /** Continue a session: the newest of this folder, or the one named. */
  resume: { id: string | undefined } | undefined;
  fork: boolean;
  config: string | undefined;
  mcpConfig: readonly string[];
  mcp: readonly string[];
  noMcp: boolean;
  allow: readonly string[];
  deny: readonly string[];
  allowCmd: boolean;
  mode: Mode | undefined;
  maxDepth: number | undefined;
  format: "text" | "json" | "jsonl";
  system: string | undefined;
  plain: boolean;
  noColor: boolean;
  quiet: boolean;
  all: boolean;
  timeoutS: number | undefined;
  require: string[];
  noHistory: boolean;
  trace: string | undefined;
  demo: boolean;
};

export type Config =
  | { kind: "chat"; options: ChatOptions; prompt: string }
  | { kind: "mcp"; options: ChatOptions; words: string[] }
  | { kind: "sessions"; options: ChatOptions; words: string[] }
  | { kind: "doctor"; options: ChatOptions }
  | { kind: "help" }
  | { kind: "version" };

type Env = Readonly<Record<string, string | undefined>>;

export const AISH: Program = {
  name: "aish",
  summary: "talk to any OpenAI-compatible model; it uses the tools of MCP servers, and nothing runs unseen",
  usage: ["aish [options] [question]", "aish mcp list|tools|call|add|remove", "aish sessions", "aish doctor"],
  words: {
    mcp: "the servers: list, tools, call, add, remove",
    sessions: "the sessions, or those in which these words were said",
    doctor: "which models and servers answer",
  },
  flags: [
    {
      group: "Models",
      name: "model",
      short: "m",
      value: "NAME",
      variable: "BOSUN_MODEL",
      help: "a model of the settings, one that was found, or an address",
    },
    { name: "demo", help: "a scripted stand-in, no model" },
    { group: "Tools", name: "mcp", value: "URL", repeatable: true, help: "connect a server" },
    { name: "mcp-config", value: "FILE", repeatable: true, help: "another program's server list" },
    {
      name: "allow",
      value: "PATTERN",
      repeatable: true,
      help: "let tools run unasked: alias.tool, alias.read_*, alias.*",
    },
    { name: "deny", value: "PATTERN", repeatable: true, help: "never let them run" },
    {
      name: "mode",
      value: MODE_NAMES.join("|"),
      help: "what runs unasked: reads, nothing (ask), reads and edits, or every tool of this folder",
    },
    { name: "no-mcp", variable: "BOSUN_NO_MCP", help: "no servers at all" },
    { name: "require", value: "ALIAS", repeatable: true, help: "fail when it does not connect" },
    { name: "max-depth", value: "N", help: "rounds of tool calls per question" },
    { group: "Sessions", name: "continue", short: "c", help: "the newest session of this folder" },
    { name: "resume", value: "[ID]", optionalValue: /^[^\s-]\S*$/, help: "that one" },
    { name: "fork", help: "go on in a copy" },
    { name: "no-history", help: "write nothing" },
    {
      group: "Scripts",
      name: "print",
      short: "p",
      help: "answer on stdout and leave; what would be asked is refused",
    },
    { name: "format", value: "text|json|jsonl", help: "how the answer is printed (text)" },
    { name: "all", help: "all words, not only the last answer" },
    { name: "allow-cmd", help: "run CMD: lines" },
    { name: "timeout", value: "SECONDS", help: "give up after that long" },
    { name: "quiet", help: "errors only" },
    { group: "Other", name: "config", value: "FILE", help: "settings" },
    { name: "system", value: "FILE", help: "another system prompt" },
    { name: "plain", help: "no styling" },
    { name: "no-color", help: "no colours" },
    { name: "trace", value: "FILE", help: "record the traffic as a test case" },
    { name: "version", short: "V", help: "which version this is" },
  ],
  operands: true,
  examples: [
    ["aish", "start in this folder"],
    ['aish "why does the build fail?"', "start with a question"],
    ['git diff | aish -p "write a commit message"', "in a pipe"],
    [`aish -p --allow 'files.read_*' --format json "what is open in notes.txt?" | jq -r .text`, "in a script"],
    ["aish --demo", "look around without a model"],
  ],
  notes: `Exit: 0 answered · 1 model failed · 2 usage or settings · 3 a call needed approval · 4 limit · 5 server missing · 6 time

llama.cpp, Ollama, LM Studio and vLLM on this machine are found without settings.
Settings are in ~/.config/bosun/config.toml:

  [models.local]
  base_url = "http://127.0.0.1:8080/v1"

  [mcp.servers.files]
  command = "npx"
  args = ["@modelcontextprotocol/server-filesystem", "."]

  [mcp.auto_approve]
  "files.read_*" = true`,
};

/** The same program under the name it was called by, such as `bosun chat`. */
export function programCalled(name: string): Program {
  const renamed = (text: string): string => text.replace(/\baish\b/g, name);
  return {
    ...AISH,
    name,
    usage: (AISH.usage ?? []).map(renamed),
    examples: (AISH.examples ?? []).map(([typed, what]) => [renamed(typed), what]),
  };
}

const LONGEST_TIMEOUT_S = 1_000_000_000;

/** Throws UsageError: what was typed wrongly, with a hint. */
export function parseArguments(argv: readonly string[], env: Env): Config {
  const flags = readFlags(AISH, argv, env);
  if (flags.isHelp) return { kind: "help" };
  if (flags.isOn("version")) return { kind: "version" };
  const timeoutS = number(flags, "timeout", { min: 0, max: LONGEST_TIMEOUT_S });
  if (timeoutS === 0) throw new UsageError("--timeout must be a number of seconds above 0");
  const options: ChatOptions = {
    print: flags.isOn("print"),
    model: flags.text("model"),
    resume: flags.has("resume") || flags.isOn("continue") ? { id: flags.text("resume") } : undefined,
    fork: flags.isOn("fork"),
    config: flags.text("config"),
    mcpConfig: flags.list("mcp-config"),
    mcp: flags.list("mcp"),
    noMcp: flags.isOn("no-mcp"),
    allow: flags.list("allow"),
    deny: flags.list("deny"),
    allowCmd: flags.isOn("allow-cmd"),
    mode: oneOf(flags, "mode", MODE_NAMES),
    maxDepth: whole(flags, "max-depth", { min: 1 }),
    format: oneOf(flags, "format", ["text", "json", "jsonl"], "text"),
    system: flags.text("system"),
    plain: flags.isOn("plain"),
    noColor: flags.isOn("no-color"),
    quiet: flags.isOn("quiet"),
    all: flags.isOn("all"),
    timeoutS,
    require: [...flags.list("require")],
    noHistory: flags.isOn("no-history"),
    trace: flags.text("trace"),
    demo: flags.isOn("demo"),
  };
  const [first, ...words] = flags.operands;
  if (first === "mcp" || first === "sessions") return { kind: first, options, words };
  if (first === "doctor" && words.length === 0) return { kind: "doctor", options };
  return { kind: "chat", options, prompt: flags.operands.join(" ") };
}
