// The error class whose code callers branch on.
export { BosunError } from "./bosun-error.ts";
export { codeOf } from "./system-code.ts";
