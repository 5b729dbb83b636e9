// aish at a real pseudo-terminal, against a scripted model and real servers: what the screen shows, and what the model
// was sent.
import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createServer, defineTool, object, serveHttp, text as toolText } from "@bosun/mcp";
import { chat, lastMessage, odd } from "./chat.ts";
import { AISH, aish, modelSettings, stdioServer, untilNoProcessIn } from "./home.ts";
import { answer, CTRL_C, CTRL_D, PROMPT, say } from "./pty.ts";
import type { Pty } from "./pty.ts";
import { calls, finish, says, text } from "./scripted-model.ts";
import type { Step } from "./scripted-model.ts";

const BUN = process.execPath;

describe.concurrent("talking", () => {
  test("a question, words as they come, a status line, and the next question", () =>
    chat(async ({ home, model, start }) => {
      home.settings(modelSettings(model.url));
      model.push(
        {
          chunks: [
            text("A bearer token is "),
            text("a secret."),
            { ...finish("stop"), usage: { prompt_tokens: 212, completion_tokens: 31 } },
          ],
        },
        says("Again."),
      );
      const screen = start();
      await screen.until(PROMPT);
      expect(screen.screen()).toMatch(
        /^aish \S+ · model local \(scripted at 127\.0\.0\.1:\d+\) · ctx 32k · session \d{8}-\d{4}-\w{4}/,
      );
      await say(screen, "what is a bearer token?");
      await screen.until(/A bearer token is a secret\.\n\[aish\] \d+\.\d s · 212 in \/ 31 out · ctx 1%\naish>$/);
      const mark = screen.mark();
      await say(screen, "and again");
      await screen.until("Again.", mark);
      await screen.until(PROMPT);
      screen.type(CTRL_D);
      expect(await screen.exited).toBe(0);
    }));

  test("a line can be edited, searched for, continued and pasted; wide characters keep the cursor right", () =>
    chat(async ({ home, model, start }) => {
      home.settings(modelSettings(model.url));
      model.push(says("one"), says("two"), says("three"), says("four"));
      const screen = start();
      await screen.until(PROMPT);
      screen.type("日本語 tset\u007f\u007f\u007fest\u001b[D\u001b[D\u001b[D\u001b[Dmy \r");
      await screen.until("one");
      expect(lastMessage(model)["content"]).toBe("日本語 my test");
      let mark = screen.mark();
      screen.type("\u0012my t\r");
      await screen.until("two", mark);
      expect(lastMessage(model)["content"]).toBe("日本語 my test");
      mark = screen.mark();
      await screen.until(PROMPT);
      screen.type("first \\\rsecond\r");
      await screen.until("three", mark);
      expect(lastMessage(model)["content"]).toBe("first \nsecond");
      mark = screen.mark();
      await screen.until(PROMPT);
      // A paste is text: its line ends press nothing, and a leading ! is asked about.
      screen.type("\u001b[200~!touch pasted\nrm -rf x\u001b[201~");
      await screen.until("rm -rf x", mark);
      expect(model.seen.length).toBe(3);
      screen.type("\r");
      await screen.until("run it?", mark);
      await answer(screen, "n");
      expect(screen.screen().match(/!touch pasted\\nrm -rf x/g)?.length).toBe(1);
      await screen.until(PROMPT);
      expect(home.files().some(({ file }) => file.endsWith("pasted"))).toBe(false);
      // A long one is named, not drawn with every key, and arrives whole.
      const long = `${"word ".repeat(10_000)}end`;
      screen.type(`\u001b[200~${long}\u001b[201~`);
      await screen.until("[50,003 characters in 1 lines]");
      screen.type("\r");
      await screen.until("four", mark);
      expect(lastMessage(model)["content"]).toBe(long);
    }));

  test("reasoning is not shown but summarised; :think shows it", () =>
    chat(async ({ home, model, start }) => {
      home.settings(modelSettings(model.url));
      model.push({
        chunks: [
          { choices: [{ index: 0, delta: { reasoning_content: "secret thoughts" } }] },
          text("Hi."),
          finish("stop"),
        ],
      });
      const screen = start();
      await screen.until(PROMPT);
      await say(screen, "hm");
      await screen.until(/thought for \d+\.\d s \(15 characters\) · :think shows it/);
      expect(screen.screen()).not.toContain("secret thoughts");
      await say(screen, ":think");
      await screen.until("secret thoughts");
    }));

  test("unknown commands never reach the model; :: does", () =>
    chat(async ({ home, model, start }) => {
      home.settings(modelSettings(model.url));
      model.push(says("ok"));
      const screen = start();
      await screen.until(PROMPT);
      await say(screen, ":hepl");
      await screen.until("did you mean :help?");
      await say(screen, "::hepl");
      await screen.until("ok");
      expect(lastMessage(model)["content"]).toBe(":hepl");
      const mark = screen.mark();
      await say(screen, ":help");
      await screen.until(":mcp disconnect ALIAS", mark);
    }));
});

