// A model that is none: a script that speaks the wire of a real server, so that everything between it and the screen is the
// real thing. In a folder of its own it reads a file, mends it and runs it, one step per question; anywhere else it only says
// what it is.
import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { isObject } from "@bosun/mcp";
import type { HttpFetch, JsonObject } from "@bosun/mcp";

export const DEMO_URL = "http://demo.invalid/v1";

const WORD_MS = 15;
const FILE = "greet.sh";
const SCRIPT = `#!/bin/sh
# Greets whoever is named, or everybody.
name=\${1:-wrold}
echo "Hello, $name!"
`;

/** A folder with something to read and to mend; whoever asks for it removes it. */
export function makeDemoFolder(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "bosun-demo-")));
  writeFileSync(path.join(folder, FILE), SCRIPT);
  return folder;
}

export const FIRST_QUESTION = `what does ${FILE} do?`;

export function demoFetch(real: HttpFetch, hasFolder: boolean): HttpFetch {
  return async (url, init) => {
    if (!String(url).startsWith(DEMO_URL)) return real(url, init);
    if (String(url).endsWith("/models")) return Response.json({ data: [{ id: "demo" }] });
    const body: unknown = JSON.parse(typeof init?.body === "string" ? init.body : "{}");
    return stream(isObject(body) ? answerTo(body, hasFolder) : [], init?.signal ?? undefined);
  };
}

function answerTo(body: JsonObject, hasFolder: boolean): JsonObject[] {
  const messages = Array.isArray(body["messages"]) ? body["messages"].filter(isObject) : [];
  const last = messages.at(-1);
  if (last?.["role"] === "tool") return words(wordsAfter(String(last["name"]), String(last["content"])));
  if (!hasFolder || !hasTool(body, "here__view")) return words(ABOUT);
  if (!hasSucceeded(messages, "here__view")) return call("here__view", { path: FILE });
  if (!hasSucceeded(messages, "here__str_replace"))
    return call("here__str_replace", { path: FILE, old_str: "name=${1:-wrold}", new_str: "name=${1:-world}" });
  if (!messages.some(({ content }) => String(content).includes("Hello, world!")))
    return words(
      `Let me try it. A line like this one is a proposal; you decide:\n\nCMD: sh ${FILE} && sh ${FILE} you\n`,
    );
  return words(ENDING);
}

const ABOUT =
  "This is the built-in demo, not a model: I answer from a script. `bosun chat --demo` shows in a folder of its own how a file is read and mended. To talk to a real model, start Ollama, llama.cpp or LM Studio, or set `OPENAI_API_KEY`; `:help models` says more.";

const ENDING =
  "That was the demo, all of it real: the file, the edit, the command, each with your yes. I am only a script.\n\n- a model of your own: start **Ollama**, **llama.cpp** or **LM Studio**, or set `OPENAI_API_KEY`\n- more tools: `:mcp connect URL`\n- everything else: `:help`\n";

const READ = `It greets whoever is named:

| Line | What it does |
|---|---|
| \`name=\${1:-…}\` | takes the name, or one for everybody |
| \`echo\` | says hello to it |

The name for everybody is misspelt: **wrold**. Ask me to fix it.`;

function wordsAfter(tool: string, result: string): string {
  if (isRefusal(result))
    return "You said no, so it did not happen: nothing runs without your yes. Ask again, and press `y` this time.";
  if (tool === "here__view") return result.includes("name=") ? READ : `I could not read it: ${result.slice(0, 200)}`;
  if (tool === "here__str_replace")
    return /error|fail/i.test(result) ? `That did not work: ${result.slice(0, 200)}` : "Fixed. Ask me to run it.";
  return `The tool answered with ${result.length} characters.`;
}

function hasSucceeded(messages: readonly JsonObject[], tool: string): boolean {
  return messages.some(({ role, name, content }) => role === "tool" && name === tool && !isRefusal(String(content)));
}

function isRefusal(result: string): boolean {
  return /^(?:Refused|Not allowed|Not run|Cancelled)/.test(result);
}

function hasTool(body: JsonObject, wire: string): boolean {
  const tools = Array.isArray(body["tools"]) ? body["tools"].filter(isObject) : [];
  return tools.some(({ function: made }) => isObject(made) && made["name"] === wire);
}

function call(name: string, args: JsonObject): JsonObject[] {
  const made = { name, arguments: JSON.stringify(args) };
  const id = `demo${Math.random().toString(36).slice(2, 7).padEnd(5, "0")}`;
  return [delta({ tool_calls: [{ index: 0, id, type: "function", function: made }] }), finish("tool_calls")];
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
