// `bosun chat` in a real terminal: how soon it can be typed into while a server is dead, and how soon a token that
// arrives is on the screen.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openScreen } from "../../packages/chat/bench/screen.ts";
import { freshExecutable } from "../executable.ts";
import { median, quantile } from "../report.ts";
import type { Section } from "../report.ts";

const ROUNDS = 9;
const PROMPT = "aish> ";

export const chat: Section = {
  name: "chat",
  about: "bosun chat in a terminal: prompt with a dead server, first token on the screen",
  async run(progress) {
    const executable = await freshExecutable(progress);
    const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "bosun-chat-bench-")));
    const model = startModel();
    try {
      const prompts: number[] = [];
      const tokens: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        progress(`round ${round + 1} of ${ROUNDS}`);
        const home = path.join(folder, String(round));
        writeSettings(home, model.url);
        const terminal = openScreen([executable, "chat"], home);
        await terminal.until(PROMPT);
        prompts.push(performance.now() - terminal.startedAt);
        const word = `token${round}x`;
        model.next = word;
        terminal.type(`what is it?\r`);
        const shownAt = await terminal.until(word);
        tokens.push(shownAt - model.sentAt);
        await terminal.close();
      }
      const [ready, worst, first] = [median(prompts), quantile(prompts, 0.99), median(tokens)];
      return [
        {
          what: "prompt ready, one server dead and one silent, p50",
          unit: "ms",
          ours: ready,
          theirs: {},
          target: { text: "≤ 200 ms", reached: ready <= 200 },
        },
        { what: "prompt ready, at worst", unit: "ms", ours: worst, theirs: {} },
        {
          what: "first token on the screen after it arrived, p50",
          unit: "ms",
          ours: first,
          theirs: {},
          target: { text: "≤ 5 ms", reached: first <= 5 },
        },
      ];
    } finally {
      await model.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function writeSettings(home: string, url: string): void {
  const config = path.join(home, "config/bosun");
  mkdirSync(config, { recursive: true, mode: 0o700 });
  mkdirSync(path.join(home, "work"));
  const servers = `[mcp.servers.silent]\ncommand = "sleep"\nargs = ["600"]\n\n[mcp.servers.dead]\nurl = "http://127.0.0.1:9/mcp"\n`;
  const models = `default_model = "local"\n[models.local]\nbase_url = "${url}"\nmodel = "scripted"\ncontext_window = 32768\n`;
  writeFileSync(path.join(config, "config.toml"), `${models}\n${servers}`, { mode: 0o600 });
}

type Model = { readonly url: string; next: string; sentAt: number; stop(): Promise<void> };

/** Waits a little before its first token, so that it arrives at a program that is listening. */
function startModel(): Model {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch(request) {
      if (!request.url.endsWith("/chat/completions")) return Response.json({ data: [{ id: "scripted" }] });
      const body = new ReadableStream({
        async start(controller) {
          await Bun.sleep(150);
          const chunk = (delta: object, finish: string | null): string =>
            `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
          model.sentAt = performance.now();
          controller.enqueue(new TextEncoder().encode(chunk({ content: `${model.next} ` }, null)));
          await Bun.sleep(100);
          controller.enqueue(new TextEncoder().encode(`${chunk({}, "stop")}data: [DONE]\n\n`));
          controller.close();
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  });
  const model: Model = {
    url: `http://127.0.0.1:${server.port}/v1`,
    next: "",
    sentAt: 0,
    stop: () => server.stop(true),
  };
  return model;
}
