// The tools as a service: configuration → scope, sandbox, rules, tools, and one object that answers calls of any client.
// It knows no transport: main.ts serves it over stdio or HTTP, the chat shell over a pair in memory.
import { mkdirSync } from "node:fs";
import path from "node:path";
import type { Sandbox } from "@bosun/engine";
import { createRedactor } from "@bosun/platform/secrets";
import { homeOf, loadProjectSettings, loadSettings, openProjectTrust, policyOfSettings } from "@bosun/settings";
import type { LoadedSettings, Settings } from "@bosun/settings";
import { createServer, INTERNAL_ERROR, RpcError, withHandle, withState } from "@bosun/mcp/server";
import type { Call, JsonObject, RawJson, Service } from "@bosun/mcp/server";
import manifest from "../../package.json" with { type: "json" };
import { ServerState } from "./server-state.ts";
import { CallPlaces } from "../calls/call-places.ts";
import { catalogueFor, runsCommands } from "./tool-catalogue.ts";
import { holds } from "../config/config.ts";
import type { Config } from "../config/config.ts";
import { UsageError } from "@bosun/platform/flags";
import { explainBug } from "../calls/error-results.ts";
import { withSessionArgument } from "./session-argument.ts";
import { judgedTool } from "../calls/judged-call.ts";
import { instructionsFor } from "./instructions.ts";
import type { Log } from "@bosun/platform/log";
import type { PathRules } from "../config/path-rules.ts";
import { sandboxMemory } from "../sandbox-start/probe-cache.ts";
import type { ToolDefinition } from "../calls/tool-definition.ts";
import { PolicyGate } from "../approvals/policy-gate.ts";
import { ShownPaths } from "../calls/shown-paths.ts";
import type { Lead } from "../calls/shown-paths.ts";

export const VERSION = manifest.version;

export type ServeOptions = {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly home?: string;
  readonly log?: Log;
  /** Read before, when the caller has it already. */
  readonly settings?: LoadedSettings;
  /** Tokens that clients send: never in a child's environment, a record or a result. */
  readonly secrets?: readonly string[];
  readonly sandboxHelper?: readonly string[];
  /** Tools of other packages for surfaces that this one only names (`--tools bcp`). */
  readonly guests?: () => Promise<readonly ToolDefinition[]>;
};

export type ToolService = {
  readonly server: Service;
  readonly instructions: string;
  readonly state: ServerState;
  /** undefined: no tool runs commands. */
  readonly sandbox: Sandbox | undefined;
  /**
   * For a host in this process whose person is asked before it calls: where that call would lead. When it is made, it must
   * lead to the same places. The client is the one that spoke last.
   */
  whereItLeads(tool: string, args: unknown): readonly Lead[];
  /** Takes no more calls and ends every command of every client; resolves when the calls in flight are answered. */
  stop(): Promise<void>;
  /** Stops, and gives everything back. Idempotent. */
  close(): Promise<void>;
};

