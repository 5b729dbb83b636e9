// Host names and addresses, validated once.
export { httpUrl, isLoopback } from "./host-name.ts";
export { reachOf } from "./reach.ts";
export type { Reach } from "./reach.ts";
