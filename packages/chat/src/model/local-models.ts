// Model servers that already run on this machine, on their usual ports: a first start needs no settings.
import { isObject } from "@bosun/mcp";
import type { HttpFetch } from "@bosun/mcp";

export type FoundModel = { program: string; baseUrl: string; model: string };

const USUAL: readonly { program: string; port: number }[] = [
  { program: "llama.cpp", port: 8080 },
  { program: "Ollama", port: 11434 },
  { program: "LM Studio", port: 1234 },
  { program: "vLLM", port: 8000 },
];
/** Whoever is on this machine answers at once; a first start does not wait for others. */
const WAIT_MS = 150;
/** In the background, and perhaps far away. */
const WINDOW_WAIT_MS = 3000;

export async function findModels(fetch: HttpFetch, usual = USUAL): Promise<FoundModel[]> {
  // Nobody at a port is the usual case.
  const found = await Promise.all(usual.map((one) => ask(fetch, one).catch(() => [])));
  return found.flat();
}

async function ask(fetch: HttpFetch, { program, port }: { program: string; port: number }): Promise<FoundModel[]> {
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const response = await fetch(`${baseUrl}/models`, { signal: AbortSignal.timeout(WAIT_MS) });
  if (!response.ok) return [];
  const body: unknown = await response.json();
  const data = isObject(body) && Array.isArray(body["data"]) ? body["data"] : [];
  return data.flatMap((one) => {
    const id = isObject(one) ? one["id"] : undefined;
    return typeof id === "string" && id !== "" ? [{ program, baseUrl, model: id }] : [];
  });
}

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
      signal: AbortSignal.timeout(WINDOW_WAIT_MS),
      headers: { ...headers },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined; // it has no such address, or is away: the window stays unknown
  }
}
