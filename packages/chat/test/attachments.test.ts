// `@path` in a question: the file behind the words, completed by Tab; nothing that was piped in or pasted reaches further than
// it may.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { chat } from "./chat.ts";
import { aish, makeHome, modelSettings } from "./home.ts";
import type { Home } from "./home.ts";
import { PROMPT } from "./pty.ts";
import { says, startModel } from "./scripted-model.ts";
import type { ScriptedModel } from "./scripted-model.ts";

let home: Home;
let model: ScriptedModel;
beforeEach(() => {
  home = makeHome();
  model = startModel();
  fill(home);
});
afterEach(async () => {
  await model.stop();
  home.remove();
});

function fill({ work, folder }: Home): void {
  writeFileSync(path.join(work, "notes.txt"), "milk\neggs\n");
  writeFileSync(path.join(work, "long.txt"), `${"long line of text\n".repeat(5000)}END\n`);
  writeFileSync(path.join(work, "blob.bin"), Buffer.from([0, 1, 2]));
  writeFileSync(path.join(work, "dot.png"), Buffer.from("iVBORw0KGgo=", "base64"));
  mkdirSync(path.join(work, "src"));
  writeFileSync(path.join(work, "src", "main.ts"), "export {};\n");
  writeFileSync(path.join(folder, "secret.txt"), "hunter2");
}

async function ask(question: string, more = "", stdin = ""): Promise<{ sent: unknown; stderr: string }> {
  home.settings(modelSettings(model.url, more));
  model.push(says("ok"));
  const { stderr } = await aish(home, ["-p", question], { stdin });
  const messages = (model.seen.at(-1)?.body["messages"] ?? []) as { content: unknown }[];
  return { sent: messages.at(-1)?.content, stderr };
}

test("a text, a folder, and a name with more of the sentence behind it", async () => {
  const { sent, stderr } = await ask("what is in @notes.txt, and in @src? Ask me@example.com or @nobody.");
  expect(sent).toBe(
    "what is in @notes.txt, and in @src? Ask me@example.com or @nobody.\n\n[file notes.txt]\nmilk\neggs\n[end file]\n\n[folder src]\nmain.ts\n[end folder]",
  );
  expect(stderr).toContain("attached notes.txt (10 B)");
});

test("a long one as far as the window bears it; what is no text is said", async () => {
  const { sent, stderr } = await ask("@long.txt @blob.bin");
  expect(String(sent).length).toBeLessThan(30_000);
  expect(sent).toContain("characters left out; result r1; read more with aish__read_result");
  expect(stderr).toContain("blob.bin is not text: not attached");
});

test("a picture for a model that sees, a word for one that does not", async () => {
  const { sent } = await ask("what is @dot.png", "vision = true");
  expect(sent).toEqual([
    { type: "text", text: "what is @dot.png\n\n[picture dot.png]" },
    { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
  ]);
  expect((await ask("what is @dot.png")).stderr).toContain("local sees no pictures (vision = true in its settings)");
});

test("what is piped in names no files", async () => {
  const { sent } = await ask("summarise", "", "read @notes.txt and @~/secret.txt");
  expect(sent).not.toContain("milk");
  expect(sent).not.toContain("hunter2");
});

test("Tab completes files, folders and commands; what is pasted names files of this folder only", () =>
  chat(async (here) => {
    fill(here.home);
    here.settings();
    here.model.push(says("ok"), says("ok"));
    const screen = here.start();
    await screen.until(PROMPT);
    screen.type("look at @no\t");
    await screen.until("look at @notes.txt");
    screen.type("and @s\tm\t\r");
    await screen.until("attached src/main.ts");
    await screen.until("ctx 1%");
    expect(JSON.stringify(here.model.seen[0]?.body["messages"])).toContain("[file src/main.ts]\\nexport {};");
    await screen.until(PROMPT);
    screen.type("@\t");
    await screen.until(/@blob\.bin {2}@dot\.png {2}@long\.txt {2}@notes\.txt {2}@src\//);
    screen.type("\u0003\u001b[200~see @notes.txt and @~/secret.txt\u001b[201~");
    await screen.until("secret.txt");
    screen.type("\r");
    await screen.until("attached notes.txt");
    await screen.until(PROMPT);
    await screen.until("ctx");
    const pasted = JSON.stringify(here.model.seen.at(-1)?.body["messages"]);
    expect(pasted).toContain("milk");
    expect(pasted).not.toContain("hunter2");
  }));