/** Throws UsageError, EngineError or BosunError when the configuration cannot be served. */
export async function serveTools(config: Config, options: ServeOptions = {}): Promise<ToolService> {
  const { env = process.env, home = homeOf(env), log = () => {}, secrets = [] } = options;
  const loaded = options.settings ?? settingsFor(config, env, home);
  for (const warning of loaded.warnings) log("warn", warning);
  const settings = tightened(loaded, config, log);
  if (
    config.roots.length === 0 ||
    Object.values(loaded.folders).some((one) => config.roots.some((root) => holds(root, one)))
  )
    makeOwnFolders(loaded.folders);
  const guests = config.surfaces.includes("bcp") ? await invited(options) : [];
  const tools = catalogueFor(config, shellLimitsOf(settings), guests);
  const commands = runsCommands(tools);
  const state = await ServerState.open({
    config,
    paths: pathRulesOf(settings, loaded.protectedPaths, home, config),
    log,
    env,
    home,
    secrets,
    withoutCommands: !commands,
    memory: sandboxMemory(loaded.folders.state, VERSION),
    stateFolder: loaded.folders.state,
    sandboxHelper: options.sandboxHelper,
  });
  if (tools.length === 0) log("warn", "no tool is left: --read-only and --disable-tools took them all");
  if (commands) reportSandbox(state, log);
  for (const folder of unreachableDirectories(settings, config, home))
    log(
      "warn",
      "shell_tool.allowed_directories: this folder is outside the allowed folders, so commands cannot start in it",
      {
        folder,
        advice: `--allow-dir ${folder}`,
      },
    );
  if (state.paths.protect === "off")
    log("warn", "protected places are off: what an agent leaves in .git can run when git is used outside the sandbox");
  if (config.roots.length > 0 && !config.roots.some((root) => holds(root, config.workdir))) {
    log(
      "warn",
      "the working directory is outside the allowed folders: relative paths are refused, sandboxed commands cannot start in it",
      {
        workdir: config.workdir,
      },
    );
  }
  const gate = gateFor(config, settings, loaded, state, { home, secrets });
  state.changedPlaces.start((event) => gate.recordDone(event));
  const instructions = instructionsFor(state, tools);
  const shown = new ShownPaths();
  const inFlight = new Set<Promise<unknown>>();
  let stopping = false;
  let lastOwner = "";
  const server = createServer({
    name: "bosun",
    version: VERSION,
    title: "Bosun",
    instructions,
    tools: tools.map((tool) => judgedTool(tool, { state, gate, secrets, shown })),
    explain(error, { name }) {
      const surface = tools.find((tool) => tool.name === name)?.surface;
      log("error", `${name} failed unexpectedly`, { error: error instanceof Error ? error.stack : String(error) });
      return surface && explainBug(surface, { tool: name, args: undefined, workdir: config.workdir });
    },
  });
  async function answer(call: Call): Promise<JsonObject | RawJson> {
    if (call.session !== undefined) return await server.handle(call);
    const isKnown = (owner: string): boolean => state.has(owner);
    const stated = withState(withSessionArgument(call, isKnown), isKnown);
    const result = await server.handle(stated.call);
    return stated.handle === undefined ? result : withHandle(result as JsonObject, stated.handle);
  }
  async function stop(): Promise<void> {
    stopping = true;
    server.close();
    await Promise.all([state.endClients(), ...inFlight]);
  }
  return {
    instructions,
    state,
    sandbox: commands ? state.sandbox : undefined,
    server: {
      ...server,
      handle(call) {
        lastOwner = call.owner;
        if (call.method !== "tools/call") return server.handle(call);
        if (stopping) throw new RpcError(INTERNAL_ERROR, "the server is stopping");
        const result = answer(call);
        // Only that it has ended matters here: whoever called hears how.
        const settled: Promise<unknown> = result.catch(() => {}).then(() => inFlight.delete(settled));
        inFlight.add(settled);
        return result;
      },
      isBusy: (owner) => state.isBusy(owner) || server.isBusy?.(owner) === true,
      ended(owner) {
        server.ended?.(owner);
        return state
          .endClient(owner)
          .catch((error: unknown) => log("error", "a client's commands could not be ended", { error: String(error) }));
      },
    },
    whereItLeads(name, args) {
      const tool = tools.find((one) => one.name === name);
      const parsed = tool?.input.parse(args, "arguments");
      if (tool === undefined || parsed?.ok !== true) return [];
      const owner = { surface: tool.surface, state, session: state.sessionOf(lastOwner), gate };
      using places = new CallPlaces(owner, tool.acts(parsed.value));
      return shown.show(name, args, places);
    },
    stop,
    async close() {
      stopping = true;
      server.close();
      await state.close();
      gate.close();
    },
  };
}

async function invited({ guests }: ServeOptions): Promise<readonly ToolDefinition[]> {
  if (guests === undefined) throw new UsageError("--tools bcp: these tools come with the bosun executable only");
  return guests();
}

export function settingsFor(
  config: Pick<Config, "settingsFile" | "workdir">,
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): LoadedSettings {
  const { settingsFile, workdir } = config;
  return loadSettings({ ...(settingsFile === undefined ? {} : { config: settingsFile }), env, home, cwd: workdir });
}

