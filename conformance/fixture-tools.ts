// Tools with the names and behaviour that the official suite calls for.
import {
  array,
  boolean,
  defineTool,
  elicitForm,
  failure,
  integer,
  isObject,
  listRoots,
  number,
  object,
  optional,
  raw,
  RpcError,
  sample,
  string,
  text,
} from "@bosun/mcp";
import type { Answers, Ask, Json, JsonObject, Tool } from "@bosun/mcp";
import { DEFAULTS_FORM, ENUMS_FORM, FULL_2020_12, NAME_FORM, RED_PIXEL_PNG, SILENT_WAV } from "./fixture-content.ts";

const NOTHING = object({});
const GREETING = { messages: [{ role: "user", content: { type: "text", text: "Say hello" } }], maxTokens: 100 };

export const contentTools: Tool[] = [
  defineTool({
    name: "test_simple_text",
    description: "Returns a simple text.",
    input: NOTHING,
    run: () => text("This is a simple text response for testing."),
  }),
  defineTool({
    name: "test_image_content",
    description: "Returns a picture.",
    input: NOTHING,
    run: () => ({ content: [{ type: "image", data: RED_PIXEL_PNG, mimeType: "image/png" }] }),
  }),
  defineTool({
    name: "test_audio_content",
    description: "Returns a sound.",
    input: NOTHING,
    run: () => ({ content: [{ type: "audio", data: SILENT_WAV, mimeType: "audio/wav" }] }),
  }),
  defineTool({
    name: "test_embedded_resource",
    description: "Returns an embedded resource.",
    input: NOTHING,
    run: () => ({
      content: [
        {
          type: "resource",
          resource: { uri: "test://embedded", mimeType: "text/plain", text: "An embedded resource." },
        },
      ],
    }),
  }),
  defineTool({
    name: "test_multiple_content_types",
    description: "Returns text, a picture and a resource.",
    input: NOTHING,
    run: () => ({
      content: [
        { type: "text", text: "Several kinds of content:" },
        { type: "image", data: RED_PIXEL_PNG, mimeType: "image/png" },
        { type: "resource", resource: { uri: "test://mixed", mimeType: "application/json", text: '{"a":1}' } },
      ],
    }),
  }),
  defineTool({
    name: "test_error_handling",
    description: "Always fails.",
    input: NOTHING,
    run: () => failure("This tool intentionally returns an error for testing"),
  }),
  defineTool({
    name: "test_tool_with_progress",
    description: "Reports its progress.",
    input: NOTHING,
    async run(_, context) {
      for (const progress of [0, 50, 100]) {
        context.progress(progress, 100, `Completed ${progress} of 100`);
        await Bun.sleep(50);
      }
      return text("done");
    },
  }),
  defineTool({
    name: "test_tool_with_logging",
    description: "Logs while it runs.",
    input: NOTHING,
    async run(_, context) {
      for (const step of ["started", "processing", "completed"]) {
        context.log("info", `Tool execution ${step}`);
        await Bun.sleep(50);
      }
      return text("done");
    },
  }),
  defineTool({
    name: "test_logging_tool",
    description: "Logs, for clients that ask for it.",
    input: NOTHING,
    run(_, context) {
      context.log("info", "a log message");
      return text("done");
    },
  }),
  defineTool({
    name: "json_schema_2020_12_tool",
    description: "Lists a schema with many keywords.",
    input: raw(FULL_2020_12),
    run: (input) => text(JSON.stringify(input)),
  }),
  defineTool({
    name: "test_header_mirror",
    description: "Has an argument that is mirrored in a header.",
    input: object({ region: optional(string("where", { header: "Region" })), retries: optional(integer("how often")) }),
    run: ({ region }) => text(region ?? "nowhere"),
  }),
  defineTool({
    name: "test_reconnection",
    description: "Lets the connection go and finishes later.",
    input: NOTHING,
    async run(_, context) {
      context.releaseConnection(500);
      await Bun.sleep(100);
      return text("finished after the connection was closed");
    },
  }),
  defineTool({
    name: "test_add_all",
    description: "Adds numbers.",
    input: object({ numbers: array("what to add", number("a number")), negate: boolean("", { default: false }) }),
    run: ({ numbers, negate }) => text(String(numbers.reduce((sum, next) => sum + next, 0) * (negate ? -1 : 1))),
  }),
];

