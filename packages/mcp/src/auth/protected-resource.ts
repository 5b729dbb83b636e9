// Protected resource metadata (RFC 9728): which authorization servers speak for the MCP server, and what it is called.
import { AuthorizationError, quoteForeign } from "./authorization-error.ts";
import { flagField, listField, requiredText, getJson } from "./fetch-json.ts";
import type { AuthHttp, JsonObject } from "./fetch-json.ts";
import { covers, safeUrl } from "./safe-url.ts";

export type ProtectedResource = {
  /** Exactly as published: it goes back to the authorization server byte for byte. */
  resource: string;
  authorizationServers: string[];
  scopesSupported: string[] | undefined;
  dpopRequired: boolean;
};

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

/** `undefined` when the server publishes none: then it speaks 2025-03-26 and is its own authorization server. */
export async function discoverProtectedResource(
  http: AuthHttp,
  serverUrl: URL,
  announced: string | undefined,
): Promise<ProtectedResource | undefined> {
  if (announced !== undefined) {
    const location = safeUrl(announced, http.urls, "resource_metadata");
    const reply = await getJson(http, location);
    if (reply.status !== 200 || !reply.body)
      throw new AuthorizationError("no_metadata", `${location.href} holds no metadata (HTTP ${reply.status})`);
    return parseProtectedResource(reply.body, serverUrl);
  }
  for (const location of guessedLocations(serverUrl)) {
    const reply = await getJson(http, location);
    if (reply.status >= 500) throw new AuthorizationError("network", `${location.href} answered ${reply.status}`);
    // A page for people at a guessed address (many sites answer 200 to anything) is no metadata.
    if (reply.status === 200 && reply.body) return parseProtectedResource(reply.body, serverUrl);
  }
  return undefined;
}

/** Where a resource publishes its metadata: the well-known segment goes between host and path. */
export function protectedResourceLocation(resource: URL): URL {
  const path = resource.pathname === "/" ? "" : resource.pathname.replace(/\/$/, "");
  return new URL(`${resource.origin}${WELL_KNOWN}${path}${resource.search}`);
}

function guessedLocations(serverUrl: URL): URL[] {
  const own = protectedResourceLocation(serverUrl);
  const root = new URL(WELL_KNOWN, serverUrl.origin);
  return own.href === root.href ? [root] : [own, root];
}

function parseProtectedResource(document: JsonObject, serverUrl: URL): ProtectedResource {
  const resource = requiredText(document, "resource");
  const named = URL.parse(resource);
  // A token for another resource would be asked for in the user's name, and handed to this one.
  if (!named || named.hash !== "" || !covers(named, serverUrl))
    throw new AuthorizationError(
      "resource_mismatch",
      `the metadata is for ${quoteForeign(resource)}, which does not cover ${serverUrl.href}`,
    );
  const authorizationServers = listField(document, "authorization_servers") ?? [];
  if (authorizationServers.length === 0)
    throw new AuthorizationError("bad_document", "the resource metadata names no authorization server");
  return {
    resource,
    authorizationServers,
    scopesSupported: listField(document, "scopes_supported"),
    dpopRequired: flagField(document, "dpop_bound_access_tokens_required"),
  };
}
