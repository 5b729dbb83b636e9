// Canonical JSON, and numbers as they were written.
export { canonicalJson, digestOf } from "./canonical-json.ts";
export { exactNumberText, parseKeepingNumbers } from "./exact-number.ts";
