// Every setting there is. This one table gives the parser, the defaults, the types and the reference page.
import {
  adds,
  address,
  autoApprove,
  headers,
  keepsOnly,
  locatedList,
  lowers,
  lowersFromNone,
  onlyTo,
  rules,
  servers,
  variable,
} from "./settings-fields.ts";
import { at, optional, required, secret, value, type Field, type ValueOf } from "./field.ts";
import { group, map, section } from "./table-fields.ts";
import { flag, list, number, oneOf, oneOrMore, seconds, size, text } from "./value-fields.ts";
import type { Node, TableNode } from "./settings-document.ts";

const compatFields = section(() =>
  group("Switches for one model, normally learnt.", {
    stream_options: optional(oneOf("", ["send", "omit"], "send")),
    tool_role: optional(oneOf("", ["tool", "prefix"], "tool")),
    tool_ids: optional(oneOf("", ["keep", "short9"], "keep")),
    calls_per_turn: optional(oneOf("", ["many", "one"], "many")),
    empty_content: optional(oneOf("", ["", "null", "omit"], "")),
    system_role: optional(oneOf("", ["system", "developer", "merge"], "system")),
    reasoning_echo: optional(oneOf("", ["in-loop", "always", "never"], "in-loop")),
    token_param: optional(oneOf("", ["max_tokens", "max_completion_tokens"], "max_tokens")),
    temperature: optional(oneOf("", ["send", "omit"], "send")),
    tools: optional(oneOf("", ["native", "off"], "native")),
    schema: optional(oneOf("", ["as-is", "plain"], "as-is")),
    tool_name_field: optional(oneOf("", ["send", "omit"], "send")),
  }),
);

const compat: Field<"auto" | ValueOf<typeof compatFields>> = {
  ...value(
    '"auto", or a table of switches',
    'What the model\'s server can and cannot take; `"auto"` learns it.',
    "auto" as "auto" | ValueOf<typeof compatFields>,
    (node, place) => {
      if (node.kind === "string" && node.value === "auto") return "auto";
      if (node.kind === "table") return compatFields.read(node, place);
      throw at(node.at, place, `${place.name} must be "auto" or a table`);
    },
  ),
};

const anything = (doc: string): Field<Readonly<Record<string, unknown>>> =>
  value(
    "table",
    doc,
    {} as Readonly<Record<string, unknown>>,
    (node, place) => {
      if (node.kind !== "table") throw at(node.at, place, `${place.name} must be a table`);
      return plainTable(node);
    },
    "",
  );

const model = section(() =>
  group(
    "One model behind an OpenAI-compatible endpoint.",
    {
      base_url: required(address("Up to and including `/v1`.")),
      model: optional(text("Sent as `model`. Default: the name of this table.")),
      key_env: optional(variable("Environment variable with the key, read at request time.")),
      key: optional(secret(text("The key, written out. Prefer `key_env`."))),
      key_cmd: optional(oneOrMore("Program (and arguments) that prints the key.", text(""))),
      context_window: optional(
        number("Tokens. Default: asked from the server, else 8192.", { fallback: 8192, min: 256 }),
      ),
      max_tokens: optional(number("Longest answer; not sent unless set.", { fallback: 0, min: 1 })),
      temperature: optional(number("Not sent unless set.", { fallback: 0, max: 10, integer: false })),
      top_p: optional(number("Not sent unless set.", { fallback: 1, max: 1, integer: false })),
      stop: optional(oneOrMore("Texts that end an answer.", text(""))),
      seed: optional(number("Not sent unless set.", { fallback: 0, min: -Number.MAX_SAFE_INTEGER })),
      headers: headers("Extra headers."),
      extra_body: anything("Merged into the request last; wins over all but messages, tools and stream."),
      stream: flag("`false` for endpoints that cannot stream.", true),
      tools: flag("`false`: never send tools to this model.", true),
      max_tools: number("Most tools of one request; the model finds the others by words.", { fallback: 128, min: 4 }),
      first_byte_timeout_s: seconds("Longest wait for the first byte.", 600),
      idle_timeout_s: seconds("Longest silence after it.", 120),
      compat,
      vision: flag("Images may be sent.", false),
      price_in: optional(
        number("Price of a million tokens sent; `:cost` then says money.", { fallback: 0, integer: false }),
      ),
      price_cached: optional(
        number("The same for tokens the server had cached. Default: `price_in`.", { fallback: 0, integer: false }),
      ),
      price_out: optional(number("Price of a million tokens answered.", { fallback: 0, integer: false })),
    },
    { check: (one) => (one.keyCmd?.length === 0 ? "key_cmd cannot be empty" : undefined) },
  ),
);

