// The one error of the OAuth code: what went wrong, as a stable code a caller can branch on.

export type AuthorizationErrorCode =
  | "unsafe_url"
  | "network"
  | "redirect_refused"
  | "response_too_large"
  | "bad_document"
  | "no_metadata"
  | "resource_mismatch"
  | "issuer_mismatch"
  | "pkce_unsupported"
  | "no_client_identity"
  | "registration_refused"
  | "interaction_failed"
  | "redirect_mismatch"
  | "state_mismatch"
  | "iss_mismatch"
  | "authorization_denied"
  | "token_refused"
  | "bad_token_reply"
  | "dpop_required"
  | "bad_key"
  | "bad_configuration";

export class AuthorizationError extends Error {
  readonly code: AuthorizationErrorCode;
  /** The `error` an authorization server answered with, such as `invalid_grant`. */
  readonly oauthError: string | undefined;

  constructor(code: AuthorizationErrorCode, message: string, oauthError?: string) {
    super(message);
    this.name = "AuthorizationError";
    this.code = code;
    this.oauthError = oauthError;
  }
}

/** Text from a foreign server, fit for a message: one line, bounded, without what could move a cursor. */
export function quoteForeign(text: string): string {
  const visible = text.slice(0, 300).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?");
  return JSON.stringify(visible);
}
