// Serving over HTTP, and checking who calls.
export { AuthorizationError } from "./auth/authorization-error.ts";
export { createJwtVerifier } from "./auth/jwt-verifier.ts";
export { createResourceServer } from "./auth/resource-server.ts";
export type {
  Admission,
  ResourceServer,
  ResourceServerOptions,
  TokenVerifier,
  VerifiedToken,
} from "./auth/resource-server.ts";
export { createStaticTokenVerifier } from "./auth/static-tokens.ts";
export { httpFetch } from "./client/http-fetch.ts";
export { createHttpHandler } from "./http/http-handler.ts";
export type { HttpEndpoint, HttpOptions } from "./http/http-handler.ts";
export { serveHttp } from "./http/http-listener.ts";
export type { Listening, ListenOptions } from "./http/http-listener.ts";
