// Scope lists: reading them, and choosing what to ask for (least first, more when the server says so).

/** A server that names more than this is not asking, it is filling our memory. */
const MAX_SCOPES = 200;
const SCOPE_TOKEN = /^[\u0021\u0023-\u005b\u005d-\u007e]{1,256}$/; // RFC 6749 §3.3

export type ScopeSources = {
  /** `scope` of the challenge. */
  challenged: string | undefined;
  /** `scopes_supported` of the protected resource. */
  resourceSupports: string[] | undefined;
  /** `scopes_supported` of the authorization server. */
  serverSupports: string[] | undefined;
  /** What earlier requests asked for: kept on a step-up, so that a new scope does not cost the old ones. */
  earlier: string[];
  wantsRefreshToken: boolean;
};

/** The scopes to request; none means that the parameter is left out and the server decides. */
export function chooseScopes(sources: ScopeSources): string[] {
  const named = sources.challenged === undefined ? sources.resourceSupports : parseScopes(sources.challenged);
  const wanted = unite(sources.earlier, (named ?? []).filter(isScope));
  if (wanted.length === 0) return [];
  const offline = sources.wantsRefreshToken && sources.serverSupports?.includes("offline_access") === true;
  // offline_access belongs to the authorization server: only its own list can call for it.
  const others = wanted.filter((scope) => scope !== "offline_access");
  return offline ? [...others, "offline_access"] : others;
}

export function parseScopes(text: string): string[] {
  return unite([], text.split(" ").filter(isScope));
}

export function includesAll(granted: readonly string[], needed: readonly string[]): boolean {
  return needed.every((scope) => granted.includes(scope));
}

export function isScope(scope: string): boolean {
  return SCOPE_TOKEN.test(scope);
}

function unite(first: readonly string[], second: readonly string[]): string[] {
  return [...new Set([...first, ...second])].slice(0, MAX_SCOPES);
}
