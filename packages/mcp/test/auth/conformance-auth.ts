// The options that each auth/* scenario of the official conformance suite needs: what a user would have configured.
import type { AuthorizedFetchOptions } from "../../src/auth/authorized-fetch.ts";
import type { HttpFetch } from "../../src/auth/fetch-json.ts";
import type { Grant } from "../../src/auth/grants.ts";
import { isJwtAlgorithm, importSigningKey } from "../../src/auth/jwt.ts";
import { createHeadlessInteraction } from "../../src/auth/authorization-code.ts";

/** `MCP_CONFORMANCE_CONTEXT`, parsed; `{}` when it is not set. */
export type ConformanceContext = { readonly [key: string]: unknown };

type Choice = Omit<AuthorizedFetchOptions, "fetch" | "serverUrl" | "grant"> & { grant?: Grant };

/** Our own client metadata document: the suite only checks that this address is used as the client id. */
const CLIENT_METADATA_URL = "https://conformance-test.local/client-metadata.json";

export async function conformanceAuthOptions(
  scenario: string,
  context: ConformanceContext,
  fetch: HttpFetch,
  serverUrl: string,
): Promise<AuthorizedFetchOptions> {
  const withUser: Grant = { kind: "authorization_code", interaction: createHeadlessInteraction({ fetch }) };
  return { fetch, serverUrl, grant: withUser, ...(await choose(scenario, context)) };
}

async function choose(scenario: string, context: ConformanceContext): Promise<Choice> {
  const text = (key: string): string => {
    const value = context[key];
    if (typeof value !== "string") throw new Error(`${scenario}: the context has no "${key}"`);
    return value;
  };
  switch (scenario) {
    case "auth/basic-cimd":
      return { clientMetadataUrl: CLIENT_METADATA_URL };
    case "auth/pre-registration":
      return { client: { clientId: text("client_id"), clientSecret: text("client_secret"), issuer: text("issuer") } };
    case "auth/client-credentials-basic":
      return {
        grant: { kind: "client_credentials" },
        client: { clientId: text("client_id"), clientSecret: text("client_secret") },
      };
    case "auth/client-credentials-jwt": {
      const algorithm = text("signing_algorithm");
      if (!isJwtAlgorithm(algorithm)) throw new Error(`${scenario}: unknown algorithm ${algorithm}`);
      const signingKey = await importSigningKey(text("private_key_pem"), algorithm);
      return { grant: { kind: "client_credentials" }, client: { clientId: text("client_id"), signingKey } };
    }
    case "auth/wif-jwt-bearer":
      return {
        grant: { kind: "jwt_bearer", assertion: async () => text("valid_jwt") },
        client: { clientId: text("client_id") },
      };
    case "auth/enterprise-managed-authorization": {
      const idToken = text("idp_id_token");
      const identityProvider = {
        issuer: text("idp_issuer"),
        tokenEndpoint: text("idp_token_endpoint"),
        client: { clientId: text("idp_client_id") },
        idToken: async () => idToken,
      };
      return {
        grant: { kind: "enterprise_managed", identityProvider },
        client: { clientId: text("client_id"), clientSecret: text("client_secret") },
      };
    }
    default:
      return {};
  }
}
