// What a session has cost, in money where prices are set; sessions found by what was said in them; colours by background.
import { expect, test } from "bun:test";
import { chat } from "./chat.ts";
import { aish, makeHome, modelSettings } from "./home.ts";
import { PROMPT, say } from "./pty.ts";
import { finish, says, startModel, text } from "./scripted-model.ts";
import { hasLightBackground, styleFor } from "../src/screen/style.ts";

test("money: tokens sent, cached and answered, each at its price", () =>
  chat(async ({ model, settings, start }) => {
    settings("price_in = 2.0\nprice_cached = 0.5\nprice_out = 10\n");
    const usage = { prompt_tokens: 100_000, completion_tokens: 1000, prompt_tokens_details: { cached_tokens: 50_000 } };
    model.push({ chunks: [text("Hello."), { ...finish("stop"), usage }] });
    const screen = start();
    await screen.until(PROMPT);
    await say(screen, "hi");
    await screen.until(/ctx \d+% · \$0\.14/); // 0.05 × 2 + 0.05 × 0.5 + 0.001 × 10 = 0.135
    await say(screen, ":cost");
    await screen.until(/100,000 tokens in \(50,000 of them cached\) · 1,000 out · \$0\.14/);
  }));

test("sessions are found by the words that were said in them", async () => {
  const home = makeHome();
  const model = startModel([says("The tide is high."), says("It rains.")]);
  home.settings(modelSettings(model.url));
  await aish(home, ["-p", "how is the harbour?"]);
  await aish(home, ["-p", "how is the weather?"]);
  const found = async (...words: string[]): Promise<string> => (await aish(home, ["sessions", ...words])).stdout;
  expect(await found()).toMatch(/harbour[\s\S]*weather|weather[\s\S]*harbour/);
  expect(await found("TIDE", "harbour")).toMatch(/how is the harbour\?/);
  expect(await found("tide")).not.toContain("weather");
  expect(await found("nobody said this")).toContain("no sessions");
  await model.stop();
  home.remove();
});

test.each([
  ["15;0", false],
  ["0;15", true],
  ["0;default;7", true],
  ["12;8", false],
  ["", false],
])("COLORFGBG %s", (value, isLight) => {
  expect(hasLightBackground({ COLORFGBG: value })).toBe(isLight);
  expect(styleFor(true, isLight).yellow("x")).toBe(`\u001b[${isLight ? 35 : 33}mx\u001b[39m`);
});