/** The project's own file may only tighten, and only once a person has agreed to it. */
function tightened(loaded: LoadedSettings, config: Config, log: Log): Settings {
  const project = loadProjectSettings(
    loaded.settings,
    config.workdir,
    openProjectTrust(loaded.folders.state).isTrusted,
  );
  if (project.kind === "trusted") return project.settings;
  if (project.kind === "untrusted") {
    log("warn", "the project's settings are not in force: nobody has agreed to them yet", {
      file: project.file,
      changed: project.changed,
    });
  }
  if (project.kind === "unusable") log("warn", `the project's settings are not in force: ${project.problem}`);
  return loaded.settings;
}

/** Where commands could make them: what does not exist cannot be mounted read-only, and a settings file that an agent made
 * would be obeyed by the next start. */
function makeOwnFolders(folders: LoadedSettings["folders"]): void {
  for (const folder of Object.values(folders)) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    } catch {
      // Then a command, which has no more rights than we, cannot make it either.
    }
  }
}

/** Both bounds hold: a folder that only one of them allows is named in vain. */
function unreachableDirectories({ shellTool }: Settings, { workdir, roots }: Config, home: string): string[] {
  return shellTool.allowedDirectories
    .map(({ text }) => (/^~(?=\/|$)/.test(text) ? path.join(home, text.slice(1)) : path.resolve(workdir, text)))
    .filter((folder) => roots.length > 0 && !roots.some((root) => holds(root, folder) || holds(folder, root)));
}

function shellLimitsOf({ shellTool }: Settings) {
  return {
    defaultTimeout: shellTool.defaultTimeout,
    maxTimeout: shellTool.maxTimeout,
    maxOutputBytes: shellTool.maxOutputSize,
  };
}

function pathRulesOf(
  { paths, serve }: Settings,
  protectedPaths: readonly string[],
  home: string,
  config: Pick<Config, "openPlaces" | "protect">,
): PathRules {
  const texts = (list: readonly { readonly text: string }[]): string[] =>
    list.map(({ text }) => (text.startsWith("~/") ? path.join(home, text.slice(2)) : text));
  return {
    deny: texts([...paths.deny, ...serve.denyDirs]),
    readOnly: texts(paths.readOnly),
    ignore: texts(paths.ignore),
    protected: protectedPaths,
    hold: texts(paths.hold),
    settle: texts(paths.settle),
    note: texts(paths.note),
    open: [...texts(paths.open), ...config.openPlaces],
    protect: config.protect ? paths.protect : "off",
  };
}

function gateFor(
  config: Config,
  settings: Settings,
  loaded: LoadedSettings,
  state: ServerState,
  { home, secrets }: { home: string; secrets: readonly string[] },
): PolicyGate {
  const { audit, approvals } = settings;
  const { foldCase } = state.scope;
  const policyOptions = { fallback: "allow" as const, workdir: config.workdir, home, foldCase };
  const policy = policyOfSettings(settings, loaded.file ?? "built in", policyOptions);
  const folder = audit.folder ?? path.join(loaded.folders.state, "audit");
  return new PolicyGate({
    policy,
    alias: config.alias,
    stateFolder: loaded.folders.state,
    audit:
      audit.enabled && config.audit
        ? { folder, maxBytes: audit.maxSize, keep: audit.keep, sync: audit.sync }
        : undefined,
    redactor: createRedactor({ secrets }),
    settingsFile: loaded.file ?? path.join(loaded.folders.config, "config.toml"),
    remember: approvals.remember,
  });
}

function reportSandbox(state: ServerState, log: Log): void {
  const { mechanism, description } = state.sandbox;
  if (mechanism !== "none") return log("info", "commands run in a sandbox", { mechanism });
  const isOff = state.config.sandbox === "off";
  const why = isOff ? "it is switched off" : "none works here";
  log("warn", `commands run WITHOUT a sandbox (${why}): the shell is not limited to the allowed folders`, {
    advice: isOff ? undefined : description.advice,
  });
}
