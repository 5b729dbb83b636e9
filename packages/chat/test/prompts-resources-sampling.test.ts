// What the official everything server offers besides tools: prompts by name, resources by address, and its questions to our
// model and about our folder, each after a yes.
import { expect, test } from "bun:test";
import { chat, lastMessage, resultsIn } from "./chat.ts";
import { EVERYTHING, stdioServer } from "./home.ts";
import { answer, PROMPT, say } from "./pty.ts";
import { calls, says } from "./scripted-model.ts";

const every = `${stdioServer("every", "node", [EVERYTHING])}[mcp.auto_approve]\n"every.*" = true\n`;

test.concurrent("a prompt is a command with arguments; what is needed and missing is asked for", () =>
  chat(async ({ model, settings, start }) => {
    settings(every);
    model.push(says("Simple."), says("Sunny."), says("Asked for."));
    const screen = start();
    await screen.until(/every ready/);
    await say(screen, "/simple-prompt");
    await screen.until("Simple.");
    expect(lastMessage(model)["content"]).toBe("This is a simple prompt without arguments.");
    await screen.until(PROMPT);
    await say(screen, '/every.args-prompt "New York" NY');
    await screen.until("Sunny.");
    expect(lastMessage(model)["content"]).toContain("New York, NY");
    await screen.until(PROMPT);
    const mark = screen.mark();
    await say(screen, "/args-prompt");
    await screen.until("city", mark);
    await answer(screen, "Paris");
    await screen.until("Asked for.", mark);
    expect(lastMessage(model)["content"]).toContain("Paris");
    await screen.until(PROMPT);
    screen.type("/simple-\t");
    await screen.until("/simple-prompt");
  }),
);

test.concurrent("a resource is attached by its address, which Tab completes", () =>
  chat(async ({ model, settings, start }) => {
    settings(every);
    model.push(says("Read."));
    const screen = start();
    await screen.until(/every ready/);
    await screen.until(PROMPT);
    screen.type("what says @every:demo://resource/dynamic/text/1 ?\r");
    await screen.until("Read.");
    expect(lastMessage(model)["content"]).toMatch(
      /\[resource every:demo:\/\/resource\/dynamic\/text\/1\]\n[\s\S]+\[end resource\]/,
    );
    await screen.until(PROMPT);
    screen.type("@every:demo://resource/static/document/a\t");
    await screen.until(/static\/document\/architecture\.md/);
  }),
);

test.concurrent("a server asks our model only after a yes, and gets the answer only after another", () =>
  chat(async ({ model, settings, start }) => {
    settings(every);
    model.push(
      calls(["every__trigger-sampling-request", { prompt: "what is a tide?", maxTokens: 50 }]),
      says("Water, moving."),
      says("It was told."),
    );
    const screen = start();
    await screen.until(/every ready/);
    await say(screen, "sample");
    await screen.until("every wants to ask your model");
    await screen.until("what is a tide?");
    await answer(screen, "y");
    await screen.until("your model says to every");
    await answer(screen, "y");
    await screen.until("It was told.");
    expect(JSON.stringify(resultsIn(model))).toContain("Water, moving.");
    await screen.until(PROMPT);
    model.push(calls(["every__trigger-sampling-request", { prompt: "again", maxTokens: 50 }]), says("It was not."));
    const mark = screen.mark();
    await say(screen, "once more");
    await screen.until("let it?", mark);
    await answer(screen, "n");
    await screen.until("It was not.", mark);
  }),
);

test.concurrent("a server learns which folder this is only when the person says so", () =>
  chat(async ({ home, model, settings, start }) => {
    settings(every);
    const screen = start([], { columns: 200 });
    await screen.until(/every ready/);
    await screen.until("every asks which folder this is; :mcp share every tells it");
    model.push(calls(["every__get-roots-list", {}]), says("It does not know."));
    await say(screen, "roots");
    await screen.until("It does not know.");
    expect(JSON.stringify(resultsIn(model))).not.toContain(home.work);
    await say(screen, ":mcp share every");
    await screen.until("every may know that this is");
    // The server asks again in its own time.
    for (let told = false; !told;) {
      model.push(calls(["every__get-roots-list", {}]), says("Asked again."));
      const mark = screen.mark();
      await say(screen, "roots");
      await screen.until("Asked again.", mark);
      told = JSON.stringify(resultsIn(model).at(-1)).includes(`file://${home.work}`);
    }
  }),
);
