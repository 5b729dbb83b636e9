// Host names and addresses, validated once.
export { httpUrl, isLoopback, normaliseHost } from "./host-name.ts";
export { reachOf } from "./host-reach.ts";
export type { Reach } from "./host-reach.ts";
