// The models there are: configured ones, and, when none is, those that are found.
import { readSettings } from "@bosun/settings";
import type { ModelSettings, Settings } from "@bosun/settings";
import type { HttpFetch } from "@bosun/mcp";
import { httpUrl } from "@bosun/platform/hosts";
import { StartupError } from "../exit.ts";
import { keepsToolResults, sawToolResult } from "./check-template.ts";
import { DEMO_URL } from "./demo-model.ts";
import { askWindow } from "./context-window-size.ts";
import { baseUrlOf, findServers, serverAt } from "./find-models.ts";
import type { FoundServer } from "./find-models.ts";
import { Model } from "./model.ts";
import type { ModelContext } from "./model.ts";

export type ModelListOptions = {
  settings: Settings;
  context: ModelContext;
  fetch: HttpFetch;
  say: (text: string) => void;
  /** Ports to look at instead of the usual ones. */
  usual?: Parameters<typeof findServers>[2];
};

const MOST_NAMED = 12;

/** Nothing to talk to yet. */
export class NoModel extends StartupError {
  /** What a person can do about it. */
  readonly advice: readonly string[] = [
    "any of these will do:",
    "  a model on this machine: start Ollama, llama.cpp (llama-server), LM Studio or vLLM; it is found by itself",
    "  a key: export OPENAI_API_KEY=…  (and OPENAI_BASE_URL for another provider)",
    "  an address: bosun chat -m http://127.0.0.1:8080/v1",
    '  the settings: [models.NAME] with base_url = "…" in ~/.config/bosun/config.toml',
    "  none at all: bosun chat --demo shows what it is like",
  ];

  constructor() {
    super("there is no model to talk to yet");
  }
}

export class ModelList {
  readonly #options: ModelListOptions;
  readonly #found: Record<string, ModelSettings> = {};

  constructor(options: ModelListOptions) {
    this.#options = options;
  }

  all(): Readonly<Record<string, ModelSettings>> {
    return { ...this.#found, ...this.#options.settings.models };
  }

  /** One to switch to. */
  select(name: string): Model | undefined {
    const model = this.get(name);
    return model === undefined ? undefined : this.#learnAbout(model);
  }

  get(name: string): Model | undefined {
    const settings = this.all()[name];
    return settings === undefined ? undefined : new Model(name, settings, this.#options.context);
  }

  /** The one to begin with: by its name or address, else what is configured, else what is found. Throws when there is none. */
  async choose(wish: string | undefined): Promise<Model> {
    const { settings } = this.#options;
    const wanted = wish ?? settings.defaultModel ?? Object.keys(settings.models)[0];
    if (wanted !== undefined && isAddress(wanted)) return this.#learnAbout(await this.#atAddress(wanted));
    const configured = wanted === undefined ? undefined : this.get(wanted);
    if (configured !== undefined) return this.#learnAbout(configured);
    const names = await this.#look();
    const name = wanted ?? names[0];
    const found = name === undefined ? undefined : this.get(name);
    if (found !== undefined) return this.#learnAbout(found);
    if (wanted === undefined) throw new NoModel();
    const known = Object.keys(this.all());
    const others = known.length === 0 ? "" : ` (there are: ${known.slice(0, MOST_NAMED).join(", ")})`;
    throw new StartupError(`there is no model called "${wanted}"${others}`);
  }

  async #atAddress(address: string): Promise<Model> {
    const { fetch, context } = this.#options;
    if (httpUrl(address) === undefined) throw new StartupError(`${address} is not an http address we can trust`);
    const server = await serverAt(fetch, address, context.env);
    const [name] = server === undefined ? [] : this.#add(server);
    const model = name === undefined ? undefined : this.get(name);
    if (model === undefined)
      throw new StartupError(
        `no list of models at ${baseUrlOf(address)}/models; is it running, and does it want a key? (key_env in the settings)`,
      );
    return model;
  }

  /** The script inside the program; on the shelf only when it was asked for. */
  demo(isOffered: boolean): Model {
    const settings = modelTable(`base_url = "${DEMO_URL}"\ncontext_window = 32768\n`);
    if (isOffered) this.#found["demo"] = settings;
    return new Model("demo", settings, this.#options.context);
  }

  /** Whether tool results get through this model's template; when not, they go as text. */
  async checkTemplate(model: Model): Promise<boolean | undefined> {
    return this.#concluded(model, await keepsToolResults(this.#options.fetch, model.settings.baseUrl));
  }

  /** The same with one request to the model. */
  async probe(model: Model, signal: AbortSignal): Promise<boolean | undefined> {
    return this.#concluded(model, await sawToolResult(model, this.#options.fetch, signal));
  }

  #concluded(model: Model, keeps: boolean | undefined): boolean | undefined {
    const { compat, pinned, onLearnt } = model.endpoint;
    if (keeps === false && compat.toolRole === "tool" && !("toolRole" in pinned)) {
      compat.toolRole = "prefix";
      onLearnt(compat);
      this.#options.say(`${model.name}: its template drops tool results; they go as text`);
    }
    return keeps;
  }

  // In the background: the first question does not wait for it.
  #learnAbout(model: Model): Model {
    if (!("toolRole" in model.endpoint.pinned)) void this.checkTemplate(model);
    if (!model.isWindowKnown) model.askingWindow(this.#askWindow(model));
    return model;
  }

  async #askWindow(model: Model): Promise<number | undefined> {
    try {
      const { settings, wire, endpoint } = model;
      const served = { baseUrl: settings.baseUrl, model: wire, headers: await endpoint.headers() };
      const window = await askWindow(this.#options.fetch, served);
      if (window === undefined && !model.isWindowKnown) {
        this.#options.say(
          `${model.name}: nobody says how large its context window is; ${model.window} tokens are assumed (context_window in the settings)`,
        );
      }
      return window;
    } catch {
      return undefined; // no key: the first question says so
    }
  }

  async #look(): Promise<string[]> {
    const { fetch, context, usual, say } = this.#options;
    const servers = await findServers(fetch, context.env, usual);
    const names = servers.flatMap((server) => this.#add(server));
    const [first] = servers;
    if (first !== undefined) say(`found ${first.program} at ${first.baseUrl}: ${names.slice(0, 6).join(", ")}`);
    return names;
  }

  #add({ baseUrl, models, keyEnv }: FoundServer): string[] {
    for (const model of models) {
      const key = keyEnv === undefined ? "" : `key_env = "${keyEnv}"\n`;
      this.#found[model] = modelTable(
        `base_url = ${JSON.stringify(baseUrl)}\nmodel = ${JSON.stringify(model)}\n${key}`,
      );
    }
    return models;
  }
}

function isAddress(wish: string): boolean {
  return /^https?:\/\//i.test(wish);
}

// Through the settings' own reader, so that every default is the documented one.
function modelTable(text: string): ModelSettings {
  const made = readSettings("found", `[models.x]\n${text}`).models["x"];
  if (made === undefined) throw new StartupError("a model that was found cannot be used");
  return made;
}
