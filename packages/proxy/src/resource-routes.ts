// Which server a resource belongs to: the one that listed it, or whose template it fits, or else the first that has it.
import { INVALID_PARAMS, isObject, RpcError } from "@bosun/mcp/server";
import type { Call, Json, JsonObject, RawJson } from "@bosun/mcp/server";
import { parseExactly } from "@bosun/mcp/relay";
import type { Backend } from "./backend.ts";
import { firstAnswer } from "./first-answer.ts";
import { readdressed } from "./readdressed.ts";
import { rebuilt, textOf } from "./rebuilt.ts";
import { serverInUri, shownUris, uriWithServer } from "./shown-names.ts";

type Place = { backend: Backend; uri: string };

export class ResourceRoutes {
  private readonly backends: readonly Backend[];
  private places = new Map<string, Place>();
  private templates = new Map<string, Place>();

  constructor(backends: readonly Backend[]) {
    this.backends = backends;
  }

  listed(lists: readonly [Backend, JsonObject[]][]): JsonObject[] {
    this.places = shownUris(lists.map(([backend, items]) => ({ backend, uris: items.map(({ uri }) => String(uri)) })));
    for (const backend of this.backends) {
      backend.shownUri = (uri) => {
        const apart = uriWithServer(backend, uri);
        return this.places.has(apart) ? apart : uri;
      };
    }
    return renamed(lists, this.places, "uri");
  }

  templatesListed(lists: readonly [Backend, JsonObject[]][]): JsonObject[] {
    this.templates = shownUris(
      lists.map(([backend, items]) => ({ backend, uris: items.map(({ uriTemplate }) => String(uriTemplate)) })),
    );
    return renamed(lists, this.templates, "uriTemplate");
  }

  async handle(call: Call, path: readonly string[]): Promise<JsonObject | RawJson> {
    const wanted = path.reduce<Json | undefined>(
      (value, key) => (isObject(value) ? value[key] : undefined),
      call.params,
    );
    if (typeof wanted !== "string") throw new RpcError(INVALID_PARAMS, `${path.join(".")} must be a string`);
    const place = this.find(wanted);
    if (!place) return firstAnswer(this.backends, call, "no server has this resource");
    const result = await place.backend.handle(readdressed(call, path, place.uri));
    return place.uri === wanted ? result : withUri(textOf(result), place.uri, wanted);
  }

  byServer(uris: readonly string[]): Map<Backend, string[]> {
    const routed = new Map<Backend, string[]>();
    for (const wanted of uris) {
      const place = this.find(wanted);
      const backends = place ? [place.backend] : this.backends;
      for (const backend of backends) routed.set(backend, [...(routed.get(backend) ?? []), place?.uri ?? wanted]);
    }
    return routed;
  }

  private find(wanted: string): Place | undefined {
    return (
      this.places.get(wanted) ??
      this.templates.get(wanted) ??
      serverInUri(wanted, this.backends) ??
      this.byTemplate(wanted)
    );
  }

  /** By what stands before the first blank to fill in; the longest fits best. */
  private byTemplate(wanted: string): Place | undefined {
    let best: { length: number; backend: Backend } | undefined;
    for (const [shown, { backend }] of this.templates) {
      const fixed = shown.slice(0, shown.indexOf("{") === -1 ? undefined : shown.indexOf("{"));
      if (wanted.startsWith(fixed) && fixed.length > (best?.length ?? 0)) best = { length: fixed.length, backend };
    }
    return best && { backend: best.backend, uri: wanted };
  }
}

function renamed(lists: readonly [Backend, JsonObject[]][], places: Map<string, Place>, member: string): JsonObject[] {
  return [...places].flatMap(([shown, { backend, uri }]) => {
    const item = lists.find(([one]) => one === backend)?.[1].find((listed) => listed[member] === uri);
    return item ? [{ ...item, [member]: shown }] : [];
  });
}

function withUri(text: string, uri: string, shown: string): RawJson {
  const { contents } = parseExactly(text) as JsonObject;
  if (!Array.isArray(contents)) return rebuilt(text, [], {});
  const put = contents.map((content) =>
    isObject(content) && content["uri"] === uri ? { ...content, uri: shown } : content,
  );
  return rebuilt(text, [], { contents: put });
}