export const SETTINGS = group("", {
  default_model: optional(text("The `[models.<name>]` to start with.")),
  render: oneOf("Light styling of Markdown while it streams, or none.", ["styled", "plain"], "styled"),
  bell: flag("Ring the terminal's bell when a question waits.", false),

  models: map("Models by name, for `bosun chat`.", "name", model, (key) =>
    /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/.test(key) ? undefined : "a model's name is letters, digits, . _ : -",
  ),

  shell: section(() =>
    group("Commands in `bosun chat`: `!cmd` and `CMD:` lines.", {
      program: optional(text("Default: `$SHELL`, else `/bin/sh`.")),
      confirm_cmd: flag("Ask before each `CMD:` line.", true),
      timeout_s: seconds("Longest run of a command.", 120),
      max_output_chars: number("What the model gets of the output; the screen gets all.", { fallback: 16_000 }),
      route: oneOf("Where a line without a mark goes.", ["ai", "auto", "shell"], "ai"),
      colors: flag("Colours of a typed command pass to the screen.", true),
      tty_programs: list("Programs that get the terminal itself; nothing of them is captured.", text("")),
    }),
  ),

  context: section(() =>
    group("What the model is sent.", {
      use_tool_role: oneOf('Tool results as `role: "tool"`, as a prefix, or learnt.', [true, false, "auto"], "auto"),
      max_tool_result_chars: number("Longer results are cut and kept for reading on.", { fallback: 24_000 }),
      compact_at: number("Share of the window at which to compact; 0: never by itself.", {
        fallback: 0.8,
        max: 1,
        integer: false,
      }),
      keep_exchanges: number("Newest exchanges that are never compacted.", { fallback: 6 }),
    }),
  ),

  history: section(() =>
    group("Sessions on disk.", {
      enabled: flag("Write sessions.", true),
      max_age_days: number("Older sessions are removed at start.", { fallback: 90 }),
      log_reasoning: flag("Keep the model's reasoning in the log.", false),
    }),
  ),

  mcp: section(() =>
    group("MCP servers and their tools.", {
      max_tool_depth: lowers(number("Model rounds with tool calls, per question.", { fallback: 8, min: 1, max: 1000 })),
      max_tool_calls: lowers(number("Calls in all, per question.", { fallback: 32, min: 1, max: 10_000 })),
      connect_timeout_s: seconds("Longest wait for a server to answer at first.", 10),
      call_timeout_s: seconds("Longest silence of a call; progress resets it.", 60),
      call_max_s: lowers(seconds("Longest call in all.", 600)),
      parallel: onlyTo(oneOf("Which calls of one answer may run at once.", ["off", "read-only"], "read-only"), "off"),
      import: list("Other programs' server lists to read.", oneOf("", ["claude-desktop"], "claude-desktop")),
      pin: oneOf("Notice changed tool definitions. A change suspends remembered approvals.", ["on", "off"], "on"),
      errors_to_model: flag("Pass JSON-RPC errors of tools on to the model.", false),
      servers,
      auto_approve: autoApprove,
    }),
  ),

  rules,

  paths: section(() =>
    group("Paths, for file tools and shell alike. Doublestar patterns; a folder covers what is in it.", {
      deny: adds(locatedList("Neither read nor written; not even listed.")),
      read_only: adds(locatedList("Read, never written.")),
      ignore: adds(locatedList("Left out of listings and searches.")),
      hold: adds(
        locatedList(
          "Further places that nobody's agent may change (see protected-places.md); relative to each allowed folder.",
        ),
      ),
      settle: adds(locatedList("Further places whose changes by a command are asked about afterwards, else put back.")),
      note: adds(locatedList("Further places whose changes are written to the audit log.")),
      open: locatedList("Protected places that may be changed after all, such as `.git/config` or `.vscode/**`."),
      protect: oneOf(
        "Whether the built-in list of protected places holds. `off` warns at each start.",
        ["on", "off"],
        "on",
      ),
    }),
  ),

  shell_tool: section(() =>
    group(
      "The `shell` tool.",
      {
        default_timeout: lowers(
          number("Seconds a command runs when the call does not say.", {
            fallback: 300,
            min: 1,
            max: 2_000_000,
            unit: "seconds",
          }),
        ),
        max_timeout: lowers(
          number("Most seconds a call may ask for.", { fallback: 1800, min: 1, max: 2_000_000, unit: "seconds" }),
        ),
        max_output_size: lowers(size("Output kept of one command; the rest is drained.", "10MB")),
        allowed_directories: locatedList("Where commands may start; empty: anywhere in the scope."),
        allowed_commands: locatedList(
          "The only commands there are, by their leading words or `/expression/` of the whole; empty: any.",
        ),
        blocked_commands: adds(
          locatedList(
            "Commands by their leading words, or `/expression/`. A guard rail against accidents, not a wall: scripts and interpreters walk past it.",
          ),
        ),
        log_commands: flag("Record every command, refusals included, in the audit log.", true),
      },
      {
        check: (one) =>
          one.defaultTimeout > one.maxTimeout ? "default_timeout is longer than max_timeout" : undefined,
      },
    ),
  ),

  run_command: section(() =>
    group("The `run_command` tool.", {
      allow: keepsOnly(
        list(
          "Programs it starts, by name. A convenience filter, not a sandbox: interpreters are on it.",
          text("", { pattern: /^[^/\s]+$/, hint: "a program's name without a path" }),
          ["node", "npm", "npx", "python3", "pytest", "tsc"],
        ),
      ),
    }),
  ),

  serve: section(() =>
    group("`bosun serve`.", {
      transport: oneOf("How clients reach it.", ["http", "stdio"], "http"),
      host: text("Address to listen on. Anything but loopback needs a token.", { fallback: "127.0.0.1" }),
      port: number("Port to listen on; 0: any free one.", { fallback: 8080, max: 65_535 }),
      token_env: optional(variable("Environment variable with the token clients must send.")),
      token: optional(secret(text("The token, written out. Prefer `token_env`."))),
      generate_token: flag("Make a token at start and print it.", false),
      auth_issuer: optional(text("Authorization server whose tokens clients must send, instead of a token by hand.")),
      auth_audience: optional(text("Public address of this server: what those tokens must be for.")),
      auth_jwks: optional(text("Where the issuer's keys are, if its metadata does not say.")),
      auth_scopes: list("Scopes those tokens must have.", text("")),
      allowed_hosts: list("Further Host values that are accepted.", text("")),
      allowed_origins: list("Origins of web pages that may connect.", text("")),
      tools: list("Tool surfaces to offer.", oneOf("", ["coding", "workspace", "shell", "bcp"], "coding"), ["coding"]),
      disable_tools: adds(list("Tools left out, by name.", text(""))),
      read_only: onlyTo(flag("Offer no tool that writes.", false), true),
      anthropic_compat: flag("One combined editor tool instead of three.", false),
      workdir: text("Directory it works in.", { fallback: "." }),
      allow_dirs: list("Folders the tools may touch; empty: the working directory.", text("")),
      deny_dirs: adds(locatedList("As `paths.deny`.")),
      unscoped: onlyTo(flag("No file scope at all: for containers.", false), false),
      sandbox: onlyTo(
        oneOf(
          "Confine commands to the file scope: the best way that works here, or refuse to start, or not.",
          ["auto", "require", "off"],
          "auto",
        ),
        "require",
      ),
      allow_network: onlyTo(flag("Commands may use the network.", false), false),
      env_pass: list(
        "Variables of ours that commands get; never `LD_PRELOAD`, `NODE_OPTIONS` and their like.",
        variable(""),
      ),
      timeout_s: lowers(seconds("Default for `bash`.", 120)),
      background_task_timeout_s: seconds("Longest background task; 0: no limit.", 0),
      max_file_size: lowers(size("Largest file to view or write.", "10MB")),
      max_memory: lowersFromNone(size("Memory of one command; 0: no limit.", "0")),
      max_processes: lowersFromNone(number("Processes of one command; 0: no limit.", { fallback: 0 })),
      max_written_size: lowersFromNone(size("Largest file a command may write; 0: no limit.", "0")),
      max_cpu_s: lowersFromNone(seconds("Processor time of one command; 0: no limit.", 0)),
      require_view_before_edit: oneOf("Refuse to edit what was not viewed.", ["auto", true, false], "auto"),
      truncate: oneOf("Which part of long output is shown.", ["head", "head-tail"], "head"),
      shrink: flag("Results in fewer tokens where nothing is lost.", false),
    }),
  ),

  proxy: section(() =>
    group("`bosun proxy`.", {
      servers,
      namespace: flag("Prefix every tool with its server's alias, not only on a clash.", false),
      compress_tools: oneOf("How far to shorten the tool list.", ["off", "light", "full"], "light"),
      emit: oneOf("What results are made of.", ["text", "bcp"], "text"),
      render_mode: oneOf("How BCP blocks are shown.", ["minimal", "markdown", "xml"], "minimal"),
      budget_tokens: optional(number("Most tokens of one result.", { fallback: 0, min: 1 })),
      min_tokens: number("Smaller results pass untouched.", { fallback: 0 }),
      max_result_size: size("Larger results pass untouched.", "10MB"),
      originals_kept_s: seconds("How long what was left out can be fetched back.", 3600),
      pin: onlyTo(oneOf("Hold back changed tool definitions until they are accepted.", ["on", "off"], "on"), "on"),
    }),
  ),

  approvals: section(() =>
    group("Questions to a person.", {
      timeout_s: seconds("A question nobody answers is a no after this; 0: wait for ever.", 300),
      remember: onlyTo(oneOf("How long an answer may hold at most.", ["once", "session", "always"], "always"), "once"),
      taint: onlyTo(
        flag(
          "After untrusted output, ask before a call that sends data elsewhere, unless a rule of yours allows it.",
          true,
        ),
        true,
      ),
    }),
  ),

  audit: section(() =>
    group("The audit log.", {
      enabled: onlyTo(flag("Write it.", true), true),
      folder: optional(text("Default: `audit` in the state folder.")),
      max_size: size("A file of the log is closed and a new one begun at this size.", "16MB"),
      keep: number("Closed files kept.", { fallback: 8, max: 10_000 }),
      sync: flag("Survive a power cut, not only a crash, at the price of a disk flush per line.", false),
    }),
  ),

  log: section(() =>
    group("What goes to standard error.", {
      level: oneOf("How much.", ["error", "warn", "info", "debug"], "info"),
      format: oneOf("As text or as JSON lines.", ["text", "json"], "text"),
    }),
  ),
});

/** What a program starts with: every setting, with defaults filled in. */
export type Settings = ValueOf<typeof SETTINGS>;
export type ModelSettings = ValueOf<typeof model>;
export type ServerSettings = Settings["mcp"]["servers"][string];

function plainTable(table: TableNode): Record<string, unknown> {
  return Object.fromEntries([...table.members.values()].map((member) => [member.key, plain(member.value)]));
}

function plain(node: Node): unknown {
  if (node.kind === "table") return plainTable(node);
  if (node.kind === "list") return node.items.map(plain);
  return node.kind === "null" ? null : node.value;
}
