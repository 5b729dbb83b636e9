// Records docs/session.txt: one sitting at a real pseudo-terminal, against a scripted model and a real server.
//   bun packages/chat/test/record-session.ts > packages/chat/docs/session.txt
import { writeFileSync } from "node:fs";
import path from "node:path";
import { createServer, defineTool, object, serveHttp, text as toolText } from "@bosun/mcp";
import { makeHome, modelSettings, stdioServer } from "./home.ts";
import { CTRL_C, CTRL_D, startPty } from "./pty.ts";
import { calls, says, startModel, text } from "./scripted-model.ts";

const home = makeHome();
const model = startModel();
// A program with a short name: where this machine keeps its files is nobody's business.
const program = `#!/bin/sh\nexec '${process.execPath}' '${path.join(import.meta.dir, "odd-server.ts")}'\n`;
writeFileSync(path.join(home.work, "lab-server"), program, { mode: 0o755 });
const server = stdioServer("lab", "./lab-server", []);
home.settings(modelSettings(model.url, `[mcp]\nmax_tool_depth = 2\n${server}`));
const tool = defineTool({
  name: "time",
  description: "Tells the time",
  input: object({}),
  run: async () => toolText("noon"),
});
const web = serveHttp(createServer({ name: "clock", version: "1", tools: [tool] }), {});

let pty = startPty(home, [], { env: { NO_COLOR: "1" } });

async function say(line: string, until: string | RegExp): Promise<void> {
  const mark = pty.mark();
  pty.type(`${line}\r`);
  await pty.until(until, mark);
}

async function answer(line: string, until: string | RegExp): Promise<void> {
  await Bun.sleep(300);
  await say(line, until);
}

await pty.until(/lab ready/);
await pty.until(/aish>$/);
model.push(says("A bearer token is a secret string that grants access to whoever presents it."));
await say("what is a bearer token, in one sentence?", /aish>$/);
model.push(calls(["lab__echo", { text: "hello" }]), says("The server repeated it."));
await say("say hello to the lab", "call it?");
await answer("y", /aish>$/);
model.push(calls(["lab__echo", { text: "drop it" }]), says("I will use the staging database."));
await say("now something else", "call it?");
await answer("r", "reason:");
await answer("use the staging database", /aish>$/);
model.push(
  calls(["lab__echo", { text: "again" }]),
  says("Done."),
  calls(["lab__echo", { text: "unasked" }]),
  says("That ran without a question."),
);
await say("once more", "call it?");
await answer("a", "always allow");
await answer("f", /aish>$/);
await say("and again", /aish>$/);
model.push(calls(["lab__fail", {}]), says("The file note.txt does not exist."));
await say("read note.txt", "call it?");
await answer("y", /aish>$/);
model.push(
  ...["1", "2", "3"].map((n) => calls(["lab__echo", { text: n }])),
  says("I went round in circles; that is all I have."),
);
await say("loop, please", "depth limit");
await answer("w", /aish>$/);
model.push(says("Let me check.\n\nCMD: echo 78% used\n"), says("The disk is fine."));
await say("how full is my disk?", "run this command");
await answer("y", /aish>$/);
await say("so?", /aish>$/);
model.push({ chunks: [text("Tides are the regular rise and fall of the sea, caused by")], end: "hang" });
await say("write a long essay about tides", "caused by");
pty.type(CTRL_C);
await pty.until(/\(:undo drops it\)\naish>$/);
model.push(calls(["lab__slow", {}]));
await say("reindex everything", "call it?");
await answer("y", "running…");
pty.type(CTRL_C);
await pty.until(/part of its work\n\[aish\] stopped[^\n]*\naish>$/);
await say(`:mcp connect ${web.url.href} clock`, /clock ready/);
await say(":mcp list", /aish>$/);
await say(":mcp tools clock", /aish>$/);
await say(":call clock.time {}", "call it?");
await answer("y", /aish>$/);
await say(":cost", /aish>$/);
pty.type(CTRL_D);
await pty.exited;
const first = pty.screen();
pty = startPty(home, ["--resume"], { env: { NO_COLOR: "1" } });
await pty.until(/lab ready/);
await pty.until(/aish>$/);
pty.type(CTRL_D);
await pty.exited;
const recorded = `$ aish\n${first}\n$ aish --resume\n${pty.screen()}\n`;
process.stdout.write(recorded.replaceAll(home.folder, "~"));
await pty.stop();
await web.stop();
await model.stop();
home.remove();
process.exit(0);
