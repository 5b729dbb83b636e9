// bosun chat asks before it calls the tools of this folder: the question shows where a path leads, and the call that was
// approved goes there or nowhere.
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { chat, lastMessage } from "../../chat/test/chat.ts";
import type { Chat } from "../../chat/test/chat.ts";
import { answer, PROMPT, say } from "../../chat/test/pty.ts";
import { calls, says } from "../../chat/test/scripted-model.ts";

const MAIN = path.join(import.meta.dir, "../src/main.ts");
const CALL = { path: "a/link", content: "written" };

test.each<[string, (work: string) => void, RegExp, string | undefined]>([
  ["a link that stays what it is", () => {}, /Created/, "written"],
  ["a link that is set to another file", (work) => repoint(work, "../b/y"), /moved, made or replaced after/, undefined],
  ["a name that was taken", (work) => writeFileSync(`${work}/a/x`, "mine"), /moved, made or replaced after/, "mine"],
])("the question shows where a path leads, and holds the call to it: %s", (_, meanwhile, said, left) =>
  chat(async (one) => {
    const { work, screen } = await askedAbout(one);
    meanwhile(work);
    await answer(screen, "y");
    await screen.until("done");
    await screen.until(PROMPT);
    expect(String(lastMessage(one.model)["content"])).toMatch(said);
    expect(readFileSync(`${work}/b/y`, "utf8")).toBe("b");
    expect(existsSync(`${work}/a/x`) ? readFileSync(`${work}/a/x`, "utf8") : undefined).toBe(left);
  }),
);

async function askedAbout({ home, model, settings, start }: Chat) {
  const work = realpathSync(home.work);
  for (const name of ["a", "b"]) mkdirSync(`${work}/${name}`);
  writeFileSync(`${work}/b/y`, "b");
  symlinkSync("x", `${work}/a/link`);
  settings();
  model.push(calls(["here__create_file", CALL]), says("done"));
  const screen = start([], { program: [MAIN, "chat"], columns: 200 });
  await screen.until("here ready");
  await say(screen, "go");
  await screen.until("call it?");
  expect(screen.screen()).toContain(`path: a/link → ${work}/a/x`);
  return { work, screen };
}

function repoint(work: string, to: string): void {
  rmSync(`${work}/a/link`);
  symlinkSync(to, `${work}/a/link`);
}
