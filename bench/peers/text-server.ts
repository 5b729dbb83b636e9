// A server whose one tool answers at once with a text made before: what stands between a client and it is what is
// measured. Speaks just enough of the protocol.
import { CLASSES } from "./results-by-class.ts";

type Arguments = { class: string; bytes: number; turn: number; prepare?: boolean };
type Asked = { id?: number; method: string; params?: { arguments?: Arguments } };

const decoder = new TextDecoder();
const results = new Map<string, string>();
let held = "";
for await (const chunk of Bun.stdin.stream()) {
  held += decoder.decode(chunk, { stream: true });
  const lines = held.split("\n");
  held = lines.pop() ?? "";
  for (const line of lines) answer(JSON.parse(line) as Asked);
}

function answer({ id, method, params }: Asked): void {
  if (id === undefined) return;
  process.stdout.write(`{"jsonrpc":"2.0","id":${id},${reply(method, params?.arguments)}}\n`);
}

function reply(method: string, args: Arguments | undefined): string {
  switch (method) {
    case "initialize":
      return '"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"text","version":"1"}}';
    case "tools/list":
      return '"result":{"tools":[{"name":"text","inputSchema":{"type":"object"}}]}';
    case "tools/call":
      return `"result":${args ? called(args) : "{}"}`;
    default:
      return '"error":{"code":-32601,"message":"unknown"}';
  }
}

// Made when it is announced, given away once.
function called(args: Arguments): string {
  const key = `${args.class} ${args.bytes} ${args.turn}`;
  if (args.prepare) {
    const text = CLASSES[args.class]?.(args.bytes, args.turn) ?? "";
    results.set(key, JSON.stringify({ content: [{ type: "text", text }] }));
    return '{"content":[]}';
  }
  const made = results.get(key) ?? '{"content":[]}';
  results.delete(key);
  return made;
}
