// Host names and addresses, validated once.
export { httpUrl, isLoopback } from "./host-name.ts";
