// The screens of the specification's first section that the other tests do not show: what a person sees, line by line.
import { describe, expect, test } from "bun:test";
import { ALLOW_ALL, chat, lastMessage, odd, raw } from "./chat.ts";
import { answer, CTRL_C, CTRL_D, PROMPT, say } from "./pty.ts";
import { calls, finish, says, text } from "./scripted-model.ts";

describe.concurrent("1.3 start-up", () => {
  test("a refused token, a rule that matches nothing, and a server that is ready", () =>
    chat(async ({ home, settings, start }) => {
      const locked = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("no", { status: 401 }) });
      const nc = `[mcp.servers.nc]\nurl = "http://127.0.0.1:${locked.port}/mcp"\nauth_env = "NC_MCP_TOKEN"\n`;
      settings(`${odd("", "boltzmann")}${nc}[mcp.auto_approve]\n"boltzman.read_file" = true\n`);
      const screen = start([], { env: { NC_MCP_TOKEN: "t-0123456789" }, columns: 120 });
      await screen.until(/mcp: boltzmann ready \(11 tools, \d+ ms\)/);
      await screen.until(
        "[aish] mcp: nc failed: HTTP 401 (token from NC_MCP_TOKEN was refused) · :mcp connect nc to retry",
      );
      await screen.until(
        'auto_approve entry "boltzman.read_file" matches no configured server (did you mean "boltzmann"?)',
      );
      await screen.until(PROMPT);
      expect(screen.bytes()).not.toContain("t-0123456789");
      expect(home.files().some(({ text: content }) => content.includes("t-0123456789"))).toBe(false);
      await locked.stop(true);
    }));
});

describe.concurrent("1.4 waiting", () => {
  test("seconds are counted on the current line, and gone with the first word", () =>
    chat(async ({ model, settings, start }) => {
      settings();
      model.push({ ...says("Here it is."), delayMs: 1700 });
      const screen = start();
      await say(screen, "slow one");
      await screen.until(/\[aish\] waiting… 1 s \(Ctrl-C stops\)$/);
      await screen.until(/aish> slow one\nHere it is\.\n\[aish\] \d/);
      expect(screen.screen()).not.toContain("waiting…");
    }));
});

describe.concurrent("1.5 a command", () => {
  test("edited before it runs; a failure asks before the next; smart quotes are pointed out", () =>
    chat(async ({ home, model, settings, start }) => {
      settings();
      model.push(says("CMD: echo one\nCMD: false\nCMD: echo “three” > made\n"), says("ok"));
      const screen = start();
      await say(screen, "go");
      await screen.until("run this command here?");
      await answer(screen, "e");
      await screen.until(/ {2}\$ echo one$/);
      await answer(screen, " and-more");
      await screen.until(/│ echo one and-more\n└ \[y\]es {2}\[N\]o {2}\[e\]dit {2}\[\?\]$/);
      await answer(screen, "y");
      await screen.until(/┌ \$ echo one and-more\n│ one and-more\n└ exit 0 · \d+ ms/);
      await screen.until("│ false");
      await answer(screen, "y");
      await screen.until("it failed; go on with the others? [y/N]");
      await answer(screen, "y");
      await screen.until("│ it holds typographic quotes or dashes");
      await answer(screen, "?");
      await screen.until("  Enter  no");
      await answer(screen, "n");
      await screen.until("[aish] not run");
      await say(screen, "and?");
      await screen.until(/\nok\n/);
      expect(String(lastMessage(model)["content"])).toContain("$ echo one and-more\nexit 0");
      expect(home.files().some(({ file }) => file.endsWith("made"))).toBe(false);
    }));
});

describe.concurrent("1.6 a question about a call", () => {
  test("every key: ? explains, v shows, A allows the server, q ends the turn", () =>
    chat(async ({ model, settings, start }) => {
      settings(odd());
      model.push(
        calls(["odd__echo", { text: "one" }]),
        says("done one"),
        calls(["odd__echo", { text: "two" }], ["odd__number", { id: 1 }]),
        says("done two"),
        calls(["odd__fail", {}, "a"], ["odd__fail", {}, "b"]),
        says("never"),
      );
      const screen = start();
      await screen.until(/odd ready/);
      await say(screen, "one");
      await screen.until("call it?");
      await answer(screen, "?");
      for (const line of [
        "y  once",
        "n  no",
        "r  no, with a reason",
        "a  always…",
        "e  edit",
        "v  view",
        "q  stop",
        "Enter  no",
      ]) {
        await screen.until(`  ${line}`);
      }
      await answer(screen, "v");
      await screen.until(/(call it\?[\s\S]*){3}/);
      await answer(screen, "a");
      await screen.until(/always allow odd\.echo: {2}\[s\]this session {2}\[f\]from now on {2}\[A\]all of "odd"/);
      await answer(screen, "A");
      await screen.until('allowed for this session: all of "odd"  (:policy shows and undoes)');
      await screen.until("done one");
      await say(screen, "two");
      await screen.until("done two"); // the whole server: nothing was asked
      expect(screen.screen().match(/call it\?/g)?.length).toBe(3);
      await say(screen, ":ask odd.fail");
      await screen.until("asked about from now on in this session: odd.fail");
      const mark = await say(screen, "three");
      await screen.until(/2 calls: odd\.fail, odd\.fail[\s\S]*call it\?/, mark);
      await answer(screen, "q");
      await screen.until(/refused odd\.fail\n\[aish\] odd\.fail: not run\n\[aish\] stopped\naish>$/);
      expect(model.seen.length).toBe(5);
    }));
});

