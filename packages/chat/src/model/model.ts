// One configured model, ready to be asked: address, key, switches, window, and the body of a request.
import type { ModelSettings } from "@bosun/settings";
import { isObject } from "@bosun/mcp";
import type { HttpFetch, Json, JsonObject } from "@bosun/mcp";
import type { Endpoint } from "./ask-model.ts";
import { compatFrom, COMPAT_SETTINGS, DEFAULT_COMPAT } from "./compat.ts";
import type { Compat } from "./compat.ts";

/** What is assumed when neither the settings nor the server say how large the window is. */
const ASSUMED_WINDOW = 8192;
/** The first request does not wait longer than this for a server to say how large its window is. */
const WINDOW_WAIT_MS = 2000;

/** What was learnt about a server and model, between runs. */
export type CompatStore = { get(key: string): Partial<Compat>; set(key: string, compat: Partial<Compat>): void };

export type ModelContext = {
  env: Readonly<Record<string, string | undefined>>;
  version: string;
  useToolRole: boolean | "auto";
  compats: CompatStore;
  /** Runs `key_cmd` and gives what it printed. */
  runKeyCommand: (argv: readonly string[]) => Promise<string>;
  /** A key is in use: nothing may show it. */
  onSecret: (secret: string) => void;
};

export class Model {
  readonly name: string;
  readonly wire: string;
  /** Identifies server and model: opaque members go back only there. */
  readonly key: string;
  readonly settings: ModelSettings;
  readonly endpoint: Endpoint;
  /** Tokens; assumed until somebody says it. */
  window: number;
  isWindowKnown: boolean;
  #windowAsked: Promise<void> | undefined;

  constructor(name: string, settings: ModelSettings, context: ModelContext) {
    this.name = name;
    this.settings = settings;
    this.wire = settings.model ?? name;
    const base = settings.baseUrl.replace(/\/+$/, "");
    this.key = `${base} ${this.wire}`;
    this.window = settings.contextWindow ?? ASSUMED_WINDOW;
    this.isWindowKnown = settings.contextWindow !== undefined;
    const pinned = pinnedBy(settings, context.useToolRole);
    const learnt = context.compats.get(this.key);
    this.endpoint = {
      name,
      url: new URL(`${base}/chat/completions`),
      headers: () => headersOf(settings, context),
      keySource: keySourceOf(settings),
      firstByteMs: settings.firstByteTimeoutS * 1000,
      idleMs: settings.idleTimeoutS * 1000,
      pinned,
      compat: { ...DEFAULT_COMPAT, ...learnt, ...pinned },
      onLearnt: (compat) => context.compats.set(this.key, compat),
    };
  }

  windowIs(window: number): void {
    this.window = window;
    this.isWindowKnown = true;
  }

  /** Somebody is finding it out; requests wait a moment for that. */
  askingWindow(asked: Promise<number | undefined>): void {
    this.#windowAsked = asked.then((window) => {
      if (window !== undefined && !this.isWindowKnown) this.windowIs(window);
      this.#windowAsked = undefined;
    });
  }

  async windowSettled(signal: AbortSignal): Promise<void> {
    if (this.#windowAsked === undefined) return;
    const given = AbortSignal.any([signal, AbortSignal.timeout(WINDOW_WAIT_MS)]);
    const late = Promise.withResolvers<void>();
    given.addEventListener("abort", () => late.resolve(), { once: true });
    await Promise.race([this.#windowAsked, late.promise]);
  }

  get host(): string {
    return this.endpoint.url.host;
  }

  /** In a fixed order of members: servers cache what begins alike. */
  body(messages: JsonObject[], tools: JsonObject[] | undefined, wrapsUp: boolean): JsonObject {
    const { settings } = this;
    const { compat } = this.endpoint;
    const useTools = settings.tools && compat.tools === "native" && !(wrapsUp && compat.toolChoice === "omit");
    const offered = useTools ? tools : undefined;
    const streams = settings.stream;
    const { maxTokens, temperature, topP, stop, seed } = settings;
    const body: JsonObject = {
      model: this.wire,
      messages,
      ...(offered ? { tools: offered } : {}),
      ...(offered && wrapsUp ? { tool_choice: "none" } : {}),
      ...(offered && compat.callsPerTurn === "one" ? { parallel_tool_calls: false } : {}),
      ...(maxTokens === undefined ? {} : { [compat.tokenParam]: maxTokens }),
      ...(temperature === undefined || compat.temperature === "omit" ? {} : { temperature }),
      ...(topP === undefined ? {} : { top_p: topP }),
      ...(stop === undefined || stop.length === 0 ? {} : { stop: [...stop] }),
      ...(seed === undefined ? {} : { seed }),
      stream: streams,
      ...(streams && compat.streamOptions === "send" ? { stream_options: { include_usage: true } } : {}),
    };
    for (const [key, value] of Object.entries(settings.extraBody)) {
      if (!["messages", "tools", "stream"].includes(key)) body[key] = value as Json;
    }
    return body;
  }

  /** Names the server offers. */
  async offered(fetch: HttpFetch, signal: AbortSignal = AbortSignal.timeout(3000)): Promise<string[]> {
    const url = new URL(String(this.endpoint.url).replace(/chat\/completions$/, "models"));
    const response = await fetch(url, { headers: await this.endpoint.headers(), signal });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    const body: unknown = await response.json();
    const data = isObject(body) && Array.isArray(body["data"]) ? body["data"] : [];
    return data.flatMap((one) => (isObject(one) && typeof one["id"] === "string" ? [one["id"]] : []));
  }
}

/** For the state file and the settings: the names people write. */
export function compatToSettings(compat: Partial<Compat>): Record<string, string> {
  const written: Record<string, string> = {};
  for (const [name, { key }] of Object.entries(COMPAT_SETTINGS)) {
    const value = compat[key];
    if (value !== undefined && value !== DEFAULT_COMPAT[key]) written[name] = value;
  }
  return written;
}

function pinnedBy(settings: ModelSettings, useToolRole: boolean | "auto"): Partial<Compat> {
  const pinned: Record<string, string> = useToolRole === "auto" ? {} : { toolRole: useToolRole ? "tool" : "prefix" };
  if (settings.compat === "auto") return pinned;
  const written = Object.fromEntries(
    Object.entries(settings.compat).flatMap(([key, value]) =>
      value === undefined ? [] : [[snake(key), key === "emptyContent" && value === "" ? "empty" : value]],
    ),
  );
  return { ...pinned, ...compatFrom(written) };
}

async function headersOf(settings: ModelSettings, context: ModelContext): Promise<Record<string, string>> {
  const key = await keyOf(settings, context);
  if (key !== undefined) context.onSecret(key);
  return {
    "content-type": "application/json",
    accept: "text/event-stream, application/json",
    "user-agent": `aish/${context.version}`,
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...settings.headers,
  };
}

async function keyOf(settings: ModelSettings, context: ModelContext): Promise<string | undefined> {
  if (settings.key !== undefined) return settings.key;
  if (settings.keyEnv !== undefined) {
    const value = context.env[settings.keyEnv];
    if (value === undefined || value === "") throw new Error(`the variable ${settings.keyEnv} is not set`);
    return value;
  }
  if (settings.keyCmd !== undefined) return (await context.runKeyCommand(settings.keyCmd)).trim();
  return undefined;
}

function keySourceOf(settings: ModelSettings): string | undefined {
  if (settings.key !== undefined) return "the settings file";
  return settings.keyEnv ?? (settings.keyCmd === undefined ? undefined : `the command ${settings.keyCmd[0] ?? ""}`);
}

function snake(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
