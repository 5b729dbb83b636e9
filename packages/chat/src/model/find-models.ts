// Models without settings: at an address that was given, where the usual variables point, or on the usual ports of this
// machine.
import { isObject } from "@bosun/mcp";
import type { HttpFetch } from "@bosun/mcp";

export type FoundServer = {
  /** For the person: "Ollama", "OPENAI_BASE_URL". */
  program: string;
  baseUrl: string;
  models: string[];
  /** The variable with its key. */
  keyEnv?: string;
};

type Env = Readonly<Record<string, string | undefined>>;

const USUAL: readonly { program: string; port: number }[] = [
  { program: "llama.cpp", port: 8080 },
  { program: "Ollama", port: 11434 },
  { program: "LM Studio", port: 1234 },
  { program: "vLLM", port: 8000 },
];
const OPENAI = "https://api.openai.com/v1";
/** Whoever is on this machine answers at once; a first start does not wait for others. */
const LOCAL_WAIT_MS = 150;
const REMOTE_WAIT_MS = 5000;

/** What an address, a variable or a port names; the first of these that has a model. Nothing is sent but a request for the list. */
export async function findServers(fetch: HttpFetch, env: Env, usual = USUAL): Promise<FoundServer[]> {
  const named = await serversOfVariables(fetch, env);
  if (named.length > 0) return named;
  const local = await Promise.all(
    usual.map(({ program, port }) => listAt(fetch, program, `http://127.0.0.1:${port}/v1`)),
  );
  const found = local.filter((server) => server !== undefined);
  if (found.length > 0 || !env["OPENAI_API_KEY"]) return found;
  const openai = await listAt(fetch, "OPENAI_API_KEY", OPENAI, env, "OPENAI_API_KEY");
  return openai === undefined ? [] : [openai];
}

/** `-m http://…`: with or without `/v1`. */
export function baseUrlOf(address: string): string {
  const url = new URL(address);
  return url.pathname === "/" ? `${url.origin}/v1` : address.replace(/\/+$/, "").replace(/\/chat\/completions$/, "");
}

export async function serverAt(fetch: HttpFetch, address: string, env: Env): Promise<FoundServer | undefined> {
  const baseUrl = baseUrlOf(address);
  // A key goes only to where its owner said it belongs.
  const ownBase = env["OPENAI_BASE_URL"] || OPENAI;
  const isKeysHome = env["OPENAI_API_KEY"] !== undefined && new URL(ownBase).origin === new URL(baseUrl).origin;
  return listAt(fetch, new URL(baseUrl).host, baseUrl, env, isKeysHome ? "OPENAI_API_KEY" : undefined);
}

async function serversOfVariables(fetch: HttpFetch, env: Env): Promise<FoundServer[]> {
  const asked: Promise<FoundServer | undefined>[] = [];
  const base = env["OPENAI_BASE_URL"] ?? "";
  if (URL.canParse(base)) {
    asked.push(
      listAt(fetch, "OPENAI_BASE_URL", baseUrlOf(base), env, env["OPENAI_API_KEY"] ? "OPENAI_API_KEY" : undefined),
    );
  }
  const ollama = ollamaUrl(env["OLLAMA_HOST"] ?? "");
  if (ollama !== undefined) asked.push(listAt(fetch, "Ollama", ollama, env));
  return (await Promise.all(asked)).filter((server) => server !== undefined);
}

/** As Ollama reads its own variable: host, port or both, with or without a scheme; 0.0.0.0 is where it listens, not where it is. */
function ollamaUrl(written: string): string | undefined {
  if (written === "") return undefined;
  const address = /^https?:\/\//.test(written)
    ? written
    : `http://${written.startsWith(":") ? `127.0.0.1${written}` : written}`;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.port === "" && !/:\d+\/?$/.test(address) && url.protocol === "http:") url.port = "11434";
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  return `${url.origin}/v1`;
}

async function listAt(
  fetch: HttpFetch,
  program: string,
  baseUrl: string,
  env?: Env,
  keyEnv?: string,
): Promise<FoundServer | undefined> {
  const key = keyEnv === undefined ? undefined : env?.[keyEnv];
  try {
    const response = await fetch(`${baseUrl}/models`, {
      signal: AbortSignal.timeout(env === undefined ? LOCAL_WAIT_MS : REMOTE_WAIT_MS),
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    });
    if (!response.ok) return undefined;
    const models = conversational(idsIn(await response.json()));
    return models.length === 0 ? undefined : { program, baseUrl, models, ...(keyEnv === undefined ? {} : { keyEnv }) };
  } catch {
    return undefined; // nobody is there, which is the usual case at most ports
  }
}

function idsIn(body: unknown): string[] {
  const data = isObject(body) && Array.isArray(body["data"]) ? body["data"] : [];
  return data.flatMap((one) => (isObject(one) && typeof one["id"] === "string" && one["id"] !== "" ? [one["id"]] : []));
}

// Lists hold everything a provider has. What is no model to talk to is left out; a small one that is meant for talking is
// offered first.
function conversational(ids: readonly string[]): string[] {
  const talking = ids.filter(
    (id) => !/embed|whisper|tts|audio|realtime|dall-e|image|moderation|transcribe|rerank|sora/i.test(id),
  );
  const first = talking
    .filter((id) => /^gpt-\d[\w.]*-mini$/.test(id))
    .sort()
    .reverse();
  return [...new Set([...first, ...talking])];
}