describe.concurrent("commands", () => {
  test("CMD: is shown exactly, run on yes, and its output goes with the next question", () =>
    chat(async ({ home, model, start }) => {
      home.settings(modelSettings(model.url));
      model.push(says("Let me look.\n\nCMD: echo from-the-shell\n"), says("It said so."));
      const screen = start();
      await screen.until(PROMPT);
      await say(screen, "look");
      await screen.until("run this command here?");
      await answer(screen, "y");
      await screen.until(/┌ \$ echo from-the-shell\n│ from-the-shell\n└ exit 0/);
      await screen.until(PROMPT);
      await say(screen, "and?");
      await screen.until("It said so.");
      expect(lastMessage(model)["content"]).toMatch(
        /^\[exec\] \$ echo from-the-shell\nexit 0, cwd .*\nfrom-the-shell\n\[end exec\]\n\nand\?$/,
      );
    }));

  test("a refused command is remembered as refused; !! is not remembered; cd lasts", () =>
    chat(async ({ home, model, start }) => {
      home.settings(modelSettings(model.url));
      model.push(says("CMD: touch nope\n"), says("ok"));
      const screen = start();
      await screen.until(PROMPT);
      await say(screen, "go");
      await screen.until("run this command here?");
      await answer(screen, "");
      await screen.until("not run");
      await say(screen, "!!echo unseen");
      await screen.until("│ unseen");
      await say(screen, "!cd /");
      await screen.until("now in /");
      await say(screen, "!pwd");
      await screen.until(/│ \/\n└ exit 0/);
      await say(screen, "what now");
      await screen.until(/\nok\n/);
      const content = String(lastMessage(model)["content"]);
      expect(content).toContain("$ touch nope\nnot run: refused by the user");
      expect(content).not.toContain("unseen");
      expect(content).toContain("$ pwd\nexit 0, cwd /\n/\n");
      expect(home.files().some(({ file }) => file.endsWith("nope"))).toBe(false);
    }));

  test("hidden characters in a command need the whole word yes", () =>
    chat(async ({ home, model, start }) => {
      home.settings(modelSettings(model.url));
      model.push(says("CMD: echo a\u202eb > made\n"));
      const screen = start();
      await screen.until(PROMPT);
      await say(screen, "go");
      await screen.until("type yes to run it");
      expect(screen.screen()).toContain("echo a\\u202eb > made");
      await answer(screen, "y");
      await screen.until("not run");
      expect(home.files().some(({ file }) => file.endsWith("made"))).toBe(false);
    }));
});

