// Everything put together once: settings, model, servers, approval policy, session. Interactive and scripted use both start here.
import { VERSION } from "@bosun/platform/version";
import { readFileSync } from "node:fs";
import path from "node:path";
import { openApprovals, openAudit } from "@bosun/policy";
import { loadSettings, secretsOfSettings } from "@bosun/settings";
import type { Audit } from "@bosun/policy";
import type { LoadedSettings, Settings } from "@bosun/settings";
import { httpFetch } from "@bosun/mcp";
import type { ElicitAnswer, HttpFetch, JsonObject } from "@bosun/mcp";
import { openKeptModes } from "./approval/modes.ts";
import type { Mode } from "./approval/modes.ts";
import { ToolDefinitions } from "./approval/tool-definitions.ts";
import { ApprovalPolicy } from "./approval/approval-policy.ts";
import type { ChatOptions } from "./config.ts";
import { TokenEstimator } from "./conversation/token-estimator.ts";
import { Conversation } from "./conversation/conversation.ts";
import { CurrentSession } from "./history/current-session.ts";
import { ResultStore } from "./history/result-store.ts";
import { SessionFolder } from "./history/session-folder.ts";
import { demoFetch } from "./model/demo-model.ts";
import type { ModelContext } from "./model/model.ts";
import { ModelList } from "./model/model-list.ts";
import type { Io } from "./screen/program-io.ts";
import { KnownSecrets } from "./known-secrets.ts";
import { addConfiguredServers } from "./servers/configured-servers.ts";
import type { BuiltInServer } from "./servers/configured-servers.ts";
import { keptSignIn } from "./servers/sign-in.ts";
import type { Server } from "./servers/mcp-server.ts";
import { Servers } from "./servers/servers.ts";
import { projectInstructions } from "./settings/project-instructions.ts";
import { withProjectSettings } from "./settings/trust-project-settings.ts";
import { CapabilityCache } from "./settings/capability-cache.ts";
import { SavedSignIns } from "./settings/saved-sign-ins.ts";
import { CommandRunner } from "./shell/command-runner.ts";
import { systemPrompt } from "./system-prompt.ts";
import { openTrace } from "./http-trace.ts";
import type { Tracing } from "./http-trace.ts";
import type { ShrinkTools } from "./turn/result-for-model.ts";
import type { ChatState } from "./turn/chat-state.ts";
import { Cost } from "./turn/cost.ts";
import { StartupError } from "./exit.ts";

/** What the program that contains us brings along; tests bring less or other things. */
export type HostOptions = {
  /** What the person typed to start us: for help and errors. */
  name?: string;
  /** Servers inside this process, such as the coding tools as `here`. */
  builtIns?: readonly BuiltInServer[];
  fetch?: HttpFetch;
  /** The working folder is the demo's own. */
  hasDemoFolder?: boolean;
  /** Retries wait this much of their time. */
  waitScale?: number;
  /** Look for model servers on these ports instead of the usual ones; none: do not look. */
  usualModels?: readonly { program: string; port: number }[];
};

