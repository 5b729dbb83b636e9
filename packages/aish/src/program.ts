// Everything put together once: settings, model, servers, gate, session. Interactive and scripted use both start here.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import {
  createRedactor,
  describeChanges,
  httpUrl,
  loadProjectSettings,
  loadSettings,
  openApprovals,
  openAudit,
  openPins,
  openProjectTrust,
  digestOf,
} from "@bosun/guard";
import type { Audit, LoadedSettings, ModelSettings, PinChange, Redactor, Settings } from "@bosun/guard";
import { readSettings } from "@bosun/guard";
import { httpOut } from "@bosun/mcp";
import type { ElicitAnswer, HttpFetch, JsonObject } from "@bosun/mcp";
import { Gate } from "./approval/gate.ts";
import type { ChatOptions } from "./config.ts";
import { Budget } from "./conversation/budget.ts";
import { Conversation } from "./conversation/conversation.ts";
import { ResultStore } from "./history/results.ts";
import { resume } from "./history/resume.ts";
import { readSession, SessionWriter } from "./history/session-file.ts";
import type { LogEntry } from "./history/session-file.ts";
import { newSessionId, SessionFolder } from "./history/sessions.ts";
import type { SessionInfo } from "./history/sessions.ts";
import { keepsToolResults } from "./model/check-template.ts";
import { demoFetch, DEMO_URL } from "./model/demo.ts";
import { askWindow, findModels } from "./model/found-models.ts";
import { Model } from "./model/model.ts";
import type { ModelContext } from "./model/model.ts";
import type { Io } from "./screen/io.ts";
import { configFromSettings, plainConfig } from "./servers/server-config.ts";
import type { OpenBuiltIn } from "./servers/server-config.ts";
import type { Server } from "./servers/server.ts";
import { Servers } from "./servers/servers.ts";
import { importServers } from "./settings/import-servers.ts";
import { LearntState } from "./settings/state.ts";
import { CommandRunner } from "./shell/run-command.ts";
import { systemPrompt } from "./system-prompt.ts";
import type { ToolInfo } from "./tools/tool-info.ts";
import { tracingFetch } from "./trace.ts";
import type { Chat } from "./turn/chat.ts";
import type { ShrinkTools } from "./turn/call-result.ts";
import { Cost } from "./turn/cost.ts";

export const VERSION = "0.1.0";

/** What the program that contains us brings along; tests bring less or other things. */
export type Seams = {
  /** Servers inside this process, such as the coding tools as `here`. */
  builtIns?: readonly { alias: string; label: string; open: OpenBuiltIn }[];
  fetch?: HttpFetch;
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
  /** A server settled or its tools changed. */
  serverChanged?: (server: Server) => void;
};

export class Unusable extends Error {
  override readonly name = "Unusable";
}

export class Program {
  readonly io: Io;
  readonly options: ChatOptions;
  readonly ui: Ui;
  readonly settings: Settings;
  readonly loaded: LoadedSettings;
  readonly chat: Chat;
  readonly runner: CommandRunner;
  readonly sessions: SessionFolder;
  readonly modelContext: ModelContext;
  /** Variables the person sets with `export` end up here. */
  readonly env: Record<string, string | undefined>;
  readonly #secrets = new Set<string>();
  #redactor: Redactor = createRedactor();
  #writer: SessionWriter | undefined;
  #lockedSession: string | undefined;
  readonly #found: Record<string, ModelSettings> = {};
  #shrink: Promise<ShrinkTools> | undefined;
  readonly #changes = new Map<string, { changes: readonly PinChange[]; accept: () => void }>();
  usedTools = new Set<string>();

