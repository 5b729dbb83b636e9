// The one error class of this package: what a caller can only pass up.

export type NetworkErrorCode =
  | "START_FAILED" // the gate did not start: the command must not run
  | "CLOSED"; // the session is over

export class NetworkError extends Error {
  readonly code: NetworkErrorCode;

  constructor(code: NetworkErrorCode, message: string) {
    super(message);
    this.name = "NetworkError";
    this.code = code;
  }
}
