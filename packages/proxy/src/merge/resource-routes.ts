// Which server a resource belongs to: the one that listed it, or whose template it fits, or else the first that has it.
import { INVALID_PARAMS, isObject, RpcError } from "@bosun/mcp/server";
import type { Call, Json, JsonObject, RawJson } from "@bosun/mcp/server";
import { parseExactly } from "@bosun/platform/json";
import type { Backend } from "../servers/backend.ts";
import { askInTurn } from "./ask-in-turn.ts";
import { rewriteCall } from "../messages/rewrite-call.ts";
import { editMembers, jsonOf } from "../messages/message-json.ts";
import { serverInUri, clientUris, uriWithServer } from "./client-names.ts";

type ServerUri = { backend: Backend; uri: string };

export class ResourceRoutes {
  private readonly backends: readonly Backend[];
  private resources = new Map<string, ServerUri>();
  private templates = new Map<string, ServerUri>();

  constructor(backends: readonly Backend[]) {
    this.backends = backends;
  }

  listed(lists: readonly [Backend, JsonObject[]][]): JsonObject[] {
    this.resources = clientUris(
      lists.map(([backend, items]) => ({ backend, uris: items.map(({ uri }) => String(uri)) })),
    );
    for (const backend of this.backends) {
      backend.clientUri = (uri) => {
        const apart = uriWithServer(backend, uri);
        return this.resources.has(apart) ? apart : uri;
      };
    }
    return renamed(lists, this.resources, "uri");
  }

  templatesListed(lists: readonly [Backend, JsonObject[]][]): JsonObject[] {
    this.templates = clientUris(
      lists.map(([backend, items]) => ({ backend, uris: items.map(({ uriTemplate }) => String(uriTemplate)) })),
    );
    return renamed(lists, this.templates, "uriTemplate");
  }

  async request(call: Call, path: readonly string[]): Promise<JsonObject | RawJson> {
    const wanted = path.reduce<Json | undefined>(
      (value, key) => (isObject(value) ? value[key] : undefined),
      call.params,
    );
    if (typeof wanted !== "string") throw new RpcError(INVALID_PARAMS, `${path.join(".")} must be a string`);
    const found = this.find(wanted);
    if (!found) return askInTurn(this.backends, call, "no server has this resource");
    const result = await found.backend.request(rewriteCall(call, path, found.uri));
    return found.uri === wanted ? result : withUri(jsonOf(result), found.uri, wanted);
  }

  byServer(uris: readonly string[]): Map<Backend, string[]> {
    const routed = new Map<Backend, string[]>();
    for (const wanted of uris) {
      const found = this.find(wanted);
      const backends = found ? [found.backend] : this.backends;
      for (const backend of backends) routed.set(backend, [...(routed.get(backend) ?? []), found?.uri ?? wanted]);
    }
    return routed;
  }

  private find(wanted: string): ServerUri | undefined {
    return (
      this.resources.get(wanted) ??
      this.templates.get(wanted) ??
      serverInUri(wanted, this.backends) ??
      this.byTemplate(wanted)
    );
  }

  /** By what stands before the first blank to fill in; the longest fits best. */
  private byTemplate(wanted: string): ServerUri | undefined {
    let best: { length: number; backend: Backend } | undefined;
    for (const [shown, { backend }] of this.templates) {
      const fixed = shown.slice(0, shown.indexOf("{") === -1 ? undefined : shown.indexOf("{"));
      if (wanted.startsWith(fixed) && fixed.length > (best?.length ?? 0)) best = { length: fixed.length, backend };
    }
    return best && { backend: best.backend, uri: wanted };
  }
}

function renamed(
  lists: readonly [Backend, JsonObject[]][],
  resources: Map<string, ServerUri>,
  member: string,
): JsonObject[] {
  return [...resources].flatMap(([shown, { backend, uri }]) => {
    const item = lists.find(([one]) => one === backend)?.[1].find((listed) => listed[member] === uri);
    return item ? [{ ...item, [member]: shown }] : [];
  });
}

function withUri(text: string, uri: string, shown: string): RawJson {
  const { contents } = parseExactly(text) as JsonObject;
  if (!Array.isArray(contents)) return editMembers(text, [], {});
  const put = contents.map((content) =>
    isObject(content) && content["uri"] === uri ? { ...content, uri: shown } : content,
  );
  return editMembers(text, [], { contents: put });
}
