// How large the window of a model is, asked of the server that runs it.
import { isObject } from "@bosun/mcp";
import type { HttpFetch } from "@bosun/mcp";

/** In the background, and perhaps far away. */
const WAIT_MS = 3000;

export type ServedModel = { baseUrl: string; model: string; headers: Readonly<Record<string, string>> };

/**
 * What the server says of its window: llama.cpp's properties, the list of models (vLLM, OpenRouter, LM Studio), or
 * Ollama's model card; undefined when it says nothing.
 */
export async function askWindow(fetch: HttpFetch, served: ServedModel): Promise<number | undefined> {
  const { baseUrl, model, headers } = served;
  const root = baseUrl.replace(/\/v1\/?$/, "");
  const asked = [`${root}/props`, `${baseUrl.replace(/\/+$/, "")}/models`].map((url) => readJson(fetch, url, headers));
  const card = readJson(fetch, `${root}/api/show`, headers, { model });
  const [props, list] = await Promise.all(asked);
  return windowOfProps(props) ?? windowInList(list, model) ?? windowOfCard(await card);
}

function windowOfProps(props: unknown): number | undefined {
  const settings = isObject(props) ? props["default_generation_settings"] : undefined;
  return tokensOf(isObject(settings) ? settings["n_ctx"] : isObject(props) ? props["n_ctx"] : undefined);
}

function windowInList(list: unknown, model: string): number | undefined {
  const data = isObject(list) && Array.isArray(list["data"]) ? list["data"].filter(isObject) : [];
  const entry = data.find((one) => one["id"] === model) ?? (data.length === 1 ? data[0] : undefined);
  if (entry === undefined) return undefined;
  // What is loaded counts before what the model could do.
  const names = ["loaded_context_length", "max_model_len", "context_length", "context_window", "max_context_length"];
  return names.map((name) => tokensOf(entry[name])).find((tokens) => tokens !== undefined);
}

function windowOfCard(card: unknown): number | undefined {
  const info = isObject(card) ? card["model_info"] : undefined;
  if (!isObject(info)) return undefined;
  return tokensOf(Object.entries(info).find(([key]) => key.endsWith(".context_length"))?.[1]);
}

function tokensOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined;
}

async function readJson(
  fetch: HttpFetch,
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): Promise<unknown> {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.timeout(WAIT_MS),
      headers: { ...headers },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined; // it has no such address, or is away: the window stays unknown
  }
}
