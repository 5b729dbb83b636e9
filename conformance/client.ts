// The client that the official conformance suite drives: one start per scenario, the server's address as last argument.
import { connectHttp, createAuthorizedFetch, httpFetch, isObject } from "@bosun/mcp";
import type { Client, HttpConnectOptions, JsonObject } from "@bosun/mcp";
import { conformanceAuthOptions } from "../packages/mcp/test/auth/conformance-auth.ts";

const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const revision = process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"] ?? "2025-11-25";
const context = parseContext(process.env["MCP_CONFORMANCE_CONTEXT"]);
const url = process.argv.at(-1) ?? "";

const options: HttpConnectOptions = {
  name: "bosun-conformance-client",
  version: "0.1.0",
  era: revision === "2026-07-28" ? "modern" : "legacy",
  elicit: async () => ({ action: "accept", content: {} }),
  sample: async () => ({ role: "assistant", model: "none", content: { type: "text", text: "hello" } }),
  roots: () => [{ uri: "file:///tmp", name: "tmp" }],
  capabilities: {},
};

const scenarios: { [name: string]: (client: Client) => Promise<unknown> } = {
  tools_call: async (client) => {
    await client.listTools();
    await client.callTool("add_numbers", { a: 5, b: 3 });
  },
  "elicitation-sep1034-client-defaults": (client) => client.callTool("test_client_elicitation_defaults"),
  "sse-retry": (client) => client.callTool("test_reconnection"),
  "request-metadata": (client) => client.listTools(),
  "http-standard-headers": async (client) => {
    for (const { name } of await client.listTools()) await client.callTool(name);
    for (const { uri } of await client.list("resources")) await client.readResource(String(uri));
    for (const { name } of await client.list("prompts")) await client.getPrompt(String(name));
  },
  "http-custom-headers": async (client) => {
    await client.listTools();
    const calls = Array.isArray(context["toolCalls"]) ? context["toolCalls"].filter(isObject) : [];
    for (const call of calls) await client.callTool(String(call["name"]), call["arguments"] as JsonObject);
  },
  "http-invalid-tool-headers": async (client) => {
    for (const { name } of await client.listTools()) await client.callTool(name, { region: "us-west1" });
  },
  "sep-2322-client-request-state": async (client) => {
    await client.listTools();
    const names = ["test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_unrelated", "test_mrtr_no_result_type"];
    for (const name of names) await client.callTool(name);
  },
  "json-schema-2020-12-preservation": async (client) => {
    const tools = await client.listTools();
    const schema = tools.find(({ name }) => name === "json_schema_2020_12_tool")?.inputSchema;
    await client.callTool("json_schema_echo", { schema });
  },
};

const fetch = scenario.startsWith("auth/")
  ? createAuthorizedFetch(await conformanceAuthOptions(scenario, context, httpFetch, url))
  : httpFetch;
const client = await connectHttp(url, { ...options, fetch });
if (scenario.startsWith("auth/")) await authorizedCalls(client);
else await (scenarios[scenario] ?? ((any: Client) => any.listTools()))(client);
await client.close();

async function authorizedCalls(client: Client): Promise<void> {
  await client.listTools();
  await client.callTool("test-tool");
}

function parseContext(text: string | undefined): JsonObject {
  const parsed: unknown = text === undefined ? {} : JSON.parse(text);
  return isObject(parsed) ? parsed : {};
}
