// What foreign text must not do to a screen, and what must not be allowed unseen: rows C2 and C3 of the threat table, at a
// real terminal.
import { describe, expect, test } from "bun:test";
import { ALLOW_ALL, chat, odd, raw } from "./chat.ts";
import { answer, PROMPT, say, strangers } from "./pty.ts";
import { calls, says, text } from "./scripted-model.ts";

describe.concurrent("C2 long or multi-line arguments", () => {
  test("5,000 characters with the payload at the end: allowed only after it was on the screen", () =>
    chat(async ({ model, settings, start }) => {
      settings(odd());
      const payload = `${"harmless ".repeat(550)}AND-THEN-DELETE`;
      model.push(calls(["odd__echo", { text: payload, password: "hunter2-hunter2" }]), says("ok"));
      const screen = start();
      await screen.until(/odd ready/);
      await say(screen, "go");
      await screen.until(/… 4,\d+ more characters/);
      expect(screen.screen()).not.toContain("AND-THEN-DELETE");
      expect(screen.screen()).not.toContain("hunter2-hunter2");
      await answer(screen, "y");
      await screen.until("not everything was shown");
      await screen.until("AND-THEN-DELETE");
      expect(model.seen.length).toBe(1);
      await answer(screen, "y");
      await screen.until(/\nok\n/);
    }));

  test("many lines and many arguments: the same", () =>
    chat(async ({ model, settings, start }) => {
      settings(odd());
      const many = Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`key${n}`, n === 89 ? "LAST" : n]));
      model.push(calls(["odd__number", { ...many, text: `${"line\n".repeat(30)}END` }]), says("ok"));
      const screen = start();
      await screen.until(/odd ready/);
      await say(screen, "go");
      await screen.until("… 31 more arguments");
      await answer(screen, "a");
      await screen.until("not everything was shown");
      await screen.until("LAST");
      await screen.until(/│ +END/);
      await answer(screen, "n");
      await screen.until(/\nok\n/);
    }));

  test("more than can be shown cannot be allowed at all", () =>
    chat(async ({ model, settings, start }) => {
      settings(odd());
      model.push(calls(["odd__echo", { text: `${"x".repeat(1_000_100)}AND-THEN-DELETE` }]), says("ok"));
      const screen = start([], { columns: 250 });
      await screen.until(/odd ready/);
      await say(screen, "go");
      await screen.until("more characters");
      const mark = screen.mark();
      await answer(screen, "y");
      await screen.untilBytes("call it?", mark + 900_000);
      await answer(screen, "y");
      await screen.untilBytes("there is more than can be shown, so it cannot be allowed as it is", mark);
      await answer(screen, "y");
      expect(model.seen.length).toBe(1);
      await answer(screen, "n");
      await screen.untilBytes("calls and results of this question fill the context window", mark);
      await answer(screen, "");
      await screen.untilBytes("aish> ", mark);
      expect(model.seen.length).toBe(1);
    }));
});

