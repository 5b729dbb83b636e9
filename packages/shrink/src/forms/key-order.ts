// The order of members: a reader does not need it, the same bytes do. Objects with the same members in the notation mostly
// had them in the same order before, so one entry serves them all.
import type { JsonNode } from "../json-syntax.ts";
import { UnfoldError } from "./form.ts";

/** For each new set of members, in the order in which they come: where each stood before, or 0 where nothing moved. */
export type KeyOrders = (readonly number[] | 0)[];

/** undefined: the two do not hold the same members, or objects that look alike had different orders. */
export function keyOrders(shown: JsonNode, original: JsonNode): KeyOrders | undefined {
  const orders = new Map<string, readonly number[] | 0>();
  return compare(shown, original, orders) ? [...orders.values()] : undefined;
}

export function withKeyOrders(shown: JsonNode, orders: KeyOrders): JsonNode {
  const rest = [...orders].reverse();
  const known = new Map<string, readonly number[] | 0>();
  const restore = (node: JsonNode): JsonNode => {
    if (node.kind === "scalar") return node;
    if (node.kind === "array") return { kind: "array", items: node.items.map(restore) };
    const signature = node.keys.join("\0");
    let order = known.get(signature);
    if (order === undefined) known.set(signature, (order = rest.pop() ?? 0));
    const values = node.values.map(restore);
    if (order === 0) return { kind: "object", keys: node.keys, values };
    if (order.length !== node.keys.length) throw new UnfoldError("the order of members is damaged");
    return {
      kind: "object",
      keys: order.map((at) => node.keys[at] ?? ""),
      values: order.map((at) => values[at] ?? { kind: "scalar", raw: "null" }),
    };
  };
  return restore(shown);
}

export function isKeyOrders(value: unknown): value is KeyOrders {
  if (!Array.isArray(value)) return false;
  return value.every((order) => order === 0 || (Array.isArray(order) && order.every((at) => Number.isSafeInteger(at))));
}

function compare(shown: JsonNode, original: JsonNode, orders: Map<string, readonly number[] | 0>): boolean {
  if (shown.kind === "scalar" || original.kind === "scalar")
    return shown.kind === "scalar" && original.kind === "scalar" && shown.raw === original.raw;
  if (shown.kind === "array" || original.kind === "array") {
    if (shown.kind !== "array" || original.kind !== "array" || shown.items.length !== original.items.length)
      return false;
    return shown.items.every((item, i) => compare(item, original.items[i] as JsonNode, orders));
  }
  if (shown.keys.length !== original.keys.length) return false;
  const order = placesOf(shown.keys, original.keys);
  if (order === undefined) return false;
  const signature = shown.keys.join("\0");
  const isSame = order.every((at, i) => at === i);
  const known = orders.get(signature);
  if (known === undefined) orders.set(signature, isSame ? 0 : order);
  else if (known === 0 ? !isSame : known.some((at, i) => at !== order[i])) return false;
  const found = new Map(order.map((at, i) => [at, i]));
  return shown.values.every((own, at) => compare(own, original.values[found.get(at) ?? -1] as JsonNode, orders));
}

// Of each key of the original: where it stands in the notation. The same key twice stands there in the same order.
function placesOf(shown: readonly string[], original: readonly string[]): number[] | undefined {
  if (shown.every((key, i) => key === original[i])) return shown.map((_, i) => i);
  const places = new Map<string, number[]>();
  for (const [i, key] of shown.entries()) {
    const own = places.get(key);
    if (own === undefined) places.set(key, [i]);
    else own.push(i);
  }
  const order = original.map((key) => places.get(key)?.shift());
  return order.every((at) => at !== undefined) ? order : undefined;
}
