// resources/*: listing, templates, reading, and the legacy subscriptions to single resources.
import type { Call } from "./call.ts";
import type { ResourceContents } from "../wire/content.ts";
import type { Context } from "./context.ts";
import type { Json, JsonObject } from "../wire/json-value.ts";
import type { Methods } from "./method-table.ts";
import { pageOf, withCursor } from "./pagination.ts";
import { describedAs } from "./resource.ts";
import type { Resource, ResourceTemplate } from "./resource.ts";
import { atLeast, isModern } from "../wire/revisions.ts";
import { INVALID_PARAMS, RESOURCE_NOT_FOUND, RpcError } from "../wire/rpc-error.ts";
import { uriTemplate } from "./uri-template.ts";
import type { UriTemplate } from "./uri-template.ts";

export type ResourceSet = { resources: readonly Resource[]; templates: readonly ResourceTemplate[] };
/** Runs a handler with what it needs besides its arguments. */
export type InContext = <T>(call: Call, run: (context: Context) => Promise<T> | T) => Promise<T>;
type Subscriptions = { add(call: Call, uri: string): void; remove(call: Call, uri: string): void };

export function resourceMethods(
  current: () => ResourceSet,
  inContext: InContext,
  subscriptions: Subscriptions,
  pageSize: number,
): Methods {
  const compiled = new WeakMap<ResourceTemplate, UriTemplate>();
  const matcher = (template: ResourceTemplate): UriTemplate => {
    let made = compiled.get(template);
    if (!made) compiled.set(template, (made = uriTemplate(template.uriTemplate)));
    return made;
  };

  async function read(uri: string, context: Context): Promise<ResourceContents[] | undefined> {
    const { resources, templates } = current();
    const resource = resources.find((candidate) => candidate.uri === uri);
    if (resource) return resource.read(context);
    for (const template of templates) {
      const variables = matcher(template).match(uri);
      const contents = variables && (await template.read(uri, variables, context));
      if (contents) return contents;
    }
    return undefined;
  }

  return {
    "resources/list": {
      era: "both",
      cacheable: true,
      run(call) {
        const page = pageOf("resources", current().resources, ({ uri }) => uri, call.params["cursor"], pageSize);
        return withCursor({ resources: page.items.map((item) => listed(item, call)) }, page);
      },
    },
    "resources/templates/list": {
      era: "both",
      cacheable: true,
      run(call) {
        const { templates } = current();
        const page = pageOf("templates", templates, (item) => item.uriTemplate, call.params["cursor"], pageSize);
        return withCursor({ resourceTemplates: page.items.map((item) => listed(item, call)) }, page);
      },
    },
    "resources/read": {
      era: "both",
      cacheable: true,
      async run(call) {
        const uri = uriOf(call);
        const contents = await inContext(call, (context) => read(uri, context));
        if (!contents) throw notFound(call, uri);
        return { contents: contents as Json[] };
      },
    },
    "resources/subscribe": {
      era: "legacy",
      run(call) {
        subscriptions.add(call, uriOf(call));
        return {};
      },
    },
    "resources/unsubscribe": {
      era: "legacy",
      run(call) {
        subscriptions.remove(call, uriOf(call));
        return {};
      },
    },
  };
}

function listed(item: Resource | ResourceTemplate, call: Call): JsonObject {
  const wire = describedAs(item, atLeast(call.revision, "2025-06-18"), atLeast(call.revision, "2025-11-25"));
  if ("uri" in item) wire["uri"] = item.uri;
  else wire["uriTemplate"] = item.uriTemplate;
  if (item.mimeType !== undefined) wire["mimeType"] = item.mimeType;
  if (item.annotations !== undefined) wire["annotations"] = item.annotations;
  if ("size" in item && item.size !== undefined) wire["size"] = item.size;
  return wire;
}

function uriOf(call: Call): string {
  const uri = call.params["uri"];
  if (typeof uri !== "string" || uri === "") throw new RpcError(INVALID_PARAMS, "uri must be a string");
  return uri;
}

function notFound(call: Call, uri: string): RpcError {
  return new RpcError(isModern(call.revision) ? INVALID_PARAMS : RESOURCE_NOT_FOUND, "resource not found", { uri });
}
