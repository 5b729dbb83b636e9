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

/** What the server says of its window: llama.cpp's properties or Ollama's model card; undefined when it says nothing. */
export async function askWindow(fetch: HttpFetch, baseUrl: string, model: string): Promise<number | undefined> {
  const root = baseUrl.replace(/\/v1\/?$/, "");
  const props = await readJson(fetch, `${root}/props`);
  const settings = isObject(props) ? props["default_generation_settings"] : undefined;
  const own = isObject(settings) ? settings["n_ctx"] : isObject(props) ? props["n_ctx"] : undefined;
  if (typeof own === "number" && own > 0) return own;
  const card = await readJson(fetch, `${root}/api/show`, { model });
  const info = isObject(card) ? card["model_info"] : undefined;
  const length = isObject(info)
    ? Object.entries(info).find(([key]) => key.endsWith(".context_length"))?.[1]
    : undefined;
  return typeof length === "number" && length > 0 ? length : undefined;
}

async function readJson(fetch: HttpFetch, url: string, body?: object): Promise<unknown> {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.timeout(WAIT_MS),
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined; // it has no such address, or is away: the window stays unknown
  }
}
