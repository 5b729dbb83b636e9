// A model without settings: by address, by the usual variables, on this machine; keys go only where they belong; and when
// there is none, what can be done is said.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { aish, makeHome } from "../home.ts";
import type { Home } from "../home.ts";
import { says, startModel } from "../scripted-model.ts";
import type { ScriptedModel } from "../scripted-model.ts";

let home: Home;
let model: ScriptedModel;
beforeEach(() => {
  home = makeHome();
  model = startModel([says("found me")], { models: ["text-embedding-3-small", "gpt-4o", "gpt-4o-mini"] });
});
afterEach(async () => {
  await model.stop();
  home.remove();
});

const origin = (): string => new URL(model.url).origin;
const asked = (): unknown => model.seen[0]?.body["model"];

test.each<[string, () => { args?: string[]; env?: Record<string, string> }, key: string | null]>([
  ["OPENAI_BASE_URL alone", () => ({ env: { OPENAI_BASE_URL: model.url } }), null],
  [
    "OPENAI_BASE_URL and its key",
    () => ({ env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "sk-0123456789" } }),
    "Bearer sk-0123456789",
  ],
  ["OPENAI_BASE_URL without /v1", () => ({ env: { OPENAI_BASE_URL: origin() } }), null],
  ["OLLAMA_HOST as host and port", () => ({ env: { OLLAMA_HOST: new URL(model.url).host } }), null],
  ["OLLAMA_HOST where it listens", () => ({ env: { OLLAMA_HOST: `0.0.0.0:${new URL(model.url).port}` } }), null],
  ["OLLAMA_HOST as an address", () => ({ env: { OLLAMA_HOST: origin() } }), null],
  ["-m and an address", () => ({ args: ["-m", model.url] }), null],
  ["-m and an address without /v1", () => ({ args: ["-m", `${origin()}/`] }), null],
  [
    "-m and the address the key is for",
    () => ({ args: ["-m", model.url], env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "sk-0123456789" } }),
    "Bearer sk-0123456789",
  ],
  [
    "-m and another address than the key's: the key stays",
    () => ({ args: ["-m", model.url], env: { OPENAI_API_KEY: "sk-0123456789" } }),
    null,
  ],
])("%s", async (_, how, key) => {
  const { args = [], env = {} } = how();
  const ran = await aish(home, ["-p", ...args, "hi"], { env });
  expect(ran).toMatchObject({ code: 0, stdout: "found me\n" });
  expect(asked()).toBe("gpt-4o-mini");
  expect(model.seen[0]?.headers.get("authorization") ?? null).toBe(key);
});

test("-m NAME takes that one of what is found", async () => {
  const ran = await aish(home, ["-p", "-m", "gpt-4o", "hi"], { env: { OPENAI_BASE_URL: model.url } });
  expect([ran.code, asked()]).toEqual([0, "gpt-4o"]);
  const wrong = await aish(home, ["-p", "-m", "gpt-9", "hi"], { env: { OPENAI_BASE_URL: model.url } });
  expect(wrong.stderr).toContain('there is no model called "gpt-9" (there are: gpt-4o-mini, gpt-4o)');
});

test("an address where nobody answers: said, with what to look at", async () => {
  await model.stop();
  const { code, stderr } = await aish(home, ["-p", "-m", model.url, "hi"]);
  expect(code).toBe(2);
  expect(stderr).toContain(`no list of models at ${model.url}/models; is it running`);
});

test("no model at all: each way to one is said", async () => {
  const { code, stderr } = await aish(home, ["-p", "hi"]);
  expect(code).toBe(2);
  for (const word of [
    "Ollama",
    "llama.cpp",
    "LM Studio",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "-m http://",
    "config.toml",
    "--demo",
  ])
    expect(stderr).toContain(word);
});
