// Serving over HTTP, and checking who calls.
export { createJwtVerifier } from "./auth/jwt-verifier.ts";
export { createResourceServer } from "./auth/resource-server.ts";
export type { Admission, ResourceServer, ResourceServerOptions } from "./auth/resource-server.ts";
export { createStaticTokenVerifier } from "./auth/static-tokens.ts";
export type { TokenVerifier, VerifiedToken } from "./auth/verified-token.ts";
export { createHttpHandler } from "./http/http-handler.ts";
export type { HttpEndpoint, HttpOptions } from "./http/http-handler.ts";
export { serveHttp } from "./http/http-listener.ts";
export type { Listening, ListenOptions } from "./http/http-listener.ts";
