// The models there are: configured ones, and, when none is, those that already run on this machine.
import { readSettings } from "@bosun/settings";
import type { ModelSettings, Settings } from "@bosun/settings";
import type { HttpFetch } from "@bosun/mcp";
import { StartupError } from "../exit.ts";
import { keepsToolResults, sawToolResult } from "./check-template.ts";
import { DEMO_URL } from "./demo-model.ts";
import { askWindow, findModels } from "./local-models.ts";
import { Model } from "./model.ts";
import type { ModelContext } from "./model.ts";

export type ModelListOptions = {
  settings: Settings;
  context: ModelContext;
  fetch: HttpFetch;
  say: (text: string) => void;
  /** Ports to look at instead of the usual ones. */
  usual?: Parameters<typeof findModels>[1];
};

export class ModelList {
  readonly #options: ModelListOptions;
  readonly #found: Record<string, ModelSettings> = {};

  constructor(options: ModelListOptions) {
    this.#options = options;
  }

  all(): Readonly<Record<string, ModelSettings>> {
    return { ...this.#found, ...this.#options.settings.models };
  }

  get(name: string): Model | undefined {
    const settings = this.all()[name];
    return settings === undefined ? undefined : new Model(name, settings, this.#options.context);
  }

  /** The one to begin with. Throws when there is none. */
  async choose(wish: string | undefined): Promise<Model> {
    const { settings } = this.#options;
    const wanted = wish ?? settings.defaultModel ?? Object.keys(settings.models)[0];
    const configured = wanted === undefined ? undefined : this.get(wanted);
    if (configured !== undefined) return this.#learnAbout(configured);
    // Nothing is configured, or something else was named: look who is there.
    const names = await this.#look();
    const name = wanted ?? names[0];
    const found = name === undefined ? undefined : this.get(name);
    if (found !== undefined) return this.#learnAbout(found);
    const known = Object.keys(this.all());
    if (wanted !== undefined) {
      const others = known.length === 0 ? "" : ` (there are: ${known.join(", ")})`;
      throw new StartupError(`there is no model called "${wanted}"${others}`);
    }
    throw new StartupError(
      "no model is configured, and none was found on this machine (llama.cpp, Ollama, LM Studio, vLLM). Put one into the settings, or look around with --demo; aish --help shows how",
    );
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
    if (!model.isWindowKnown) {
      void askWindow(this.#options.fetch, model.settings.baseUrl, model.wire).then((window) => {
        if (window !== undefined) model.window = window;
      });
    }
    return model;
  }

  async #look(): Promise<string[]> {
    const found = await findModels(this.#options.fetch, this.#options.usual);
    for (const { baseUrl, model } of found) {
      this.#found[model] = modelTable(`base_url = ${JSON.stringify(baseUrl)}\nmodel = ${JSON.stringify(model)}\n`);
    }
    const [first] = found;
    const names = found.map(({ model }) => model);
    if (first !== undefined) {
      this.#options.say(`found ${first.program} at ${first.baseUrl}: ${names.slice(0, 6).join(", ")}`);
    }
    return names;
  }
}

// Through the settings' own reader, so that every default is the documented one.
function modelTable(text: string): ModelSettings {
  const made = readSettings("found", `[models.x]\n${text}`).models["x"];
  if (made === undefined) throw new StartupError("a model that was found cannot be used");
  return made;
}
