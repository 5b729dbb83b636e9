// A server at which a person signed in on another day, and wanted that kept: its token is used and renewed, but nobody is
// sent to a sign-in page unasked.
import { createAuthorizedFetch } from "@bosun/mcp";
import type { HttpFetch } from "@bosun/mcp";
import type { SignIns } from "../settings/saved-sign-ins.ts";
import { plainFetch } from "./open-client.ts";
import type { ServerConfig } from "./server-config.ts";

const ANY_LOOPBACK = "http://127.0.0.1/callback";

export function keptSignIn({ alias, reach }: ServerConfig, signIns: SignIns): HttpFetch | undefined {
  if (reach.kind !== "http" || reach.authToken !== undefined || reach.authEnv !== undefined) return undefined;
  const kept = signIns.keptFor(reach.url);
  if (kept === undefined) return undefined;
  return createAuthorizedFetch({
    fetch: plainFetch(reach),
    serverUrl: reach.url,
    store: signIns.store,
    registration: { clientName: "aish" },
    grant: {
      kind: "authorization_code",
      interaction: {
        redirectUri: kept.redirectUri ?? ANY_LOOPBACK,
        authorize: () => Promise.reject(new Error(`the sign-in is over; :mcp login ${alias} --keep`)),
      },
    },
  });
}
