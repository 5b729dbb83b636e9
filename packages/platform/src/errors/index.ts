// The one error class of this library: what a caller can only pass up, with a code that stays the same.

export type BosunErrorCode =
  | "SETTINGS" // a settings file cannot be used; the message carries file, line and column
  | "UNSAFE_FILE" // a state or settings file that others could have planted or can change
  | "STORE" // a state file exists but does not hold what it should
  | "AUDIT" // the audit log cannot be written: nothing may run unrecorded
  | "LIMIT"; // a bound of this library was exceeded

export class BosunError extends Error {
  readonly code: BosunErrorCode;
  constructor(code: BosunErrorCode, message: string) {
    super(message);
    this.name = "BosunError";
    this.code = code;
  }
}
/** ENOENT and its like of a failed system call; UNKNOWN of anything else. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "UNKNOWN";
}