export const askingTools: Tool[] = [
  defineTool({
    name: "test_sampling",
    description: "Asks the client's model.",
    input: object({ prompt: string("what to ask") }),
    async run({ prompt }, context) {
      const messages = [{ role: "user", content: { type: "text", text: prompt } }];
      const { answer } = await context.ask({ answer: sample({ messages, maxTokens: 100 }) });
      return text(`LLM response: ${spoken(answer)}`);
    },
  }),
  defineTool({
    name: "test_elicitation",
    description: "Asks the person.",
    input: object({ message: string("what to ask") }),
    async run({ message }, context) {
      const properties = { username: { type: "string" }, email: { type: "string" } };
      const form = { type: "object", properties, required: ["username", "email"] };
      return text(`User response: ${JSON.stringify(await context.ask({ user: elicitForm(message, form) }))}`);
    },
  }),
  form("test_elicitation_sep1034_defaults", "Please check these values", DEFAULTS_FORM),
  form("test_elicitation_sep1330_enums", "Please choose", ENUMS_FORM),
  form("test_streaming_elicitation", "What is your name?", NAME_FORM),
  questions("test_missing_capability", async (ask) => ask({ answer: sample(GREETING) })),
  questions("test_input_required_result_elicitation", async (ask) => askName(ask)),
  questions("test_input_required_result_sampling", async (ask) => ask({ capital_question: sample(GREETING) })),
  questions("test_input_required_result_list_roots", async (ask) => ask({ client_roots: listRoots() })),
  questions("test_input_required_result_request_state", async (ask) => askName(ask)),
  questions("test_input_required_result_tampered_state", async (ask) => askName(ask)),
  questions("test_input_required_result_multiple_inputs", async (ask) =>
    ask({
      user_name: elicitForm("What is your name?", NAME_FORM),
      greeting: sample(GREETING),
      client_roots: listRoots(),
    }),
  ),
  questions("test_input_required_result_multi_round", async (ask) => {
    const first = await ask({ step1: elicitForm("Step 1: your name?", NAME_FORM) });
    const second = await ask({ step2: elicitForm("Step 2: your colour?", NAME_FORM) });
    return { ...first, ...second };
  }),
  defineTool({
    name: "test_input_required_result_capabilities",
    description: "Asks only what the client can answer.",
    input: NOTHING,
    async run(_, context) {
      const all = { user_name: elicitForm("What is your name?", NAME_FORM), greeting: sample(GREETING) };
      const possible = Object.entries(all).filter(([, question]) => context.canAsk(question));
      return text(JSON.stringify(await context.ask(Object.fromEntries(possible))));
    },
  }),
];

export const taskTools: Tool[] = [
  defineTool({
    name: "greet",
    description: "Greets at once.",
    input: object({ name: string("whom") }),
    run: ({ name }) => text(`Hello, ${name}!`),
  }),
  defineTool({
    name: "slow_compute",
    description: "Takes its time.",
    input: object({ seconds: number("how long"), label: string("a label", { default: "" }) }),
    task: "optional",
    async run({ seconds, label }, { signal }) {
      const ended = Promise.withResolvers<void>();
      const timer = setTimeout(ended.resolve, seconds * 1000);
      signal.addEventListener("abort", () => ended.resolve(), { once: true });
      await ended.promise;
      clearTimeout(timer);
      return text(`computed ${label}`);
    },
  }),
  defineTool({
    name: "failing_job",
    description: "Fails after a while.",
    input: NOTHING,
    task: "required",
    async run() {
      await Bun.sleep(200);
      return failure("the job failed");
    },
  }),
  defineTool({
    name: "protocol_error_job",
    description: "Ends with a protocol error.",
    input: NOTHING,
    task: "optional",
    async run() {
      await Bun.sleep(50);
      throw new RpcError(-32603, "the job broke");
    },
  }),
  defineTool({
    name: "confirm_delete",
    description: "Asks before it goes on.",
    input: object({ filename: string("what to delete", { default: "file.txt" }) }),
    task: "optional",
    async run({ filename }, { ask }) {
      const form = { type: "object", properties: { confirm: { type: "boolean" } }, required: ["confirm"] };
      return text(JSON.stringify(await ask({ confirm: elicitForm(`Delete ${filename}?`, form) })));
    },
  }),
  defineTool({
    name: "multi_input",
    description: "Asks two things at once.",
    input: NOTHING,
    task: "optional",
    async run(_, { ask }) {
      const both = { first: elicitForm("First?", NAME_FORM), second: elicitForm("Second?", NAME_FORM) };
      return text(JSON.stringify(await ask(both)));
    },
  }),
  defineTool({
    name: "test_tool_with_task",
    description: "Asks first, then goes on as a task.",
    input: NOTHING,
    task: "by itself",
    async run(_, context) {
      const answers = await askName(context.ask);
      await context.becomeTask();
      return text(JSON.stringify(answers));
    },
  }),
];

function form(name: string, message: string, schema: JsonObject): Tool {
  return questions(name, async (ask) => ask({ answer: elicitForm(message, schema) }));
}

function questions(name: string, put: (ask: Ask) => Promise<Answers>): Tool {
  return defineTool({
    name,
    description: "Asks the client something and reports the answer.",
    input: NOTHING,
    run: async (_, { ask }) => text(`Answers: ${JSON.stringify(await put(ask))}`),
  });
}

function askName(ask: Ask): Promise<Answers> {
  return ask({ user_name: elicitForm("What is your name?", NAME_FORM) });
}

function spoken(answer: JsonObject | undefined): Json {
  const content = answer?.["content"];
  return isObject(content) ? (content["text"] ?? "") : JSON.stringify(content ?? null);
}