  private constructor(io: Io, options: ChatOptions, ui: Ui, loaded: LoadedSettings, settings: Settings, seams: Seams) {
    this.io = io;
    this.options = options;
    this.ui = ui;
    this.loaded = loaded;
    this.settings = settings;
    this.env = { ...io.env };
    const { folders } = loaded;
    const learnt = new LearntState(folders.state);
    this.sessions = new SessionFolder(folders.data);
    this.runner = new CommandRunner(settings.shell.program ?? io.env["SHELL"] ?? "/bin/sh", this.env);
    this.#noteSecrets();
    this.modelContext = {
      env: this.env,
      version: VERSION,
      useToolRole: settings.context.useToolRole,
      compats: learnt.compats,
      runKeyCommand: (argv) => this.#runKeyCommand(argv),
      onSecret: (secret) => this.addSecret(secret),
    };
    const pins = settings.mcp.pin === "on" ? openPins(folders.state) : undefined;
    const servers = new Servers({
      env: this.env,
      redactor: this.#redactor,
      cwd: io.cwd(),
      version: VERSION,
      eras: learnt.eras,
      say: (text) => ui.status(`mcp: ${text}`),
      onTools: (server, before) => this.#onTools(server, before, pins),
      ...(ui.elicit ? { elicit: ui.elicit } : {}),
    });
    const approvals = openApprovals({ stateFolder: folders.state, remember: settings.approvals.remember });
    const gate = new Gate({
      settings,
      settingsFile: loaded.file ?? "settings",
      flags: { allow: options.allow, deny: options.deny },
      approvals,
      cwd: io.cwd(),
      home: io.home,
    });
    const custom =
      options.system === undefined ? undefined : readFileSync(path.resolve(io.cwd(), options.system), "utf8");
    const startedAt = new Date();
    const audit = settings.audit.enabled ? this.#openAudit() : undefined;
    const base = demoFetch(seams.fetch ?? httpOut);
    this.chat = {
      conversation: new Conversation(),
      model: this.#demo(), // until one is chosen
      servers,
      gate,
      results: new ResultStore(undefined),
      budget: new Budget(),
      audit,
      shrink: () => (this.#shrink ??= loadShrink()),
      cost: new Cost(),
      settings,
      session: "",
      maxDepth: options.maxDepth ?? settings.mcp.maxToolDepth,
      fetch:
        options.trace === undefined
          ? base
          : tracingFetch(base, path.resolve(io.cwd(), options.trace), () => this.#redactor),
      system: () =>
        custom ?? systemPrompt({ cwd: io.cwd(), shell: this.runner.shell, now: startedAt, instructions: [] }),
      definitionDiff: (server, tool) => this.#diffOf(server, tool),
      acceptDefinitions: (server) => {
        this.#changes.get(server)?.accept();
        this.#changes.delete(server);
      },
      lastResults: [],
      lastReasoning: "",
      lastError: "",
      waitScale: seams.waitScale ?? 1,
    };
  }

  static async create(io: Io, options: ChatOptions, ui: Ui, seams: Seams): Promise<Program> {
    const loaded = loadSettings({
      ...(options.config === undefined ? {} : { config: options.config }),
      env: io.env,
      home: io.home,
      cwd: io.cwd(),
    });
    for (const warning of loaded.warnings) ui.status(warning);
    const settings = await withProject(loaded, io, ui);
    const program = new Program(io, options, ui, loaded, settings, seams);
    program.chat.model = await program.#chooseModel(seams);
    if (!options.noMcp) await program.#addServers(seams);
    return program;
  }

  get redactor(): Redactor {
    return this.#redactor;
  }

  addSecret(secret: string): void {
    if (secret.length < 6 || this.#secrets.has(secret)) return;
    this.#secrets.add(secret);
    this.#redactor = createRedactor({ secrets: [...this.#secrets] });
  }

  /** A fresh session. */
  begin(): void {
    this.#leaveSession();
    const id = newSessionId();
    this.chat.session = id;
    this.chat.conversation = new Conversation();
    this.chat.cost = new Cost();
    this.chat.gate.forgetHeard();
    this.#open(id, { head: true });
  }

  /** Goes on with one; what was said and repaired is told. */
  resume(session: SessionInfo, fork: boolean): string[] {
    const read = readSession(session.file);
    const said: string[] = [];
    let isFork = fork;
    if (read.isNewer && !fork) {
      said.push("this session was written by a newer version; going on in a copy");
      isFork = true;
    }
    if (!isFork && this.chat.session !== session.id && !this.sessions.lock(session.id)) {
      said.push("another program writes this session; going on in a copy");
      isFork = true;
    }
    this.#leaveSession();
    const id = isFork ? newSessionId() : session.id;
    this.chat.session = id;
    if (!isFork) this.#lockedSession = id;
    this.chat.results = new ResultStore(
      this.options.noHistory || !this.settings.history.enabled ? undefined : this.sessions.resultsOf(id),
    );
    const writer = this.#open(id, { head: isFork });
    if (isFork && writer !== undefined) copyEntries(read.entries, writer);
    const { conversation, repairs, usedTools } = resume(read, writer);
    this.chat.conversation = conversation;
    this.usedTools = usedTools;
    return [...said, ...repairs.map((repair) => `repaired: ${repair}`)];
  }

  useModel(name: string): Model | undefined {
    const settings = this.models()[name];
    if (settings === undefined) return undefined;
    this.chat.model = new Model(name, settings, this.modelContext);
    return this.chat.model;
  }

  /** Configured and found models by name. */
  models(): Readonly<Record<string, ModelSettings>> {
    return { ...this.#found, ...this.settings.models };
  }

  async close(): Promise<void> {
    await Promise.all([this.chat.servers.close(), this.runner.close()]);
    this.chat.audit?.close();
    this.#leaveSession();
  }

  #open(id: string, { head }: { head: boolean }): SessionWriter | undefined {
    if (this.options.noHistory || !this.settings.history.enabled) return undefined;
    const writer = new SessionWriter(this.sessions.fileOf(id), {
      logReasoning: this.settings.history.logReasoning,
      onFailure: (why) => this.ui.problem(`this session cannot be written: ${why}`),
    });
    if (head) {
      writer.head(
        { id, startedAt: new Date().toISOString(), cwd: this.io.cwd(), model: this.chat.model.name, version: 1 },
        VERSION,
      );
      this.sessions.lock(id);
      this.#lockedSession = id;
      this.chat.results = new ResultStore(this.sessions.resultsOf(id));
    }
    this.#writer = writer;
    this.chat.conversation.journal = writer;
    return writer;
  }

  #leaveSession(): void {
    this.#writer?.close();
    this.#writer = undefined;
    if (this.#lockedSession !== undefined) this.sessions.unlock(this.#lockedSession);
    this.#lockedSession = undefined;
  }

  async #chooseModel(seams: Seams): Promise<Model> {
    const { options, settings } = this;
    if (options.demo) return this.#demo();
    const wanted = options.model ?? settings.defaultModel ?? Object.keys(settings.models)[0];
    if (wanted !== undefined) {
      const chosen = settings.models[wanted];
      if (chosen !== undefined) return this.#withWindow(new Model(wanted, chosen, this.modelContext));
    }
    // Nothing is configured, or something else was named: look who is there.
    const found = await findModels(this.chat.fetch, seams.usualModels);
    for (const one of found) {
      const base = readSettings(
        "found",
        `[models.x]\nbase_url = ${JSON.stringify(one.baseUrl)}\nmodel = ${JSON.stringify(one.model)}\n`,
      );
      const made = base.models["x"];
      if (made !== undefined) this.#found[one.model] = made;
    }
    const name = wanted ?? found[0]?.model;
    const settingsOf = name === undefined ? undefined : this.#found[name];
    if (name === undefined || settingsOf === undefined) {
      const known = Object.keys(this.models());
      if (wanted !== undefined) {
        throw new Unusable(
          `there is no model called "${wanted}"${known.length === 0 ? "" : ` (there are: ${known.join(", ")})`}`,
        );
      }
      throw new Unusable(
        "no model is configured, and none was found on this machine (llama.cpp, Ollama, LM Studio, vLLM). Put one into the settings, or look around with --demo; aish --help shows how",
      );
    }
    const [first] = found;
    this.ui.status(
      `found ${first?.program ?? "a model server"} at ${first?.baseUrl ?? ""}: ${found
        .map((one) => one.model)
        .slice(0, 6)
        .join(", ")}`,
    );
    return this.#withWindow(new Model(name, settingsOf, this.modelContext));
  }

  #demo(): Model {
    const made = readSettings("demo", `[models.demo]\nbase_url = "${DEMO_URL}"\ncontext_window = 32768\n`).models[
      "demo"
    ];
    if (made === undefined) throw new Unusable("the demo cannot be set up");
    if (this.options.demo) this.#found["demo"] = made;
    return new Model("demo", made, this.modelContext);
  }

  /** Whether tool results get through this model's template; when not, they go as text. */
  async checkTemplate(model: Model): Promise<boolean | undefined> {
    const keeps = await keepsToolResults(this.chat.fetch, model.settings.baseUrl);
    const { compat, pinned, onLearnt } = model.endpoint;
    if (keeps === false && compat.toolRole === "tool" && !("toolRole" in pinned)) {
      compat.toolRole = "prefix";
      onLearnt(compat);
      this.ui.status(`${model.name}: its template drops tool results; they go as text`);
    }
    return keeps;
  }

  // In the background: the first question does not wait for it.
  #withWindow(model: Model): Model {
    if (!("toolRole" in model.endpoint.pinned)) void this.checkTemplate(model);
    if (!model.isWindowKnown) {
      void askWindow(this.chat.fetch, model.settings.baseUrl, model.wire).then((window) => {
        if (window !== undefined) model.window = window;
      });
    }
    return model;
  }

