// The server that the official conformance suite is run against: our library with the fixtures the suite names.
//   bun conformance/server.ts [--stdio]      prints its address on stdout when it listens
import { createServer, elicitForm, object, serveConnection, serveHttp, stdioTransport, text } from "@bosun/mcp";
import type { Prompt, Resource, ResourceTemplate, Server, Tool } from "@bosun/mcp";
import { RED_PIXEL_PNG } from "./fixture-content.ts";
import { askingTools, contentTools, taskTools } from "./fixture-tools.ts";

const resources: Resource[] = [
  {
    uri: "test://static-text",
    name: "Static text",
    description: "A text that never changes",
    mimeType: "text/plain",
    read: () => [{ uri: "test://static-text", mimeType: "text/plain", text: "The static text." }],
  },
  {
    uri: "test://static-binary",
    name: "Static picture",
    description: "A picture that never changes",
    mimeType: "image/png",
    read: () => [{ uri: "test://static-binary", mimeType: "image/png", blob: RED_PIXEL_PNG }],
  },
  {
    uri: "test://watched-resource",
    name: "Watched",
    description: "A resource to subscribe to",
    mimeType: "text/plain",
    read: () => [{ uri: "test://watched-resource", mimeType: "text/plain", text: "Watch me." }],
  },
];

const resourceTemplates: ResourceTemplate[] = [
  {
    uriTemplate: "test://template/{id}/data",
    name: "Templated data",
    description: "Data by id",
    mimeType: "application/json",
    complete: { id: (typed) => ["1", "12", "123"].filter((id) => id.startsWith(typed)) },
    read: (uri, { id }) => [
      { uri, mimeType: "application/json", text: JSON.stringify({ id, data: `Data for ${id}` }) },
    ],
  },
];

const prompts: Prompt[] = [
  {
    name: "test_simple_prompt",
    description: "A prompt without arguments",
    get: () => ({ messages: [{ role: "user", content: { type: "text", text: "This is a simple prompt." } }] }),
  },
  {
    name: "test_prompt_with_arguments",
    description: "A prompt with two arguments",
    arguments: [
      { name: "arg1", description: "the first", required: true, complete: (typed) => [`${typed}one`, `${typed}two`] },
      { name: "arg2", description: "the second", required: true },
    ],
    get: ({ arg1, arg2 }) => ({
      messages: [{ role: "user", content: { type: "text", text: `arg1='${arg1}', arg2='${arg2}'` } }],
    }),
  },
  {
    name: "test_prompt_with_embedded_resource",
    description: "A prompt that carries a resource",
    arguments: [{ name: "resourceUri", description: "which one", required: true }],
    get: ({ resourceUri = "" }) => ({
      messages: [
        {
          role: "user",
          content: { type: "resource", resource: { uri: resourceUri, mimeType: "text/plain", text: "The resource." } },
        },
        { role: "user", content: { type: "text", text: "Please look at the resource above." } },
      ],
    }),
  },
  {
    name: "test_prompt_with_image",
    description: "A prompt that carries a picture",
    get: () => ({
      messages: [{ role: "user", content: { type: "image", data: RED_PIXEL_PNG, mimeType: "image/png" } }],
    }),
  },
  {
    name: "test_input_required_result_prompt",
    description: "A prompt that asks first",
    async get(_, { ask }) {
      const form = { type: "object", properties: { context: { type: "string" } }, required: ["context"] };
      const { user_context } = await ask({ user_context: elicitForm("What context should the prompt use?", form) });
      const said = JSON.stringify(user_context);
      return { messages: [{ role: "user", content: { type: "text", text: `Context: ${said}` } }] };
    },
  },
];

const changers: Tool[] = [
  changer("test_trigger_tool_change", "tools"),
  changer("test_trigger_prompt_change", "prompts"),
];
const tools = [...contentTools, ...askingTools, ...taskTools, ...changers];

const server: Server = createServer({
  name: "bosun-conformance",
  version: "0.1.0",
  title: "Bosun conformance fixtures",
  tools,
  resources,
  resourceTemplates,
  prompts,
  logging: true,
});

function changer(name: string, what: "tools" | "prompts"): Tool {
  return {
    name,
    description: `Tells whoever listens that the ${what} changed.`,
    input: object({}),
    run() {
      if (what === "tools") server.setTools(tools);
      else server.setPrompts(prompts);
      return text("changed");
    },
  };
}

if (process.argv.includes("--stdio")) {
  await serveConnection(server, stdioTransport());
} else {
  const listening = serveHttp(server, { port: Number(process.env["PORT"] ?? 0) });
  console.log(listening.url.href);
}
