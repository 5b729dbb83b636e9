// What tool lists cost a model: ours beside the peers', and a large one through the proxy.
import path from "node:path";
import { connectChild } from "@bosun/mcp/client";
import { countTokens, countToolTokens, lazyTools } from "@bosun/shrink";
import type { ToolDefinition } from "@bosun/shrink";
import { largeToolList } from "../peers/large-tool-list.ts";
import type { Row, Section } from "../report.ts";

const MAX_TOKENS = 900;
const SHARE = 0.41;

const root = path.resolve(import.meta.dir, "../..");
const bun = ["--no-env-file", "--config=/dev/null"];
const peers = path.join(root, "node_modules/@modelcontextprotocol");

export const tools: Section = {
  name: "tools",
  about: "tokens of tool lists, as an OpenAI tools array",
  async run(progress) {
    progress("listing tools");
    const main = path.join(root, "packages/cli/src/main.ts");
    const ours = await listed(process.execPath, [...bun, main, "serve", "--transport", "stdio"]);
    const filesystem = await listed("node", [path.join(peers, "server-filesystem/dist/index.js"), root]);
    const everything = await listed("node", [path.join(peers, "server-everything/dist/index.js"), "stdio"]);
    const own = asOpenAi(ours);
    const rows: Row[] = [
      {
        what: `tool list of bosun serve, ${ours.length} tools`,
        unit: "tokens",
        ours: own,
        theirs: { "filesystem server": asOpenAi(filesystem), "everything server": asOpenAi(everything) },
        target: { text: `≤ ${MAX_TOKENS}`, reached: own <= MAX_TOKENS },
      },
    ];
    const large = largeToolList();
    rows.push(compressed(`a list of ${large.length} long-winded tools`, large, SHARE));
    rows.push(compressed("the filesystem server's list", filesystem));
    return rows;
  },
};

async function listed(command: string, args: readonly string[]): Promise<ToolDefinition[]> {
  const client = await connectChild({ command, args: [...args], cwd: root }, { name: "bench", version: "1" });
  const list = await client.listTools();
  await client.close();
  return list as unknown as ToolDefinition[];
}

function asOpenAi(list: readonly ToolDefinition[]): number {
  const array = list.map(({ name, description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: inputSchema },
  }));
  return countTokens(JSON.stringify(array));
}

function compressed(what: string, list: readonly ToolDefinition[], share?: number): Row {
  const full = lazyTools(list);
  const [before, after] = [countToolTokens([...list]), countToolTokens(full)];
  const kept = list.every(({ name }) => full.some((tool) => tool.name === name));
  const target =
    share === undefined
      ? undefined
      : { text: `≤ ${share * 100} %, names kept`, reached: kept && after <= share * before };
  return {
    what: `${what} through the proxy (--tool-list lazy)`,
    unit: "tokens",
    ours: after,
    theirs: { "as the server lists them": before },
    ...(target ? { target } : {}),
  };
}