describe.concurrent("1.7 a call that fails", () => {
  test("a tool that is not there, an error of the server, broken arguments, no answer, a server that died", () =>
    chat(async ({ model, settings, start }) => {
      settings(`${odd()}call_timeout_s = 1\n${raw()}[mcp.auto_approve]\n"odd.*" = true\n"raw.*" = true\n`);
      model.push(
        calls(["odd__nope", {}]),
        says("one"),
        calls(["raw.no.schema", {}]),
        says("two"),
        calls(["odd__echo", '{"text":"a'], ["odd__echo", { text: "b" }]),
        says("three"),
        calls(["odd__wait", { ms: "9000" }]),
        says("four"),
        calls(["odd__die", {}]),
        says("five"),
      );
      const screen = start();
      await screen.until(/odd ready/);
      await screen.until(/raw ready/);
      await say(screen, "one");
      await screen.until(/\[aish\] odd__nope: there is no such tool\none/);
      await say(screen, "two");
      await screen.until(/\[aish\] mcp: raw\.no\.schema: internal detail \/etc\/passwd \(-32603\)\ntwo/);
      await say(screen, "three");
      await screen.until("[aish] odd.echo: the model sent broken arguments (line 1, column 9); not run");
      await screen.until(/│ you said b[\s\S]*three/);
      await say(screen, "four");
      await screen.until("[aish] mcp: odd.wait: no answer for 1 s, cancelled (it may still have run)");
      await screen.until("four");
      await say(screen, "five");
      await screen.until(/\[aish\] mcp: odd\.die: .*; it may have run/);
      await screen.until("five");
    }));
});

describe.concurrent("1.8 limits", () => {
  test("continue, then the same call three times, then stop; the next question is valid", () =>
    chat(async ({ model, settings, start }) => {
      settings(`[mcp]\nmax_tool_depth = 2\n${odd()}${ALLOW_ALL("odd")}`);
      for (let n = 0; n < 2; n += 1) model.push(calls(["odd__echo", { text: String(n) }]));
      for (let n = 0; n < 3; n += 1) model.push(calls(["odd__echo", { text: "same" }]));
      model.push(says("still here"));
      const screen = start();
      await screen.until(/odd ready/);
      await say(screen, "loop");
      await screen.until(
        /\[aish\] tool-call depth limit reached \(2 rounds\)\n {2}\[c\]ontinue 2 more {2}\[w\]rap up without tools {2}\[S\]top/,
      );
      await answer(screen, "c");
      await screen.until(/tool-call depth limit reached \(4 rounds\)/);
      const mark = screen.mark();
      await answer(screen, "c");
      await screen.until(/\[aish\] odd\.echo was called 3 times with the same arguments\n {2}\[c\]ontinue/, mark);
      await answer(screen, "");
      await say(screen, "hello?");
      await screen.until("still here");
    }));
});

describe.concurrent("1.10 help", () => {
  test("names every command there is", () =>
    chat(async ({ settings, start }) => {
      settings();
      const screen = start();
      await say(screen, ":help");
      await screen.until("keys: Ctrl-C stop");
      const shown = screen.screen();
      const named =
        "model models mcp call policy allow ask deny last think context compact cost audit undo retry go forget new sessions resume export cd tty edit config help quit";
      for (const name of named.split(" ")) expect(shown).toContain(`:${name}`);
    }));
});

describe.concurrent("1.12 resume", () => {
  test("after leaving: turns, folder, tools that are gone, the last exchange; what had begun goes on", () =>
    chat(async ({ home, model, settings, start }) => {
      settings(`${odd()}${ALLOW_ALL("odd")}`);
      model.push(calls(["odd__picture", {}]), says("`/` is at 78 %."));
      const first = start();
      await first.until(/odd ready/);
      await say(first, "which one should I worry about?");
      await first.until("78 %");
      await say(first, "!echo pending");
      await first.until("exit 0");
      await first.until(PROMPT);
      first.type(CTRL_D);
      await first.exited;
      // An empty session in between is not the one to go on with.
      const empty = start();
      await empty.until(PROMPT);
      empty.type(CTRL_D);
      await empty.exited;
      settings(`${odd()}tools.deny = ["picture"]\n`);
      model.push(says("Welcome back."));
      const again = start(["--resume"]);
      await again.until(/resuming \d{8}-\d{4}-\w{4} · \d+ turns · last used 0 min ago · cwd ~\/work/);
      await again.until("mcp: odd no longer offers picture (it was used earlier in this session)");
      await again.until(/ {2}… last exchange:\n {2}> /);
      await say(again, "go on");
      await again.until("Welcome back.");
      expect(JSON.stringify(model.seen.at(-1)?.body["messages"])).toContain("which one should I worry about?");
      // Output that waited for a question still does.
      expect(String(lastMessage(model)["content"])).toMatch(/^\[exec\] \$ echo pending\nexit 0[\s\S]*go on$/);
      expect(home.files().filter(({ file }) => file.endsWith(".jsonl") && file.includes("sessions")).length).toBe(1);
    }));
});

