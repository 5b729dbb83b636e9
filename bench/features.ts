// What others offer beside us, as read from their public sources and issues in November 2026. A feature that was not
// found there counts as missing. ● yes · ◐ partly · ○ not found · – does not apply.

export type FeatureTable = {
  readonly title: string;
  readonly peers: readonly string[];
  /** The feature, ours, then each peer. */
  readonly rows: readonly (readonly [string, string, ...string[]])[];
};

export const FEATURES: readonly FeatureTable[] = [
  {
    title: "Hands for agents (`bosun serve`)",
    peers: ["filesystem server", "DesktopCommander", "Boris", "wcgw", "mcp-shell-server"],
    rows: [
      ["files and a real shell in one server", "●", "○", "●", "●", "●", "○"],
      ["the shell obeys the boundary of the file tools", "●", "–", "○", "○", "○", "◐"],
      ["FIFOs and devices are refused, never waited for", "●", "○", "○", "?", "?", "?"],
      ["read-only mode that takes writing tools away", "●", "○", "○", "◐", "◐", "–"],
      ["rules per path, command and argument", "●", "○", "○", "◐", "◐", "◐"],
      ["an agent cannot change its own policy", "●", "●", "○", "●", "◐", "●"],
      ["long output: what is missing is stated and can be read on", "●", "○", "◐", "○", "◐", "○"],
      ["background jobs: wait, follow, stop", "●", "○", "◐", "◐", "●", "○"],
      ["a record of every call, chained, without secrets", "●", "○", "◐", "○", "○", "◐"],
      ["commands get a minimal environment", "●", "–", "○", "○", "○", "●"],
      ["MCP 2025-03-26 to 2026-07-28 on one endpoint", "●", "○", "○", "○", "○", "◐"],
      ["reads and writes PDF, Word and Excel", "○", "○", "●", "○", "○", "○"],
      ["a shell that a person can attach to", "○", "–", "○", "○", "●", "○"],
    ],
  },
  {
    title: "Fewer tokens (`bosun proxy`)",
    peers: ["rtk", "headroom", "mcp-compressor", "context-guru", "ContextForge"],
    rows: [
      ["in front of any MCP server, results included", "●", "○", "◐", "◐", "○", "◐"],
      ["lossless by default, the inverse run on every result", "●", "○", "◐", "◐", "◐", "◐"],
      ["never larger, by a real tokenizer", "●", "○", "◐", "○", "●", "○"],
      ["the original can always be read back", "●", "◐", "◐", "○", "◐", "○"],
      ["shorter tool schemas under their real names", "●", "–", "◐", "○", "◐", "○"],
      ["holds back tools that changed since they were accepted", "●", "–", "○", "○", "–", "○"],
      ["lossy filters that cut far more from logs and diffs", "○", "●", "●", "○", "●", "○"],
      ["works where there is no MCP (model API, shell hooks)", "○", "●", "●", "○", "●", "○"],
    ],
  },
  {
    title: "Talking to a model (`bosun chat`)",
    peers: ["opencode", "crush", "goose", "qwen-code", "mcp-client-for-ollama"],
    rows: [
      ["many MCP servers, stdio and HTTP", "●", "●", "●", "●", "●", "●"],
      ["the whole call is shown before it runs, escaped", "●", "◐", "◐", "◐", "○", "◐"],
      ["rules on the arguments of MCP tools", "●", "○", "○", "○", "●", "○"],
      ["shell lines judged by every command in them", "●", "◐", "○", "○", "◐", "○"],
      ["a changed tool definition must be accepted again", "●", "○", "○", "○", "○", "○"],
      ["a cancelled call is cancelled at the server", "●", "○", "○", "●", "◐", "○"],
      ["edits code by itself: plans, diffs, language servers", "○", "●", "●", "●", "●", "○"],
      ["desktop application", "○", "?", "○", "●", "○", "○"],
    ],
  },
];

/** What no table of numbers shows. */
export const NOT_FIRST: readonly string[] = [
  "Code and prose do not shrink without loss, so a proxy that only ever saves losslessly saves little on them; filters that drop lines save more, and lose them.",
  "The network of a command is on or off. Anthropic's sandbox-runtime filters by domain.",
  "The executable is over 100 MB, because a runtime is inside; Boris is one small Go program.",
  "Tested on Linux x64. Executables for macOS, Windows and Linux arm64 are built, and run by nobody here.",
];