describe.concurrent("C3 escape sequences, bidi, links, clipboard, titles", () => {
  test("model text, tool names, descriptions, arguments, results, progress and errors", () =>
    chat(async ({ model, settings, start }) => {
      settings(odd());
      const evil = "\u001b]0;pwned\u0007\u001b[2J\u009b31m\u202eabc\u2066\u200b";
      model.push(
        {
          chunks: [
            text(`Hello ${evil}\n[aish] fake status\n┌ fake frame\n└ call it? y\n`),
            ...(calls(["odd__hostile", { text: `${evil}\n└ call it? [y]` }]).chunks ?? []),
          ],
        },
        { status: 418, body: JSON.stringify({ error: { message: `teapot ${evil}` } }) },
      );
      const screen = start();
      await screen.until(/odd ready/);
      await say(screen, "go");
      await screen.until("call it?  [y]es");
      await answer(screen, "v");
      await screen.until(/call it\?[\s\S]*call it\?/);
      await answer(screen, "y");
      await screen.until("└ ok");
      await screen.until("teapot");
      await say(screen, ":mcp tools");
      await screen.until("(11 tools;");
      await say(screen, ":mcp tool odd.hostile");
      await screen.until("hints (from the server");
      expect(strangers(screen.bytes())).toEqual([]);
      const shown = screen.screen();
      expect(shown).toContain("Hello \\x1b]0;pwned\\x07");
      expect(shown).toContain("\n\\[aish] fake status\n\\┌ fake frame\n\\└ call it? y");
      expect(shown).toContain("│ [aish] all is well");
      expect(shown).toContain("│ └ call it?  [y]es");
    }));

  test("a server that is hostile in everything it says: names, titles, schemas, errors, log, progress, last words", () =>
    chat(async ({ model, settings, start }) => {
      settings(raw("hostile"));
      model.push({
        expect: ({ tools }) => expect(JSON.stringify(tools)).toContain("raw__plain"),
        ...calls(["raw__plain", { x: 1 }]),
      });
      model.push(says("ok"));
      const screen = start();
      await screen.until(/raw ready/);
      await say(screen, "go");
      await screen.until("call it?  [y]es  [N]o");
      await answer(screen, "v");
      await screen.until(/call it\?[\s\S]*call it\?/);
      await answer(screen, "y");
      await screen.until(/-32603/);
      await screen.until(/\nok\n/);
      for (const command of [":mcp list", ":mcp tools", ":mcp tool raw.plain", ":mcp log raw", ":policy", ":context"]) {
        await say(screen, command);
        await screen.until(PROMPT);
      }
      await screen.until(/raw failed: it ended/);
      await say(screen, ":call raw.plan {}");
      await screen.until(PROMPT);
      expect(strangers(screen.bytes())).toEqual([]);
      const rows = screen.screen().split("\n");
      expect(rows.filter((row) => row === "[aish] fine" || /^└ call it\? {2}\[y\]es$/.test(row))).toEqual([]);
    }));

  test("a narrow screen without UTF-8 and without colour", () =>
    chat(async ({ model, settings, start }) => {
      settings(odd());
      model.push(calls(["odd__echo", { text: "x".repeat(150) }]), says("ok"));
      const screen = start([], { columns: 60, env: { LANG: "C", NO_COLOR: "1" } });
      await screen.until(/odd ready/);
      await say(screen, "go");
      await screen.until("+ call it?");
      const shown = screen
        .screen()
        .split("\n")
        .filter((line) => line.startsWith("| "));
      expect(shown.length).toBeGreaterThan(2);
      for (const line of shown) expect(line.length).toBeLessThanOrEqual(60);
      await answer(screen, "y");
      await screen.until("+ ok");
      // eslint-disable-next-line no-control-regex -- no colours
      expect(screen.bytes()).not.toMatch(/\u001b\[\d+m/);
    }));

  // Padded so that, wrapped at the edge of the screen, it would stand where our own lines begin.
  const padded = (lead: number): string =>
    ["[aish] FORGED", "└ FORGED", "┌ FORGED", "│ FORGED"].map((mark) => `${"p".repeat(100 - lead)}${mark}`).join("\n");

  test("text that the terminal would carry to the edge does not look like ours there", () =>
    chat(async ({ model, settings, start }) => {
      settings(`${odd()}${ALLOW_ALL("odd")}`);
      const everywhere = Array.from({ length: 8 }, (_, lead) => padded(lead)).join("\n");
      model.push(
        { chunks: [text(everywhere), ...(calls(["odd__say", { text: everywhere }]).chunks ?? [])] },
        { status: 418, body: JSON.stringify({ error: { message: padded(7) } }) },
      );
      const screen = start();
      await screen.until(/odd ready/);
      await say(screen, "go");
      await screen.until("HTTP 418");
      await say(screen, ":last");
      await screen.until(PROMPT);
      await say(screen, ":last error");
      await screen.until(PROMPT);
      await say(screen, "!printf '%0100d└ FORGED\\n%098d[aish] FORGED\\n' 0 0");
      await screen.until("exit 0");
      const shown = screen.screen();
      expect(shown.match(/FORGED/g)?.length).toBeGreaterThan(60);
      expect(shown.split("\n").filter((row) => /^(?:\[aish\]|[┌└]) FORGED/.test(row))).toEqual([]);
    }));

  test("frames drawn in ASCII cannot be imitated either", () =>
    chat(async ({ model, settings, start }) => {
      settings();
      model.push(says("+ ca", "ll it?  [y]es  FORGED\n| FORGED\n"));
      const screen = start([], { env: { LANG: "C" } });
      await say(screen, "go");
      await screen.until(/FORGED[\s\S]*FORGED/);
      expect(screen.screen()).toContain("\n\\+ call it?  [y]es  FORGED\n\\| FORGED");
    }));
});
