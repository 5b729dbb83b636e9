// A model that is none: a script inside the program that says so, and shows how tools and commands look. Speaks the same
// wire as a real server, so that everything between it and the screen is the real thing.
import { isObject } from "@bosun/mcp";
import type { HttpFetch, JsonObject } from "@bosun/mcp";

export const DEMO_URL = "http://demo.invalid/v1";

const WORD_MS = 15;

export function demoFetch(real: HttpFetch): HttpFetch {
  return async (url, init) => {
    if (!String(url).startsWith(DEMO_URL)) return real(url, init);
    if (String(url).endsWith("/models")) return Response.json({ data: [{ id: "demo" }] });
    const body: unknown = JSON.parse(typeof init?.body === "string" ? init.body : "{}");
    return stream(isObject(body) ? answerTo(body) : [], init?.signal ?? undefined);
  };
}

function answerTo(body: JsonObject): JsonObject[] {
  const messages = Array.isArray(body["messages"]) ? body["messages"].filter(isObject) : [];
  const last = messages.at(-1);
  const said = typeof last?.["content"] === "string" ? last["content"] : "";
  if (last?.["role"] === "tool") {
    return words(
      `The tool answered with ${said.length} characters. A real model would now use them; this is only the demo.`,
    );
  }
  const asked = said.toLowerCase();
  const tool = toolFor(body, asked);
  if (tool !== undefined)
    return [
      delta({ tool_calls: [{ index: 0, id: "demo00001", type: "function", function: tool }] }),
      finish("tool_calls"),
    ];
  if (/\b(command|disk|shell|cmd)\b/.test(asked)) {
    return words("This is the built-in demo, not a model. A model can propose a command, and you decide:\n\nCMD: date");
  }
  return words(
    "This is the built-in demo, not a model: I answer from a script. Ask for a *tool* to see a call and its question, or for a *command* to see a `CMD:` line. `:call alias.tool {…}` calls a tool by hand. To talk to a real model, put one into the settings (`:help models`).",
  );
}

const EASY: Readonly<Record<string, string>> = { path: ".", pattern: "*" };

// Any tool will do to show one, if we know harmless arguments for it.
function toolFor(body: JsonObject, asked: string): JsonObject | undefined {
  if (!/\btools?\b/.test(asked)) return undefined;
  const tools = Array.isArray(body["tools"]) ? body["tools"].filter(isObject) : [];
  for (const made of tools.map((tool) => tool["function"]).filter(isObject)) {
    const parameters = isObject(made["parameters"]) ? made["parameters"] : {};
    const required = Array.isArray(parameters["required"]) ? parameters["required"].map(String) : [];
    if (!required.every((name) => name in EASY)) continue;
    const given = Object.fromEntries(required.map((name) => [name, EASY[name]]));
    return { name: made["name"], arguments: JSON.stringify(given) };
  }
  return undefined;
}

function words(text: string): JsonObject[] {
  return [...(text.match(/\S+\s*|\s+/g) ?? []).map((word) => delta({ content: word })), finish("stop")];
}

function delta(members: JsonObject): JsonObject {
  return { choices: [{ index: 0, delta: members, finish_reason: null }] };
}

function finish(reason: string): JsonObject {
  return { choices: [{ index: 0, delta: {}, finish_reason: reason }] };
}

function stream(chunks: JsonObject[], signal: AbortSignal | undefined): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      for (const chunk of chunks) {
        if (signal?.aborted === true) return controller.error(new Error("aborted"));
        controller.enqueue(encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`));
        await Bun.sleep(WORD_MS);
      }
      controller.enqueue(encoder.encode("data: [DONE]\n\n"));
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}
