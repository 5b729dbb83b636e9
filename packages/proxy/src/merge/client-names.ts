// The names under which a client sees the tools, prompts and resources of several servers: their own where only one server
// has it, otherwise `alias__name`. Those of two servers are never one.
import type { Backend } from "../servers/backend.ts";

export type ServerItem = { backend: Backend; name: string };

const URI_PREFIX = "bosun://server/";

/** `reserved` are names of servers that are not there now: who comes back must not find its name in other hands. */
export function clientNames(
  offered: readonly { backend: Backend; names: readonly string[] }[],
  namespace: boolean,
  reserved: ReadonlySet<string> = new Set(),
): Map<string, ServerItem> {
  const owners = new Map<string, number>();
  for (const { names } of offered) for (const name of new Set(names)) owners.set(name, (owners.get(name) ?? 0) + 1);
  const shown = new Map<string, ServerItem>();
  for (const { backend, names } of offered) {
    for (const name of names) {
      const alone = owners.get(name) === 1 && !reserved.has(name) && !namespace;
      let clientName = alone ? name : prefixed(backend, name);
      // A server may be named so that its prefix makes another one's name.
      if (shown.has(clientName)) clientName = prefixed(backend, name);
      for (let again = 2; shown.has(clientName); again++) clientName = `${prefixed(backend, name)}_${again}`;
      shown.set(clientName, { backend, name });
    }
  }
  return shown;
}

/** Addresses of resources are kept where one server has them; otherwise the server's name stands in front. */
export function clientUris(
  offered: readonly { backend: Backend; uris: readonly string[] }[],
): Map<string, { backend: Backend; uri: string }> {
  const owners = new Map<string, number>();
  for (const { uris } of offered) for (const uri of new Set(uris)) owners.set(uri, (owners.get(uri) ?? 0) + 1);
  const shown = new Map<string, { backend: Backend; uri: string }>();
  for (const { backend, uris } of offered) {
    for (const uri of uris) shown.set(owners.get(uri) === 1 ? uri : uriWithServer(backend, uri), { backend, uri });
  }
  return shown;
}

export function uriWithServer(backend: Backend, uri: string): string {
  return `${URI_PREFIX}${encodeURIComponent(backend.name)}/${uri}`;
}

/** Undefined when it names no server. */
export function serverInUri(uri: string, backends: readonly Backend[]): { backend: Backend; uri: string } | undefined {
  if (!uri.startsWith(URI_PREFIX)) return undefined;
  const slash = uri.indexOf("/", URI_PREFIX.length);
  const name = decoded(uri.slice(URI_PREFIX.length, slash === -1 ? undefined : slash));
  const backend = backends.find((one) => one.name === name);
  return backend && slash !== -1 ? { backend, uri: uri.slice(slash + 1) } : undefined;
}

export function prefixed(backend: Backend, name: string): string {
  return `${backend.name}__${name}`;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // no name of ours is written so
  }
}
