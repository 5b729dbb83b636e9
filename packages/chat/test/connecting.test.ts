// Servers on their way: waited for when a question is there already, told about when they end, switched off, and given a
// token that nobody sees.
import { expect, test } from "bun:test";
import {
  createServer,
  defineTool,
  object,
  serveConnection,
  serveHttp,
  text as toolText,
  transportPair,
} from "@bosun/mcp";
import { chat, odd } from "./chat.ts";
import { aish, makeHome, modelSettings } from "./home.ts";
import { answer, PROMPT, say } from "./pty.ts";
import { says, startModel } from "./scripted-model.ts";

const time = defineTool({ name: "time", description: "Tells.", input: object({}), run: async () => toolText("noon") });

test.concurrent("a question on the command line waits for its servers", () =>
  chat(async ({ model, settings, start }) => {
    settings(odd("late-start"));
    model.push(says("I have tools."));
    const screen = start(["what can you do?"]);
    await screen.until("I have tools.");
    expect(JSON.stringify(model.seen[0]?.body["tools"])).toContain("odd__echo");
  }),
);

test.concurrent("but not for ever: one that says nothing is skipped, and Ctrl-C skips at once", () =>
  chat(async ({ model, settings, start }) => {
    settings(odd("mute", "mute"));
    model.push(says("I have none."), says("At once."));
    const screen = start(["what can you do?"]);
    await screen.until("I have none.");
    const other = start(["what can you do?"]);
    await other.until(/session \S+/);
    other.type("\u0003");
    await other.until("At once.");
  }),
);

test.concurrent("a server that cannot start: its exit status and its own last words", () =>
  chat(async ({ settings, start }) => {
    settings(odd("dead", "dead"));
    const screen = start([], { columns: 200 });
    await screen.until(/dead failed: it ended: exit 3, it said: cannot open the database/);
  }),
);

test("`here` is switched off in the settings: known, not connected, no tools", async () => {
  const home = makeHome();
  const model = startModel([says("ok"), says("ok")]);
  const open = () => {
    const [client, server] = transportPair();
    void serveConnection(createServer({ name: "here", version: "1", tools: [time] }), server);
    return client;
  };
  const host = { builtIns: [{ alias: "here", label: "the tools of this folder", open }] };
  home.settings(modelSettings(model.url));
  await aish(home, ["-p", "go"], { host });
  home.settings(modelSettings(model.url, "[mcp.servers.here]\nenabled = false\n"));
  await aish(home, ["-p", "go"], { host });
  expect(model.seen.map(({ body }) => "tools" in body)).toEqual([true, false]);
  expect((await aish(home, ["mcp", "list"], { host })).stdout).toMatch(/here +disabled/);
  await model.stop();
  home.remove();
});

test.concurrent(
  "a token for a server named at run time: typed unseen, or from a variable; saved as a variable only",
  () =>
    chat(async ({ home, settings, start }) => {
      settings();
      const web = serveHttp(createServer({ name: "web", version: "1", tools: [time] }), {
        authorize: (request) =>
          request.headers.get("authorization") === "Bearer secret-token-123"
            ? { id: "test", scopes: [] }
            : new Response("no", { status: 401 }),
      });
      const screen = start([], { columns: 200, env: { LAB_TOKEN: "secret-token-123" } });
      await screen.until(PROMPT);
      await say(screen, `:mcp connect ${web.url.href} lab`);
      await screen.until("or a token: :mcp connect lab --token");
      await say(screen, ":mcp connect lab --token");
      await screen.until("token (not shown):");
      await answer(screen, "secret-token-123");
      await screen.until(/lab ready \(1 tool/);
      await say(screen, ":mcp save lab");
      await screen.until("its token is not");
      await say(screen, ":mcp disconnect lab");
      await screen.until("lab disconnected");
      const mark = screen.mark();
      await say(screen, `:mcp connect ${web.url.href} lab2 --token-env LAB_TOKEN`);
      await screen.until(/lab2 ready \(1 tool/, mark);
      await say(screen, ":mcp save lab2");
      await screen.until(/lab2 .* is now in/, mark);
      await screen.until(PROMPT, mark);
      expect(screen.bytes()).not.toContain("secret-token");
      const files = home
        .files()
        .map(({ text }) => text)
        .join("");
      expect(files).toContain('auth_env = "LAB_TOKEN"');
      expect(files).not.toContain("secret-token");
      await web.stop();
    }),
);
