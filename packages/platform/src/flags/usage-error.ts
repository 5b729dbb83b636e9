/** What is wrong with the command line, in words for the person who typed it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