describe.concurrent("tools", () => {
  test("approved once, refused with a reason, always allowed, a tool that fails", () =>
    chat(async ({ home, model, start }) => {
      home.settings(modelSettings(model.url, odd()));
      model.push(
        calls(["odd__echo", { text: "one" }]),
        says("done one"),
        calls(["odd__echo", { text: "two" }]),
        says("done two"),
        calls(["odd__echo", { text: "three" }]),
        says("done three"),
        calls(["odd__echo", { text: "four" }], ["odd__fail", {}]),
        says("done four"),
      );
      const screen = start();
      await screen.until(/mcp: odd ready \(11 tools/);
      await say(screen, "first");
      await screen.until(
        /┌ odd\.echo {2}server: odd \(stdio [\s\S]*?\n│ text {2}"one"\n└ call it\? {2}\[y\]es {2}\[N\]o {2}\[r\]eason {2}\[a\]lways {2}\[\?\]$/,
      );
      await answer(screen, "y");
      await screen.until(/┌ odd\.echo\n│ you said one\n└ ok · 12 B · \d+ ms\ndone one/);
      let mark = screen.mark();
      await say(screen, "second");
      await screen.until("call it?", mark);
      await answer(screen, "r");
      await screen.until("reason:");
      await answer(screen, "use the staging database");
      await screen.until("refused odd.echo; your reason goes to the model", mark);
      await screen.until("done two", mark);
      expect(lastMessage(model)["content"]).toBe("Refused by the user. Reason: use the staging database");
      mark = screen.mark();
      await say(screen, "third");
      await screen.until("call it?", mark);
      await answer(screen, "a");
      await screen.until("[f]from now on", mark);
      await answer(screen, "f");
      await screen.until("allowed from now on: odd.echo", mark);
      await screen.until("done three", mark);
      mark = screen.mark();
      await say(screen, "fourth");
      await screen.until("2 calls: odd.echo, odd.fail", mark);
      await screen.until("│ you said four", mark);
      await screen.until("┌ odd.fail  server", mark);
      await answer(screen, "y");
      await screen.until(/│ Error: no such file: note\.txt\n└ failed · \d+ ms \(told the model\)/, mark);
      await screen.until("done four", mark);
      // What was allowed from now on holds in the next run, and lapses when the definition changes.
      screen.type(CTRL_D);
      await screen.exited;
      model.push(calls(["odd__echo", { text: "x" }]), says("ok"), calls(["odd__echo", { text: "x" }]), says("ok"));
      expect((await aish(home, ["-p", "go"])).code).toBe(0);
      writeFileSync(path.join(home.work, "odd-changed"), "");
      expect((await aish(home, ["-p", "go"])).code).toBe(3);
    }));

  test("a model that loops: after so many rounds the person decides", () =>
    chat(async ({ home, model, start }) => {
      home.settings(
        modelSettings(model.url, `[mcp]\nmax_tool_depth = 2\n${odd()}[mcp.auto_approve]\n"odd.*" = true\n`),
      );
      for (let n = 0; n < 3; n += 1) model.push(calls(["odd__echo", { text: String(n) }]));
      model.push(says("Wrapped up."), says("fine"));
      const screen = start();
      await screen.until(/odd ready/);
      await say(screen, "loop");
      await screen.until("tool-call depth limit reached (2 rounds)");
      await answer(screen, "w");
      await screen.until("Wrapped up.");
      expect(model.seen.at(-1)?.body["tool_choice"]).toBe("none");
      await say(screen, "next");
      await screen.until("fine");
    }));

  test(":mcp connect at run time, list, tools, call by hand, disconnect", () =>
    chat(async ({ home, model, start }) => {
      const tool = defineTool({
        name: "time",
        description: "Tells the time",
        input: object({}),
        run: async () => toolText("noon"),
      });
      const web = serveHttp(createServer({ name: "web", version: "1", tools: [tool] }), {});
      home.settings(modelSettings(model.url));
      model.push(calls(["demo__time", {}]), says("It is noon."));
      const screen = start();
      await screen.until(PROMPT);
      await say(screen, `:mcp connect ${web.url.href}`);
      await screen.until(/mcp: local-\d+ ready \(1 tool/);
      await say(screen, `:mcp connect ${web.url.href} demo`);
      await screen.until(/is now called demo \(1 tool\) · not saved; :mcp save demo keeps it/);
      let mark = screen.mark();
      await say(screen, ":mcp list");
      await screen.until(
        /alias +state +where +proto +tools +tokens +last\ndemo +ready +http 127\.0\.0\.1:\d+\/mcp +2026-07-28 +1/,
        mark,
      );
      await say(screen, ":mcp tools");
      await screen.until(/demo\.time +Tells the time +ask/, mark);
      mark = screen.mark();
      await say(screen, ":call demo.time {}");
      await screen.until("call it?", mark);
      await answer(screen, "y");
      await screen.until("│ noon", mark);
      mark = screen.mark();
      await say(screen, "what time is it?");
      await screen.until("call it?", mark);
      await answer(screen, "y");
      await screen.until("It is noon.", mark);
      await say(screen, ":mcp save demo");
      await screen.until("is now in", mark);
      expect(readFileSync(path.join(home.folder, "config/bosun/config.toml"), "utf8")).toContain("[mcp.servers.demo]");
      mark = screen.mark();
      await say(screen, ":mcp disconnect demo");
      await screen.until("demo disconnected; 1 tool gone", mark);
      await say(screen, ":mcp disconnect demo");
      await screen.until('no server called "demo" (connected: none)', mark);
      await web.stop();
    }));
});

test.concurrent("a server asks the person in the middle of a call", () =>
  chat(async ({ home, model, start }) => {
    home.settings(modelSettings(model.url, `${odd()}[mcp.auto_approve]\n"odd.*" = true\n`));
    model.push(calls(["odd__ask", {}]), says("ok"), calls(["odd__ask", {}]), says("fine"));
    const screen = start();
    await screen.until(/odd ready/);
    await say(screen, "go");
    await screen.until(/┌ odd asks\n│ Who is\\x1b\[2J there\?\n└ answer it\? \[y\/N\]/);
    await answer(screen, "y");
    await screen.until("name:");
    await answer(screen, "Ada");
    await screen.until("many [optional]:");
    await answer(screen, "3");
    await screen.until(/\nok\n/);
    expect(lastMessage(model)["content"]).toBe('{"action":"accept","content":{"name":"Ada","many":3}}');
    await say(screen, "again");
    await screen.until(/odd asks[\s\S]*odd asks[\s\S]*answer it/);
    await answer(screen, "");
    await screen.until(/\nfine\n/);
    expect(lastMessage(model)["content"]).toContain("decline");
  }),
);

test.concurrent("a tool that changes while its question is open is asked about again", () =>
  chat(async ({ home, model, start }) => {
    const raw = path.join(import.meta.dir, "raw-server.ts");
    home.settings(modelSettings(model.url, stdioServer("raw", BUN, [raw, "shifty"])));
    model.push(calls(["raw__grow", {}]), says("ok"));
    const screen = start();
    await screen.until(/raw ready/);
    await say(screen, "go");
    await screen.until("call it?");
    await screen.until("raw: 1 changed (grow)");
    await answer(screen, "y");
    await screen.until("its definition changed while you decided; asking again");
    const mark = screen.mark();
    await answer(screen, "v");
    await screen.until(/- description: "Adds a tool"\n│ .*\+ description: "Adds a tool and deletes the others"/, mark);
    await answer(screen, "y");
    await screen.until("│ grown", mark);
  }),
);

test.concurrent("a server that ends between two questions comes back by itself", () =>
  chat(async ({ home, model, start }) => {
    home.settings(modelSettings(model.url, `${odd()}[mcp.auto_approve]\n"odd.*" = true\n`));
    model.push(calls(["odd__die", {}]), says("it died"), calls(["odd__echo", { text: "back" }]), says("it lives"));
    const screen = start();
    await screen.until(/odd ready/);
    await say(screen, "die");
    await screen.until("it died");
    await screen.until(/odd failed: it ended: exit 1, it said: going down/);
    await screen.until(/odd failed[\s\S]*odd ready/);
    const mark = screen.mark();
    await say(screen, "and now");
    await screen.until("│ you said back", mark);
    await screen.until("it lives", mark);
  }),
);

describe.concurrent("the prompt is there although servers are not", () => {
  test("one dead, one mute, one that floods: type at once, ask, and Ctrl-C skips the waiting", () =>
    chat(async ({ home, model, start }) => {
      home.settings(modelSettings(model.url, `${odd("dead", "dead")}${odd("mute", "mute")}${odd("flood", "flood")}`));
      model.push(says("Still here."));
      const screen = start();
      await screen.until("connecting…");
      await screen.until(PROMPT);
      await say(screen, "hello");
      await screen.until("Still here.");
      expect(model.seen.at(-1)?.body["tools"]).toBeUndefined();
      await screen.until(PROMPT);
      screen.type("half a li");
      // A status line that arrives while typing stands above; the text and the cursor stay.
      await screen.until("dead failed: it ended: exit 3, it said: cannot open the database");
      await screen.until(/aish> half a li$/);
      screen.type(`${CTRL_C}${CTRL_C}`);
      await screen.until("mute failed: skipped");
      screen.type(CTRL_D);
      expect(await screen.exited).toBe(0);
    }));
});

describe.concurrent("Ctrl-C works in every state", () => {
  test("waiting, streaming, question, tool, command, idle; then the next question is valid", () =>
    chat(async ({ home, model, start }) => {
      home.settings(modelSettings(model.url, odd()));
      model.push({ chunks: [], end: "hang" }, { chunks: [text("Tides are")], end: "hang" });
      const screen = start();
      await screen.until(/odd ready/);
      await screen.until(PROMPT);
      let mark = screen.mark();
      await say(screen, "wait");
      await screen.until("waiting…", mark);
      screen.type(CTRL_C);
      await screen.until(/stopped\naish>$/, mark);
      mark = screen.mark();
      await say(screen, "essay");
      await screen.until("Tides are", mark);
      screen.type(CTRL_C);
      await screen.until(/stopped; what was said is kept \(:undo drops it\)\naish>$/, mark);
      model.push(calls(["odd__echo", { text: "a" }, "a"], ["odd__echo", { text: "b" }, "b"]));
      mark = screen.mark();
      await say(screen, "tools");
      await screen.until("call it?", mark);
      screen.type(CTRL_C);
      await screen.until(/stopped\naish>$/, mark);
      model.push(calls(["odd__slow", {}]));
      mark = screen.mark();
      await say(screen, "slow");
      await screen.until("call it?", mark);
      await answer(screen, "y");
      await screen.until(/running….*\d+ %/, mark);
      screen.type(CTRL_C);
      await screen.until("asking odd to cancel…", mark);
      await screen.until("odd.slow cancelled; it may have done part of its work", mark);
      await screen.until(PROMPT);
      mark = screen.mark();
      await say(screen, "!echo begun; sleep 60");
      await screen.until("│ begun", mark);
      screen.type(CTRL_C);
      await screen.until("exit SIGINT", mark);
      model.push(says("All good."));
      mark = screen.mark();
      await say(screen, "still there?");
      await screen.until("All good.", mark);
      // The server was in another group and is alive: its tools are still offered.
      expect(JSON.stringify(model.seen.at(-1)?.body["tools"])).toContain("odd__slow");
      const said = JSON.stringify(model.seen.at(-1)?.body["messages"]);
      expect(said).toContain("Cancelled by the user while running; it may have run in part.");
      expect(said).toContain("Refused by the user.");
      await screen.until(PROMPT);
      screen.type(CTRL_C);
      await screen.until("(Ctrl-D or :quit leaves)", mark);
      await screen.until(PROMPT);
      screen.type(CTRL_C);
      expect(await screen.exited).toBe(0);
    }));

  test("what was typed before the question does not answer it", () =>
    chat(async ({ home, model, start }) => {
      home.settings(modelSettings(model.url, odd()));
      const slow = Array.from({ length: 30 }, () => text("word "));
      model.push(
        {
          ...calls(["odd__echo", { text: "a" }]),
          chunks: [...slow, ...(calls(["odd__echo", { text: "a" }]).chunks ?? [])],
          betweenMs: 30,
        },
        says("ok"),
      );
      const screen = start();
      await screen.until(/odd ready/);
      await say(screen, "go");
      await screen.until("word word");
      screen.type("y\r");
      await screen.until("call it?");
      await Bun.sleep(600); // nothing tells of an answer that was not taken
      expect(model.seen.length).toBe(1);
      expect(screen.screen()).toMatch(/call it\? {2}\[y\]es {2}\[N\]o {2}\[r\]eason {2}\[a\]lways {2}\[\?\]$/);
      screen.type("\r");
      await screen.until("refused odd.echo");
      expect(screen.screen()).not.toContain("you said a");
    }));
});

describe.concurrent("the commands that begin with a colon", () => {
  test("policy: allow, ask, deny, save, and where each rule comes from", () =>
    chat(async ({ home, model, start }) => {
      home.settings(modelSettings(model.url, `${odd()}[mcp.auto_approve]\n"odd.fail" = "deny"\n`));
      model.push(
        calls(["odd__echo", { text: "a" }]),
        says("done a"),
        calls(["odd__echo", { text: "b" }]),
        says("done b"),
      );
      const screen = start();
      await screen.until(/odd ready/);
      await say(screen, ":allow odd.echo");
      await screen.until("allowed: odd.echo with any arguments, for this session");
      await say(screen, "one");
      await screen.until("done a");
      await say(screen, ":policy");
      await screen.until(
        /deny +mcp\.auto_approve "odd\.fail" \(.*config\.toml:\d+\)\nallow +odd\.echo with any arguments, for this session/,
      );
      await say(screen, ":deny odd.echo");
      await screen.until("denied for this session: odd.echo");
      await say(screen, "two");
      await screen.until("done b");
      expect(lastMessage(model)["content"]).toMatch(/no such tool|Not allowed/);
      await say(screen, ":ask odd.echo");
      await screen.until("asked about from now on in this session: odd.echo");
      await say(screen, ":allow odd.echo --save");
      await screen.until("allowed from now on: odd.echo");
      const file = path.join(home.folder, "config/bosun/config.toml");
      expect(readFileSync(file, "utf8")).toContain('[mcp.auto_approve]\n"odd.echo" = true\n"odd.fail" = "deny"');
      await say(screen, ":allow nope.x");
      await screen.until('no tool that is connected matches "nope.x"');
    }));

  test("context, cost, audit, undo, retry, go, export, new, sessions, resume, model, config, edit, last", () =>
    chat(async ({ home, model, start }) => {
      const editor = path.join(home.work, "editor.sh");
      writeFileSync(editor, "#!/bin/sh\necho 'written in the editor' > \"$1\"\n", { mode: 0o755 });
      home.settings(
        modelSettings(
          model.url,
          `[models.other]\nbase_url = "${model.url}"\n${odd()}[mcp.auto_approve]\n"odd.*" = true\n`,
        ),
      );
      model.push(
        calls(["odd__big", {}]),
        says("first answer"),
        says("second answer"),
        says("third answer"),
        says("fourth answer"),
      );
      const screen = start([], { env: { EDITOR: editor } });
      await screen.until(/odd ready/);
      let mark = screen.mark();
      const run = async (line: string, until: string | RegExp): Promise<void> => {
        mark = screen.mark();
        await say(screen, `${line}`);
        await screen.until(until, mark);
        await screen.until(/aish>/, mark);
      };
      await run("a question", "first answer");
      expect(screen.screen()).toContain("more lines (:last shows all)");
      await run(":context", /tools of odd +[\d,]+ +\d+%[\s\S]*room left/);
      await run(":cost", /odd\.big +1 call /);
      await run(":audit", /decision odd\.big allow[\s\S]*outcome +odd\.big ok/);
      await run(":undo", "dropped: a question");
      await run("another", "second answer");
      await run(":retry", "third answer");
      await run("!echo remembered", "exit 0");
      await run(":go", "fourth answer");
      expect(String(lastMessage(model)["content"])).toMatch(/remembered[\s\S]*\(continue\)$/);
      await run(":export talk.md", "written to");
      expect(readFileSync(path.join(home.work, "talk.md"), "utf8")).toContain("## You\n\nanother");
      await run(":model other", "now talking to other");
      await run(":model", "other: other at");
      await run(":models", /\* other +other at .* +answers/);
      await run(":config", /settings: .*config\.toml/);
      await run(":forget", "0 outputs dropped");
      await run(":think", "(no reasoning yet)");
      await run(":last error", "(no error)");
      await run(":new", "new session");
      await run(":sessions", /\d{8}-\d{4}-\w{4} +0 min +\S+ turns +a question/);
      await run(":resume", "resumed");
      await run(":help approval", "Enter is no");
      await run(":mcp log odd", "tools/call big");
      mark = screen.mark();
      await say(screen, ":edit");
      await screen.until("aish> written in the editor", mark);
    }));
});

describe.concurrent("the terminal goes to others and comes back", () => {
  test(":tty, an edited argument, and suspend", () =>
    chat(async ({ home, model, start }) => {
      const editor = path.join(home.work, "editor.sh");
      writeFileSync(editor, `#!/bin/sh\nprintf '{"text":"edited"}' > "$1"\n`, { mode: 0o755 });
      home.settings(modelSettings(model.url, odd()));
      model.push(calls(["odd__echo", { text: "original" }]), says("ok"));
      const screen = start([], { env: { EDITOR: editor } });
      await screen.until(/odd ready/);
      await screen.until(PROMPT);
      await say(screen, ":tty echo it is $((40+2)); read x; echo got:$x");
      await screen.until("it is 42"); // the child has the terminal
      screen.type("a line for the child\r");
      await screen.until("got:a line for the child");
      await screen.until(PROMPT);
      await say(screen, "go");
      await screen.until("call it?");
      await answer(screen, "e");
      await screen.until('│ text  "edited"');
      await answer(screen, "y");
      await screen.until("you said edited");
      await screen.until(/\nok\n/);
      expect(JSON.stringify(model.seen.at(-1)?.body["messages"])).toContain(
        '(the user changed the arguments to {\\"text\\":\\"edited\\"})',
      );
      await screen.until(PROMPT);
      // Nobody could wake this one, so the system does not stop it: it must go on as if nothing had been pressed.
      const mark = screen.mark();
      screen.type("\u001a");
      while (!screen.bytes().slice(mark).includes("\u001b[?2004h")) await Bun.sleep(10); // it has the terminal again
      model.push(says("Awake."));
      await say(screen, "hello again");
      await screen.until("Awake.");
    }));
});

test.concurrent("suspended by a shell with jobs, and brought back", () =>
  chat(async ({ home, model, shell }) => {
    home.settings(modelSettings(model.url));
    model.push(says("Awake."));
    const screen = shell();
    await screen.until("$");
    screen.type(`'${BUN}' --no-env-file --config=/dev/null '${AISH}'\r`);
    await screen.until(PROMPT);
    screen.type("half");
    await screen.until("aish> half");
    screen.type("\u001a");
    await screen.until("Stopped");
    const mark = screen.mark();
    screen.type("echo in-the-$((40+2))-shell\r");
    await screen.until("in-the-42-shell", mark);
    screen.type("fg\r");
    await screen.until(/aish> half$/, mark);
    screen.type(" a question\r");
    await screen.until("Awake.", mark);
    expect(lastMessage(model)["content"]).toBe("half a question");
  }),
);

describe.concurrent("endings and resume", () => {
  test("kill -9 in the middle of a call, then resume: repaired, said, and valid", () =>
    chat(async ({ home, model, start }) => {
      home.settings(modelSettings(model.url, odd()));
      model.push(calls(["odd__slow", {}]));
      const screen = start();
      await screen.until(/odd ready/);
      await say(screen, "slow please");
      await screen.until("call it?");
      await answer(screen, "y");
      await screen.until("running…");
      screen.signal("SIGKILL");
      await screen.exited;
      model.push(says("Welcome back."));
      const again = start(["--resume"]);
      await again.until(/resuming \d{8}-\d{4}-\w{4} · \d+ turns · last used 0 min ago/);
      await again.until("repaired: a call to odd.slow had no result (the program ended while it ran)");
      await again.until("> slow please");
      await again.until(PROMPT);
      await say(again, "go on");
      await again.until("Welcome back.");
      expect(JSON.stringify(model.seen.at(-1)?.body["messages"])).toContain(
        "Outcome unknown: the program ended while the tool was running.",
      );
    }));

  test("a closed terminal ends it, the log is whole, and no server is left", () =>
    chat(async ({ home, model, start }) => {
      home.settings(modelSettings(model.url, `${odd()}${odd("mute", "mute")}`));
      model.push({ chunks: [text("Half a")], end: "hang" });
      const screen = start();
      await screen.until(/odd ready/);
      await say(screen, "talk");
      await screen.until("Half a");
      screen.signal("SIGHUP");
      expect(await screen.exited).toBe(129);
      const log = home.files().find(({ file }) => file.includes("sessions") && file.endsWith(".jsonl"));
      expect(log?.text).toContain('"content":"Half a"');
      await untilNoProcessIn(home.work);
    }));

  test.each<[state: string, step: Step, go: (screen: Pty) => Promise<void>]>([
    ["at the prompt", says(""), async () => {}],
    [
      "while words come",
      { chunks: [text("Half a")], end: "hang" },
      async (screen) => {
        await say(screen, "talk");
        await screen.until("Half a");
      },
    ],
    [
      "at a question",
      calls(["odd__echo", { text: "x" }]),
      async (screen) => {
        await say(screen, "echo");
        await screen.until("call it?");
      },
    ],
    [
      "while a tool runs",
      calls(["odd__slow", {}]),
      async (screen) => {
        await say(screen, "slow");
        await screen.until("call it?");
        await answer(screen, "y");
        await screen.until("running…");
      },
    ],
    [
      "while a command runs",
      says(""),
      async (screen) => {
        await say(screen, "!echo begun; sleep 60");
        await screen.until("│ begun");
      },
    ],
  ])("the window is closed %s: it ends, and nothing of it is left", (_, step, go) =>
    chat(async ({ home, model, start }) => {
      home.settings(modelSettings(model.url, odd()));
      model.push(step);
      const screen = start();
      await screen.until(/odd ready/);
      await screen.until(PROMPT);
      await go(screen);
      screen.hangUp();
      expect(await screen.exited).toBe(129);
      await untilNoProcessIn(home.work);
    }),
  );
});