describe.concurrent("a server that floods, a server that is slow, a question at once", () => {
  test("tools that are ready later join with the next request", () =>
    chat(async ({ model, settings, start }) => {
      settings(`${odd("late-start")}`);
      model.push(says("alone"), says("together"));
      const screen = start();
      await say(screen, "now");
      await screen.until("alone");
      expect(model.seen[0]?.body["tools"]).toBeUndefined();
      await screen.until(/odd ready/);
      await say(screen, "again");
      await screen.until("together");
      expect(JSON.stringify(model.seen.at(-1)?.body["tools"])).toContain("odd__echo");
    }));
});

describe.concurrent("forms and models", () => {
  test("a field that does not fit is asked for again; Ctrl-C cancels the form and not the program", () =>
    chat(async ({ model, settings, start }) => {
      settings(`${odd()}${ALLOW_ALL("odd")}`);
      model.push(calls(["odd__ask", {}]), says("one"), calls(["odd__ask", {}]), says("two"));
      const screen = start();
      await screen.until(/odd ready/);
      await say(screen, "go");
      await screen.until("answer it? [y/N]");
      await answer(screen, "y");
      await screen.until(/name:\s*$/);
      await answer(screen, "");
      await screen.until(/this one is needed[\s\S]*name:\s*$/);
      await answer(screen, "Ada");
      await screen.until(/many[^\n]*:\s*$/);
      await answer(screen, "many");
      await screen.until(/that does not fit[\s\S]*many[^\n]*:\s*$/);
      await answer(screen, "3");
      await screen.until(/\none\n/);
      expect(lastMessage(model)["content"]).toBe('{"action":"accept","content":{"name":"Ada","many":3}}');
      await say(screen, "again");
      await screen.until(/odd asks[\s\S]*odd asks[\s\S]*answer it/);
      await answer(screen, "y");
      await screen.until(/name:\s*$/);
      screen.type(CTRL_C);
      await screen.until(/\ntwo\n/);
      expect(String(lastMessage(model)["content"])).toContain("cancel");
    }));

  test(":models check asks the model itself where the server cannot say", () =>
    chat(async ({ model, settings, start }) => {
      settings();
      const screen = start();
      model.push(says("The code is result-9f31c2."), says("I have seen no code."));
      await say(screen, ":models check");
      await screen.until("ask the model once, with a made-up result?");
      await answer(screen, "y");
      await screen.until("local: tool results reach the model");
      const mark = await say(screen, ":models check");
      await screen.until("ask the model once", mark);
      await answer(screen, "y");
      await screen.until("local: tool results go as text", mark);
    }));
});

test.each([
  ["leaves nothing behind", "sleep 60;", "\n┌ $ sleep 60;"],
  ["ends also what does not hear Ctrl-C", `sh -c 'trap "" INT; echo deaf; sleep 60';`, "│ deaf"],
])("a wrong guess that a line was a command %s", (_, line, shown) =>
  chat(async ({ model, settings, start }) => {
    settings('[shell]\nroute = "auto"\n');
    model.push(says("You meant to ask."), says("ok"));
    const screen = start();
    // One second to say so; on a machine that takes longer than that to show it, another try.
    for (let tries = 0; tries < 5 && model.seen.length === 0; tries += 1) {
      const mark = await say(screen, line);
      await screen.until(shown, mark);
      screen.type(CTRL_C);
      await screen.until(PROMPT);
    }
    await screen.until("You meant to ask.");
    expect(lastMessage(model)["content"]).toBe(line);
    await say(screen, "tell me more");
    await screen.until(/\nok\n/);
    expect(lastMessage(model)["content"]).toBe("tell me more");
  }),
);

test("the words of an answer that was cut off are kept and marked", () =>
  chat(async ({ model, settings, start }) => {
    settings();
    model.push({ chunks: [text("half an ans"), finish("length")] }, says("wer."));
    const screen = start();
    await say(screen, "go");
    await screen.until("the answer was cut off by the token limit; :go asks to continue");
    await say(screen, ":go");
    await screen.until("wer.");
    expect(lastMessage(model)["content"]).toBe("(continue)");
  }));
