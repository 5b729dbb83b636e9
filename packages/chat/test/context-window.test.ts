// The window of a model: asked for, said when nobody knows it, and never overflowed, also by the results of one question.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { createServer, defineTool, object, serveConnection, string, text as toolText, transportPair } from "@bosun/mcp";
import { resultsIn } from "./chat.ts";
import { aish, makeHome, modelSettings } from "./home.ts";
import type { Home } from "./home.ts";
import { calls, says, startModel } from "./scripted-model.ts";
import type { ScriptedModel } from "./scripted-model.ts";

let home: Home;
let model: ScriptedModel;
beforeEach(() => {
  home = makeHome();
  model = startModel();
});
afterEach(async () => {
  await model.stop();
  home.remove();
});

/** Without `context_window`. */
function modelOfUnknownWindow(url: string, more = ""): string {
  return `default_model = "local"\n[models.local]\nbase_url = "${url}"\nmodel = "scripted"\n${more}\n`;
}

describe("the window", () => {
  test.each([
    ["vLLM", { max_model_len: 8192 }],
    ["OpenRouter", { context_length: 8192 }],
    ["LM Studio", { max_context_length: 131_072, loaded_context_length: 8192 }],
  ])("is asked of the list of models, as %s says it, before the first request", async (_, said) => {
    const served = startModel([], { models: ["other", { id: "scripted", ...said }] });
    home.settings(modelOfUnknownWindow(served.url));
    served.push(calls(["long__say", { chars: "20000", about: "x" }]), says("ok"));
    const { stderr } = await aish(home, ["-p", "--allow", "long.*", "go"], { host: { builtIns: [long] } });
    expect(stderr).not.toContain("context window");
    // A result takes a quarter of it: 8192 tokens × 3.5 ÷ 4.
    const [result = ""] = resultsIn(served);
    expect(result).toContain("characters left out; result r1");
    expect(result.length).toBeLessThanOrEqual(7168);
    await served.stop();
  });

  test("is said to be unknown when nobody says it", async () => {
    home.settings(modelOfUnknownWindow(model.url));
    model.push(says("ok"));
    const { stderr } = await aish(home, ["-p", "go"]);
    expect(stderr).toContain(
      "nobody says how large its context window is; 8192 tokens are assumed (context_window in the settings)",
    );
  });

  test("results of earlier rounds of one question are left out before it overflows, and can be read back", async () => {
    home.settings(modelSettings(model.url).replace("context_window = 32768", "context_window = 8192"));
    for (const about of "abcdefg") model.push(calls(["long__say", { chars: "6000", about }]));
    model.push(calls(["aish__read_result", { result: "r1" }]), says("done"));
    const { code, stdout, stderr } = await aish(home, ["-p", "--allow", "long.*", "go"], {
      host: { builtIns: [long] },
    });
    expect([code, stdout]).toEqual([0, "done\n"]);
    expect(stderr).toContain("tool results of earlier rounds are left out now");
    const sent = resultsIn(model);
    expect(sent[0]).toBe("[result r1 left out; aish__read_result can read it]");
    expect(sent.at(-1)).toStartWith(noise("a", 5000));
    for (const { body } of model.seen) expect(JSON.stringify(body).length).toBeLessThan(8192 * 3.5);
  });

  test("a context error: the window is learnt, old exchanges are summarised, the request is sent again", async () => {
    home.settings(modelSettings(model.url, "[context]\nkeep_exchanges = 1\n"));
    for (let n = 0; n < 4; n += 1) {
      model.push(says(`answer ${n} ${"x".repeat(3000)}`));
      await aish(home, ["-p", ...(n === 0 ? [] : ["-c"]), `question ${n}`]);
    }
    model.seen.length = 0;
    const exceeded = {
      error: {
        code: 400,
        type: "exceed_context_size_error",
        message: "the request exceeds the available context size",
        n_prompt_tokens: 5000,
        n_ctx: 2048,
      },
    };
    model.push({ status: 400, body: JSON.stringify(exceeded) }, says("They talked about x."), says("short"));
    const { code, stderr } = await aish(home, ["-p", "-c", "and now?"]);
    expect(code).toBe(0);
    expect(stderr).toContain("summarised");
    const messages = JSON.stringify(model.seen.at(-1)?.body["messages"]);
    expect(messages).toContain("[summary of the earlier conversation]");
    expect(messages).toContain("and now?");
    expect(messages).not.toContain("question 0");
  });
});

/** A server with one tool, which says much that cannot be said shorter. */
const long = {
  alias: "long",
  label: "long results",
  open() {
    const tool = defineTool({
      name: "say",
      description: "Says so many characters.",
      input: object({ chars: string("how many"), about: string("what") }),
      run: async ({ chars, about }) => toolText(noise(about, Number(chars))),
    });
    const [client, server] = transportPair();
    void serveConnection(createServer({ name: "long", version: "1", tools: [tool] }), server);
    return client;
  },
};

function noise(about: string, chars: number): string {
  const hash = (n: number): string => createHash("sha256").update(`${about}${n}`).digest("base64");
  return Array.from({ length: Math.ceil(chars / 44) }, (_, n) => hash(n))
    .join("")
    .slice(0, chars);
}
