// The command line → what to do, parsed once. Wrong usage is an error with a hint, never a guess.
import { nearest } from "./tools/tool-names.ts";

export type ChatOptions = {
  print: boolean;
  model: string | undefined;
  /** Continue a session: the newest of this folder, or the one named. */
  resume: { id: string | undefined } | undefined;
  fork: boolean;
  config: string | undefined;
  mcpConfig: string[];
  mcp: string[];
  noMcp: boolean;
  allow: string[];
  deny: string[];
  allowCmd: boolean;
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
  | { kind: "version" }
  | { kind: "wrong"; problem: string };

type Env = Readonly<Record<string, string | undefined>>;

const FLAGS: Readonly<Record<string, (options: ChatOptions) => void>> = {
  "--print": (options) => (options.print = true),
  "--continue": (options) => (options.resume = { id: undefined }),
  "--fork": (options) => (options.fork = true),
  "--no-mcp": (options) => (options.noMcp = true),
  "--allow-cmd": (options) => (options.allowCmd = true),
  "--plain": (options) => (options.plain = true),
  "--no-color": (options) => (options.noColor = true),
  "--quiet": (options) => (options.quiet = true),
  "--all": (options) => (options.all = true),
  "--no-history": (options) => (options.noHistory = true),
  "--demo": (options) => (options.demo = true),
};

/** Sets the value, or says what is wrong with it. */
const VALUES: Readonly<Record<string, (options: ChatOptions, value: string) => string | undefined>> = {
  "--model": (options, value) => void (options.model = value),
  "--config": (options, value) => void (options.config = value),
  "--mcp-config": (options, value) => void options.mcpConfig.push(value),
  "--mcp": (options, value) => void options.mcp.push(value),
  "--allow": (options, value) => void options.allow.push(value),
  "--deny": (options, value) => void options.deny.push(value),
  "--require": (options, value) => void options.require.push(value),
  "--system": (options, value) => void (options.system = value),
  "--trace": (options, value) => void (options.trace = value),
  "--max-depth": (options, value) => {
    options.maxDepth = Number(value);
    return Number.isInteger(options.maxDepth) && options.maxDepth > 0 ? undefined : "must be a whole number above 0";
  },
  "--timeout": (options, value) => {
    options.timeoutS = Number(value);
    return options.timeoutS > 0 ? undefined : "must be a number of seconds";
  },
  "--format": (options, value) => {
    if (value !== "text" && value !== "json" && value !== "jsonl") return "must be text, json or jsonl";
    options.format = value;
    return undefined;
  },
};

const SHORT: Readonly<Record<string, string>> = {
  "-p": "--print",
  "-m": "--model",
  "-c": "--continue",
  "-h": "--help",
  "-V": "--version",
};
const SUBCOMMANDS = ["mcp", "sessions", "doctor"];

export function parseArguments(argv: readonly string[], env: Env): Config {
  const options = defaults(env);
  const words: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const written = argv[at] ?? "";
    if (written === "--") {
      words.push(...argv.slice(at + 1));
      break;
    }
    if (!written.startsWith("-") || written === "-") {
      words.push(written);
      continue;
    }
    const [name = "", inline] = splitValue(SHORT[written] ?? written);
    if (name === "--help") return { kind: "help" };
    if (name === "--version") return { kind: "version" };
    if (name === "--resume") {
      const next = inline ?? argv[at + 1];
      const isId = next !== undefined && /^\d{4,8}/.test(next);
      options.resume = { id: isId ? next : undefined };
      if (isId && inline === undefined) at += 1;
      continue;
    }
    const flag = FLAGS[name];
    if (flag !== undefined) {
      if (inline !== undefined) return { kind: "wrong", problem: `${name} takes no value` };
      flag(options);
      continue;
    }
    const take = VALUES[name];
    if (take === undefined) return { kind: "wrong", problem: unknownOption(written) };
    const value = inline ?? argv[(at += 1)];
    if (value === undefined) return { kind: "wrong", problem: `${name} needs a value` };
    const problem = take(options, value);
    if (problem !== undefined) return { kind: "wrong", problem: `${name} ${problem}` };
  }
  const [first, ...rest] = words;
  if (first === "mcp" || first === "sessions") return { kind: first, options, words: rest };
  if (first === "doctor" && rest.length === 0) return { kind: "doctor", options };
  return { kind: "chat", options, prompt: words.join(" ") };
}

function defaults(env: Env): ChatOptions {
  return {
    print: false,
    model: env["BOSUN_MODEL"] || undefined,
    resume: undefined,
    fork: false,
    config: undefined,
    mcpConfig: [],
    mcp: [],
    noMcp: (env["BOSUN_NO_MCP"] ?? "") !== "",
    allow: [],
    deny: [],
    allowCmd: false,
    maxDepth: undefined,
    format: "text",
    system: undefined,
    plain: false,
    noColor: false,
    quiet: false,
    all: false,
    timeoutS: undefined,
    require: [],
    noHistory: false,
    trace: undefined,
    demo: false,
  };
}

function splitValue(written: string): [string, string | undefined] {
  const equals = written.startsWith("--") ? written.indexOf("=") : -1;
  return equals < 0 ? [written, undefined] : [written.slice(0, equals), written.slice(equals + 1)];
}

function unknownOption(written: string): string {
  const known = [...Object.keys(FLAGS), ...Object.keys(VALUES), "--resume", "--help", "--version"];
  const [meant] = nearest(written, known, 1);
  return `${written} is not an option${meant === undefined ? "" : `; did you mean ${meant}?`}`;
}

export const HELP = `aish: talk to any OpenAI-compatible model; it uses the tools of MCP servers, and nothing runs unseen.

  aish                          start in this folder
  aish "why does the build fail?"   start with a question
  git diff | aish -p "write a commit message"
  aish -p --allow 'files.read_*' --format json "what is open in notes.txt?" | jq -r .text
  aish --demo                   look around without a model

Models
  -m, --model NAME      a model of the settings         --demo   a scripted stand-in, no model
  llama.cpp, Ollama, LM Studio and vLLM on this machine are found without settings.

Tools
  --mcp URL             connect a server                --mcp-config FILE   another program's server list
  --allow PATTERN       let tools run unasked: alias.tool, alias.read_*, alias.*
  --deny PATTERN        never let them run              --no-mcp            no servers at all
  --require ALIAS       fail when it does not connect   --max-depth N       rounds of tool calls per question

Sessions
  -c, --continue        the newest session of this folder
  --resume [ID]         that one                        --fork              go on in a copy
  --no-history          write nothing

Scripts
  -p, --print           answer on stdout and leave; what would be asked is refused
  --format text|json|jsonl     --all      all words, not only the last answer
  --allow-cmd           run CMD: lines                  --timeout S         give up after S seconds
  --quiet               errors only
  exit: 0 answered · 1 model failed · 2 usage or settings · 3 a call needed approval · 4 limit · 5 server missing · 6 time

Other
  --config FILE         settings                        --system FILE       another system prompt
  --plain  --no-color   no styling                      --trace FILE        record the traffic as a test case
  aish mcp list|tools|call|add|remove     aish sessions     aish doctor

Settings are in ~/.config/bosun/config.toml:

  [models.local]
  base_url = "http://127.0.0.1:8080/v1"

  [mcp.servers.files]
  command = "npx"
  args = ["@modelcontextprotocol/server-filesystem", "."]

  [mcp.auto_approve]
  "files.read_*" = true
`;

export const SUBCOMMAND_NAMES: readonly string[] = SUBCOMMANDS;
