// A server whose one tool answers at once with a text made before: what stands between a client and it is what is
// measured. Speaks just enough of the protocol.
import { resultOf } from "./recorded-results.ts";

const decoder = new TextDecoder();
const results = new Map<number, string>();
let held = "";
for await (const chunk of Bun.stdin.stream()) {
  held += decoder.decode(chunk, { stream: true });
  const lines = held.split("\n");
  held = lines.pop() ?? "";
  for (const line of lines) answer(JSON.parse(line) as Asked);
}

type Asked = { id?: number; method: string; params?: { arguments?: { bytes: number; turn: number } } };

function answer({ id, method, params }: Asked): void {
  if (id === undefined) return;
  process.stdout.write(`{"jsonrpc":"2.0","id":${id},${reply(method, params)}}\n`);
}

function reply(method: string, params: Asked["params"]): string {
  switch (method) {
    case "initialize":
      return '"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"text","version":"1"}}';
    case "tools/list":
      return '"result":{"tools":[{"name":"text","inputSchema":{"type":"object"}}]}';
    case "tools/call": {
      const { bytes = 0, turn = 0 } = params?.arguments ?? {};
      const key = bytes * 1000 + turn;
      const made = results.get(key) ?? JSON.stringify({ content: [{ type: "text", text: resultOf(bytes, turn) }] });
      results.set(key, made);
      return `"result":${made}`;
    }
    default:
      return '"error":{"code":-32601,"message":"unknown"}';
  }
}
