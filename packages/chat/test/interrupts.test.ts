// Ctrl-C, signals and kill -9, wherever they come: something reacts, nothing is left running, and the next request is
// valid. The states that interactive.test.ts walks through are not repeated here.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import path from "node:path";
import { ALLOW_ALL, chat, lastMessage, odd, raw } from "./chat.ts";
import { AISH, aishProcess, processesIn } from "./home.ts";
import { answer, CTRL_C, PROMPT, say } from "./pty.ts";
import { calls, says, text } from "./scripted-model.ts";

describe.concurrent("Ctrl-C", () => {
  test("while a tool runs: the prompt is back at once, and a result that was on its way still counts", () =>
    chat(async ({ model, settings, start }) => {
      settings(`${raw("late")}${ALLOW_ALL("raw")}`);
      model.push(calls(["raw__grow", {}]), says("I see it."));
      const screen = start();
      await screen.until(/raw ready/);
      await say(screen, "go");
      await screen.until("running…");
      screen.type(CTRL_C);
      await screen.until(
        /asking raw to cancel…\n[\s\S]*cancelled; it may have done part of its work\n\[aish\] stopped/,
      );
      await screen.until("raw.grow had finished all the same; its result goes to the model (:last shows it)");
      await say(screen, "and?");
      await screen.until("I see it.");
      expect(JSON.stringify(model.seen.at(-1)?.body["messages"])).toContain(
        "Cancelled by the user, but it had finished:\\ndone all the same",
      );
    }));

  test("while a server is started: skipped, its process gone, and it can be tried again", () =>
    chat(async ({ home, settings, start }) => {
      settings();
      const screen = start();
      await say(screen, ":mcp connect -- sh -c 'exec sleep 7777'");
      await screen.until('this starts a program: sh -c "exec sleep 7777"');
      await answer(screen, "y");
      await until(() => processesIn(home.work).some((line) => line.startsWith("sleep 7777")));
      screen.type(CTRL_C);
      await screen.until(PROMPT);
      screen.type(CTRL_C); // at the prompt: those that are still connecting are skipped
      await screen.until("sh failed: skipped");
      await until(() => processesIn(home.work).every((line) => !line.startsWith("sleep 7777")));
      await say(screen, ":mcp reconnect sh");
      await until(() => processesIn(home.work).some((line) => line.startsWith("sleep 7777")));
      screen.type(CTRL_C);
      await say(screen, ":mcp list");
      await screen.until(/sh +connecting…/);
      await say(screen, ":mcp disconnect sh");
      await until(() => processesIn(home.work).every((line) => !line.startsWith("sleep 7777")));
    }));

  test("while waiting to try again: the countdown ends, the question stays unanswered and valid", () =>
    chat(async ({ model, settings, start }) => {
      settings();
      model.push({ status: 429, headers: { "retry-after": "50" }, body: '{"error":"slow down"}' }, says("Now."));
      const screen = start();
      await say(screen, "first");
      await screen.until(/HTTP 429: slow down; trying again in \d+ s \(Ctrl-C stops\)$/);
      screen.type(CTRL_C);
      await say(screen, "second");
      await screen.until("Now.");
      expect(model.seen.length).toBe(2);
    }));

  test("at the limit question and while summarising: both end the turn", () =>
    chat(async ({ model, settings, start }) => {
      settings(`[mcp]\nmax_tool_depth = 1\n${odd()}${ALLOW_ALL("odd")}`);
      model.push(
        calls(["odd__echo", { text: "1" }]),
        calls(["odd__echo", { text: "2" }]),
        says("fine"),
        says("and on"),
      );
      const screen = start();
      await screen.until(/odd ready/);
      await say(screen, "loop");
      await screen.until("[S]top");
      screen.type(CTRL_C);
      await say(screen, "next");
      await screen.until("fine");
      await say(screen, "and");
      await screen.until("and on");
      model.push({ chunks: [], end: "hang" });
      const mark = screen.mark();
      await say(screen, ":compact");
      await until(() => model.seen.length === 5);
      screen.type(CTRL_C);
      await screen.until(/aish>$/, mark);
      model.push(says("all good"));
      await say(screen, "still there?");
      await screen.until("all good");
    }));

  test("three times: a command that ignores being asked is ended, whole group and all", () =>
    chat(async ({ home, settings, start }) => {
      settings();
      const screen = start();
      await say(screen, "!trap '' INT TERM; echo deaf; sleep 7171 & sleep 7171; echo over");
      await screen.until("│ deaf");
      screen.type(CTRL_C);
      await Bun.sleep(150); // a person presses again
      screen.type(CTRL_C);
      await Bun.sleep(150);
      screen.type(CTRL_C);
      await screen.until(/└ exit SIGKILL/);
      await until(() => processesIn(home.work).every((line) => !line.startsWith("sleep 7171")));
    }));
});

