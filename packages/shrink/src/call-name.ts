// A call as its caller will remember it: the tool, and what was asked for as far as that is short.

const MAX_CHARS = 60;
const MAX_ARGUMENT_CHARS = 40;
const MAX_ARGUMENTS = 2;

/** Fit for a mark: on one line, without its closing bracket. */
export function callName(tool: string, args: unknown): string {
  const values = typeof args === "object" && args !== null && !Array.isArray(args) ? Object.values(args) : [];
  const short = values.flatMap((value: unknown) => {
    if (typeof value === "number") return String(value);
    return typeof value === "string" && value !== "" && value.length <= MAX_ARGUMENT_CHARS ? value : [];
  });
  const words = [tool, ...short.slice(0, MAX_ARGUMENTS)].join(" ");
  return words
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}[\]\s]+/gu, " ")
    .trim()
    .slice(0, MAX_CHARS)
    .trim();
}