/** Who is told of things, and who can be asked. */
export type Ui = {
  status(text: string): void;
  problem(text: string): void;
  /** A yes or no before the start; undefined when nobody is there. */
  confirm?: (lines: readonly string[], question: string) => Promise<boolean>;
  elicit?: (alias: string, params: JsonObject, signal: AbortSignal) => Promise<ElicitAnswer>;
  sample?: (chat: ChatState, alias: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;
  canShareFolder?: boolean;
  /** A server settled or its tools changed. */
  serverChanged?: (server: Server) => void;
};

export class Program {
  readonly io: Io;
  readonly options: ChatOptions;
  readonly ui: Ui;
  readonly settings: Settings;
  readonly loaded: LoadedSettings;
  readonly chat: ChatState;
  readonly models: ModelList;
  readonly runner: CommandRunner;
  readonly sessions: SessionFolder;
  /** Variables the person sets with `export` end up here. */
  readonly env: Record<string, string | undefined>;
  readonly session: CurrentSession;
  /** In the demo's own folder. */
  readonly isDemo: boolean;
  readonly secrets = new KnownSecrets();
  readonly signIns: SavedSignIns;
  /** What the folder's own files want the model to know; agreed to by the person. */
  #instructions: readonly string[] = [];
  #shrink: Promise<ShrinkTools> | undefined;

  private constructor(
    io: Io,
    options: ChatOptions,
    ui: Ui,
    loaded: LoadedSettings,
    settings: Settings,
    host: HostOptions,
  ) {
    this.io = io;
    this.options = options;
    this.ui = ui;
    this.loaded = loaded;
    this.isDemo = host.hasDemoFolder === true;
    this.settings = settings;
    this.env = { ...io.env };
    const { folders } = loaded;
    const learnt = new CapabilityCache(folders.state);
    this.signIns = new SavedSignIns(folders.state, this.secrets.add);
    this.sessions = new SessionFolder(folders.data);
    this.runner = new CommandRunner(settings.shell.program ?? io.env["SHELL"] ?? "/bin/sh", this.env);
    for (const secret of secretsOfSettings(settings, this.env)) this.secrets.add(secret);
    const tracing = this.#tracing();
    const fetch = tracing(demoFetch(host.fetch ?? httpFetch, host.hasDemoFolder === true));
    const context: ModelContext = {
      env: this.env,
      version: VERSION,
      useToolRole: settings.context.useToolRole,
      compats: learnt.compats,
      runKeyCommand: (argv) => this.#runKeyCommand(argv),
      onSecret: this.secrets.add,
    };
    const usual = host.usualModels === undefined ? {} : { usual: host.usualModels };
    this.models = new ModelList({ settings, context, fetch, say: (text) => ui.status(text), ...usual });
    const definitions = new ToolDefinitions(settings.mcp.pin === "on" ? folders.state : undefined, (text) =>
      ui.status(text),
    );
    const servers = new Servers({
      env: this.env,
      redactor: this.secrets.redactor,
      onSecret: this.secrets.add,
      tracing,
      cwd: io.cwd(),
      version: VERSION,
      eras: learnt.eras,
      say: (text) => ui.status(`mcp: ${text}`),
      onTools: (server, before) => {
        try {
          definitions.check(server, before !== undefined);
        } catch (error) {
          ui.problem(messageOf(error));
        }
        ui.serverChanged?.(server);
      },
      ...(ui.elicit ? { elicit: ui.elicit } : {}),
      ...(ui.sample
        ? { sample: async (alias, params, signal) => (await ui.sample?.(this.chat, alias, params, signal)) ?? {} }
        : {}),
      canShareFolder: ui.canShareFolder === true,
    });
    const approvalPolicy = new ApprovalPolicy({
      settings,
      settingsFile: loaded.file ?? "settings",
      flags: { allow: options.allow, deny: options.deny },
      approvals: openApprovals({ stateFolder: folders.state, remember: settings.approvals.remember }),
      cwd: io.cwd(),
      home: io.home,
    });
    const startedAt = new Date();
    const custom = this.#customPrompt();
    this.chat = {
      conversation: new Conversation(),
      model: this.models.demo(options.demo), // until one is chosen
      servers,
      approvalPolicy,
      results: new ResultStore(undefined),
      tokens: new TokenEstimator(),
      audit: settings.audit.enabled ? this.#openAudit() : undefined,
      shrink: () => (this.#shrink ??= loadShrink()),
      cost: new Cost(),
      settings,
      session: "",
      maxDepth: options.maxDepth ?? settings.mcp.maxToolDepth,
      fetch,
      system: () =>
        custom ??
        systemPrompt({
          cwd: io.cwd(),
          shell: this.runner.shell,
          now: startedAt,
          instructions: [...this.#instructions, ...servers.instructions()],
        }),
      definitionDiff: (server, tool) => definitions.diffOf(server, tool),
      definitionsSince: (server) => definitions.since(server),
      acceptDefinitions: (server) => definitions.accept(server),
      lastResults: [],
      lastReasoning: "",
      lastError: "",
      waitScale: host.waitScale ?? 1,
    };
    approvalPolicy.mode = options.mode ?? this.#keptMode();
    this.session = new CurrentSession(this.chat, {
      sessions: this.sessions,
      isKept: settings.history.enabled && !options.noHistory,
      logReasoning: settings.history.logReasoning,
      version: VERSION,
      cwd: () => io.cwd(),
      onFailure: (why) => ui.problem(`this session cannot be written: ${why}`),
    });
  }

  static async create(io: Io, options: ChatOptions, ui: Ui, host: HostOptions): Promise<Program> {
    const loaded = loadSettings({
      ...(options.config === undefined ? {} : { config: options.config }),
      env: io.env,
      home: io.home,
      cwd: io.cwd(),
    });
    for (const warning of loaded.warnings) ui.status(warning);
    const agree = { say: (text: string) => ui.status(text), confirm: ui.confirm };
    const settings = await withProjectSettings(loaded, io.cwd(), agree);
    const program = new Program(io, options, ui, loaded, settings, host);
    const { chat, models } = program;
    if (!options.demo) program.#instructions = await projectInstructions(loaded.folders.state, io.cwd(), agree);
    if (!options.demo) chat.model = await models.choose(options.model);
    if (options.noMcp) return program;
    const required = await addConfiguredServers(chat.servers, {
      ...agree,
      settings,
      settingsFile: loaded.file ?? "settings",
      stateFolder: loaded.folders.state,
      builtIns: host.builtIns ?? [],
      lists: options.mcpConfig,
      urls: options.mcp,
      env: program.env,
      home: io.home,
      cwd: io.cwd(),
    });
    options.require.push(...required);
    for (const server of chat.servers.list()) server.authorizedFetch = keptSignIn(server.config, program.signIns);
    return program;
  }

  async close(): Promise<void> {
    await Promise.all([this.chat.servers.close(), this.runner.close()]);
    this.chat.audit?.close();
    this.session.leave();
  }

  #tracing(): Tracing {
    const { trace } = this.options;
    if (trace === undefined) return (fetch) => fetch;
    try {
      return openTrace(path.resolve(this.io.cwd(), trace), this.secrets.redactor);
    } catch (error) {
      throw new StartupError(`--trace: ${messageOf(error)}`, { cause: error });
    }
  }

  #keptMode(): Mode {
    try {
      return openKeptModes(this.loaded.folders.state).of(this.io.cwd()) ?? "ask";
    } catch (error) {
      // What grants must be believed: a file that others can write is not.
      this.ui.problem(`the mode kept for this folder is not used: ${messageOf(error)}`);
      return "ask";
    }
  }

  #customPrompt(): string | undefined {
    const { system } = this.options;
    if (system === undefined) return undefined;
    try {
      return readFileSync(path.resolve(this.io.cwd(), system), "utf8");
    } catch (error) {
      throw new StartupError(`--system: ${messageOf(error)}`, { cause: error });
    }
  }

  #openAudit(): Audit {
    const { audit } = this.settings;
    const folder = audit.folder ?? path.join(this.loaded.folders.state, "audit");
    return openAudit({
      folder,
      maxBytes: audit.maxSize,
      keep: audit.keep,
      sync: audit.sync,
      redactor: this.secrets.redactor,
    });
  }

  async #runKeyCommand(argv: readonly string[]): Promise<string> {
    const quoted = argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
    const run = await this.runner.run(quoted, {
      cwd: this.io.cwd(),
      by: "user",
      timeoutMs: 30_000,
      onOutput: () => {},
    });
    if (run.exit !== 0) throw new Error(`key_cmd ended with ${run.exit}`);
    return run.output;
  }
}

// Its tables take a while to load, and the first prompt needs none of them.
async function loadShrink(): Promise<ShrinkTools> {
  const { countTokens, Shrinker } = await import("@bosun/shrink");
  return { shrinker: new Shrinker(), countTokens };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