describe.concurrent("signals without a terminal", () => {
  test("SIGINT while the model answers: 130, and the log is whole", () =>
    chat(async ({ home, model, settings }) => {
      settings();
      model.push({ chunks: [text("Half a")], end: "hang" });
      const ran = await aishProcess(home, ["-p", "--format", "json", "go"], {
        signalAfter: { when: () => until(() => model.seen.length === 1), signal: "SIGINT" },
      });
      expect(ran.code).toBe(130);
      expect(JSON.parse(ran.stdout)).toMatchObject({ exit: 130 });
      const log = home.files().find(({ file }) => file.endsWith(".jsonl") && file.includes("sessions"));
      expect(log?.text).toContain('"role":"user","content":"go"');
    }));

  test("SIGINT while a tool runs: 130, the server is told and gone", () =>
    chat(async ({ home, model, settings }) => {
      settings(`${odd()}${ALLOW_ALL("odd")}`);
      model.push(calls(["odd__wait", { ms: "60000" }]));
      const log = path.join(home.work, "waits.log");
      const ran = await aishProcess(home, ["-p", "go"], {
        signalAfter: { when: () => until(() => contentOf(log).includes("begin")), signal: "SIGINT" },
      });
      expect(ran.code).toBe(130);
      await until(() => processesIn(home.work).length === 0);
    }));

  test("SIGTERM while a CMD: line runs: 143, and the command is gone", () =>
    chat(async ({ home, model, settings }) => {
      settings();
      model.push(says("CMD: sleep 7272\n"));
      const ran = await aishProcess(home, ["-p", "--allow-cmd", "go"], {
        signalAfter: {
          when: () => until(() => processesIn(home.work).some((line) => line.startsWith("sleep 7272"))),
          signal: "SIGTERM",
        },
      });
      expect(ran.code).toBe(143);
      await until(() => processesIn(home.work).length === 0);
      const audit = home.files().filter(({ file }) => file.includes("audit"));
      expect(audit.map(({ text: lines }) => lines).join("")).toContain('"command":"sleep 7272"');
    }));
});

// Where it is killed is a matter of chance in life; here the points are spread evenly over everything a question does.
const POINTS = process.env["BOSUN_FUZZ"] === "full" ? 40 : 6;

describe.concurrent("kill -9, then resume", () => {
  test.each(Array.from({ length: POINTS }, (_, point) => point))("at point %i of the way", (point) =>
    chat(async ({ home, model, settings }) => {
      settings(`${odd()}${ALLOW_ALL("odd")}`);
      const slowly = { betweenMs: 30 };
      model.push(
        { ...calls(["odd__echo", { text: "a" }], ["odd__wait", { ms: "200" }]), ...slowly },
        { ...says("one ", "two ", "three ", "four ", "five"), ...slowly },
      );
      const child = Bun.spawn([process.execPath, "--no-env-file", "--config=/dev/null", AISH, "-p", "long one"], {
        cwd: home.work,
        env: home.env,
        stdio: ["ignore", "ignore", "ignore"],
      });
      // The first request is the first moment at which there is something to lose; the whole way takes about 700 ms.
      await Promise.race([until(() => model.seen.length > 0), child.exited]);
      await Bun.sleep((point * 900) / POINTS);
      child.kill("SIGKILL");
      await child.exited;
      for (let again = 0; again < 2; again += 1) {
        model.clear();
        model.push(says("Here."), says("Here."), says("Here."));
        const ran = await aishProcess(home, ["-p", "-c", `go on ${again}`]);
        expect([ran.code, ran.stdout]).toEqual([0, "Here.\n"]);
        expect(String(lastMessage(model)["content"])).toContain(`go on ${again}`);
      }
      const messages = JSON.stringify(model.seen.at(-1)?.body["messages"]);
      expect(messages).toContain("long one");
      expect(messages).toContain("go on 0");
    }),
  );
});

async function until(isSo: () => boolean): Promise<void> {
  const startedAt = Date.now();
  while (!isSo()) {
    if (Date.now() - startedAt > 30_000) throw new Error(`never came true: ${isSo.toString()}`);
    await Bun.sleep(20);
  }
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
