// JSON, and JSON line by line, as key=value and rows (json-writer.ts shows the notation).
import type { JsonNode } from "../json-syntax.ts";
import { parseDocument, printDocument, readLayout, writeLayout } from "../json-document.ts";
import { UnfoldError } from "./form.ts";
import type { Form } from "./form.ts";
import { readNotation } from "./json-reader.ts";
import { writeNotation } from "./json-writer.ts";
import { isKeyOrders, keyOrders, withKeyOrders } from "./key-order.ts";

const [WHOLE, LINES, ONE] = ["JSON ", "JSON lines ", "a JSON list of one object "];
const HOW = "as key=value; rows under a header; - is absent";

export const jsonNotation: Form = {
  name: "json",
  fold(text) {
    const document = parseDocument(text);
    if (document === undefined) return undefined;
    const { nodes, lines } = document;
    if (lines && !nodes.every(({ kind }) => kind === "object")) return undefined;
    const [only] = nodes;
    const isOne = !lines && only?.kind === "array" && only.items.length === 1 && only.items[0]?.kind === "object";
    const node = isOne ? (only.items[0] as JsonNode) : lines ? list(nodes) : (only as JsonNode);
    const body = writeNotation(node);
    const orders = ordersOf(body, node);
    if (orders === undefined) return undefined;
    const moved = orders.some((order) => order !== 0) ? orders : [];
    return {
      phrase: (isOne ? ONE : lines ? LINES : WHOLE) + HOW,
      body,
      layout: JSON.stringify([writeLayout(document), moved]),
    };
  },
  unfold({ phrase, body, layout }) {
    const parts: unknown = JSON.parse(layout ?? "null");
    if (!Array.isArray(parts) || typeof parts[0] !== "string" || !isKeyOrders(parts[1]))
      throw new UnfoldError("the order of members is missing");
    const printed = readLayout(parts[0]);
    const node = withKeyOrders(readNotation(body), parts[1]);
    const nodes = printed.lines
      ? node.kind === "array"
        ? node.items
        : []
      : [phrase.startsWith(ONE) ? list([node]) : node];
    return printDocument({ ...printed, nodes });
  },
};

function list(items: JsonNode[]): JsonNode {
  return { kind: "array", items };
}

function ordersOf(body: string, node: JsonNode): ReturnType<typeof keyOrders> {
  try {
    return keyOrders(readNotation(body), node);
  } catch (error) {
    // Keys or values that the notation cannot hold.
    if (error instanceof UnfoldError) return undefined;
    throw error;
  }
}
