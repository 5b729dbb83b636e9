// Public names of @bosun/shrink.
export { countTokens } from "./tokens/count.ts";
