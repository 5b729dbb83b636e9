// SHA-256 and random names.
export { randomName, sha256 } from "./sha256.ts";