  async #addServers(seams: Seams): Promise<void> {
    const { chat, settings, options, io } = this;
    const { servers } = chat;
    for (const { alias, label, open } of seams.builtIns ?? []) {
      servers.add({ ...plainConfig(alias, { kind: "builtin", label, open }, "built in", settings.mcp), trust: false });
    }
    for (const [alias, one] of Object.entries(settings.mcp.servers)) {
      servers.add(configFromSettings(alias, one, settings.mcp, this.loaded.file ?? "settings"));
    }
    for (const file of options.mcpConfig) this.#import(path.resolve(io.cwd(), file), true);
    if (settings.mcp.import.includes("claude-desktop")) this.#import(claudeDesktopFile(io), false);
    await this.#importProject();
    for (const url of options.mcp) {
      if (httpUrl(url) === undefined) throw new Unusable(`--mcp ${url}: not an http address we can trust`);
      const alias = servers.freeAlias(aliasOfUrl(url));
      servers.add(plainConfig(alias, { kind: "http", url, headers: {} }, "--mcp", settings.mcp));
      options.require.push(alias);
    }
  }

  #import(file: string, isRequired: boolean): void {
    if (!existsSync(file)) {
      if (isRequired) throw new Unusable(`${file} does not exist`);
      return;
    }
    this.#importText(file, readFileSync(file, "utf8"));
  }

  #importText(file: string, text: string): void {
    const { servers } = this.chat;
    try {
      const { servers: found, notes } = importServers(text, this.env, (name) => servers.freeAlias(name));
      for (const { alias, reach, enabled, problem } of found) {
        const config = plainConfig(servers.freeAlias(alias), reach, file, this.settings.mcp);
        servers.add({
          ...config,
          enabled: enabled || problem !== undefined,
          ...(problem === undefined ? {} : { problem }),
        });
      }
      for (const note of notes) this.ui.status(`${path.basename(file)}: ${note}`);
    } catch (error) {
      throw new Unusable(`${file}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  // Comes with a cloned folder: shown and agreed to once, by its content.
  async #importProject(): Promise<void> {
    const file = path.join(this.io.cwd(), ".mcp.json");
    if (!existsSync(file)) return;
    const text = readFileSync(file, "utf8");
    const trust = openProjectTrust(this.loaded.folders.state);
    const hash = digestOf(text);
    if (trust.isTrusted(file, hash) !== "yes") {
      const lines = this.#whatItWouldDo(file, text);
      const agreed = (await this.ui.confirm?.(lines, "use this list of servers?")) ?? false;
      if (!agreed) {
        this.ui.status(`${file} is not used: it was not agreed to`);
        return;
      }
      trust.trust(file, hash, new Date());
    }
    this.#importText(file, text);
  }

  #whatItWouldDo(file: string, text: string): string[] {
    try {
      const { servers } = importServers(text, this.env, (name) => name);
      return [
        `${file} comes with this folder. It would:`,
        ...servers.map(({ alias, reach }) =>
          reach.kind === "http"
            ? `  contact ${URL.canParse(reach.url) ? new URL(reach.url).host : reach.url} as ${alias}`
            : reach.kind === "stdio"
              ? `  start ${[reach.command, ...reach.args].join(" ")} as ${alias}`
              : alias,
        ),
      ];
    } catch (error) {
      return [`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`];
    }
  }

  #onTools(
    server: Server,
    before: readonly ToolInfo[] | undefined,
    pins: ReturnType<typeof openPins> | undefined,
  ): void {
    if (server.state === "ready" && pins !== undefined) this.#checkPins(server, pins, before !== undefined);
    this.ui.serverChanged?.(server);
  }

  #checkPins(server: Server, pins: ReturnType<typeof openPins>, isRelist: boolean): void {
    const raws = server.tools.map(({ raw }) => raw);
    try {
      const report = pins.check(server.identity, raws);
      if (report.kind === "new") return pins.accept(server.identity, raws, new Date());
      if (report.kind === "same") return;
      this.#changes.set(server.identity, {
        changes: report.changes,
        accept: () => pins.accept(server.identity, raws, new Date()),
      });
      this.ui.status(`mcp: ${server.alias}: ${shortly(report.changes)}${isRelist ? "" : " since last time"}`);
      // Nothing was allowed that could lapse: only new and vanished tools are news, not a warning.
      if (report.changes.every(({ kind }) => kind === "added" || kind === "removed")) {
        pins.accept(server.identity, raws, new Date());
      }
    } catch (error) {
      this.ui.problem(error instanceof Error ? error.message : String(error));
    }
  }

  #diffOf(server: string, tool: string): string | undefined {
    const changes = this.#changes.get(server)?.changes.filter((change) => change.name === tool) ?? [];
    return changes.length === 0 ? undefined : describeChanges(changes);
  }

  #openAudit(): Audit | undefined {
    const { audit } = this.settings;
    const folder = audit.folder ?? path.join(this.loaded.folders.state, "audit");
    try {
      return openAudit({ folder, maxBytes: audit.maxSize, keep: audit.keep, sync: audit.sync, redactor: this.#live() });
    } catch (error) {
      throw new Unusable(error instanceof Error ? error.message : String(error));
    }
  }

  // The redactor of today: keys become known as they are used.
  #live(): Redactor {
    return {
      text: (text) => this.#redactor.text(text),
      value: (value) => this.#redactor.value(value),
      find: (text) => this.#redactor.find(text),
    };
  }

  #noteSecrets(): void {
    for (const model of Object.values(this.settings.models)) {
      if (model.key !== undefined) this.addSecret(model.key);
      if (model.keyEnv !== undefined) this.addSecret(this.env[model.keyEnv] ?? "");
    }
    for (const server of Object.values(this.settings.mcp.servers)) {
      if (server.authToken !== undefined) this.addSecret(server.authToken);
      if (server.authEnv !== undefined) this.addSecret(this.env[server.authEnv] ?? "");
    }
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

async function withProject(loaded: LoadedSettings, io: Io, ui: Ui): Promise<Settings> {
  const trust = openProjectTrust(loaded.folders.state);
  const project = loadProjectSettings(loaded.settings, io.cwd(), trust.isTrusted);
  if (project.kind === "none") return loaded.settings;
  if (project.kind === "trusted") return project.settings;
  const lines = [
    `${project.file} comes with this folder${project.changed ? " and has changed since you agreed to it" : ""}. It says:`,
    ...project.text
      .split("\n")
      .slice(0, 40)
      .map((line) => `  ${line}`),
  ];
  const agreed = (await ui.confirm?.(lines, "let it tighten your settings?")) ?? false;
  if (!agreed) {
    ui.status(`${project.file} is not used: it was not agreed to`);
    return loaded.settings;
  }
  trust.trust(project.file, project.hash, new Date());
  const again = loadProjectSettings(loaded.settings, io.cwd(), trust.isTrusted);
  return again.kind === "trusted" ? again.settings : loaded.settings;
}

/** First label of the host; loopback and other addresses by their numbers. */
export function aliasOfUrl(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  const shownPort = port || (protocol === "https:" ? "443" : "80");
  if (/^(?:localhost|127\.|\[::1\])/.test(hostname)) return `local-${shownPort}`;
  const last = /^\d+\.\d+\.\d+\.(\d+)$/.exec(hostname)?.[1];
  if (last !== undefined) return `ip-${last}-${shownPort}`;
  return hostname.split(".")[0] ?? hostname;
}

function claudeDesktopFile(io: Io): string {
  const file = "claude_desktop_config.json";
  if (process.platform === "darwin") return path.join(io.home, "Library/Application Support/Claude", file);
  if (process.platform === "win32") return path.join(io.env["APPDATA"] ?? io.home, "Claude", file);
  return path.join(io.home, ".config/Claude", file);
}

function shortly(changes: readonly PinChange[]): string {
  const of = (kind: PinChange["kind"]): string[] => changes.filter((one) => one.kind === kind).map(({ name }) => name);
  const part = (names: string[], words: string): string[] =>
    names.length === 0 ? [] : [`${words.replace("#", String(names.length))} (${names.slice(0, 5).join(", ")})`];
  return [
    ...part(of("added"), "+# tool"),
    ...part(of("removed"), "-# tool"),
    ...part(of("changed"), "# changed"),
    ...part(of("renamed"), "# renamed"),
    ...part(of("doubled"), "# twice"),
  ].join(", ");
}

function copyEntries(entries: readonly LogEntry[], writer: SessionWriter): void {
  for (const entry of entries) {
    if ("turn" in entry) writer.turn(entry.turn);
    else if ("exec" in entry) writer.exec(entry.exec);
    else writer.event(entry.event);
  }
}

// Its tables take a while to load, and the first prompt needs none of them.
async function loadShrink(): Promise<ShrinkTools> {
  const { countTokens, Shrinker } = await import("@bosun/shrink");
  // No references to earlier results: those may be undone or compacted away.
  return { shrinker: new Shrinker({ repeats: false }), countTokens };
}
