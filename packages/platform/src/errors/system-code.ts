/** ENOENT and its like of a failed system call; UNKNOWN of anything else. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "UNKNOWN";
}
