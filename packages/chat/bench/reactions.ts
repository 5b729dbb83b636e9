// How soon it reacts, at a real terminal: prompt with bad servers, first token on the screen, Ctrl-C in every state.
//   node scripts/bun.mjs packages/chat/bench/reactions.ts [--executable PATH] [--rounds N]
// Without an executable the sources run, which takes longer to start.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { openScreen } from "./screen.ts";
import type { Screen } from "./screen.ts";

const { values } = parseArgs({ options: { executable: { type: "string" }, rounds: { type: "string", default: "7" } } });
const ROUNDS = Number(values.rounds);
const CTRL_C = "\u0003";
const PROMPT = "aish> ";
const root = path.resolve(import.meta.dir, "../../..");
const odd = path.join(import.meta.dir, "../test/odd-server.ts");
const command =
  values.executable === undefined
    ? [process.execPath, "--no-env-file", "--config=/dev/null", path.join(root, "packages/cli/src/main.ts"), "chat"]
    : [path.resolve(values.executable), "chat"];

type Script = { kind: "mute" | "endless" | "token" | "call"; name?: string };

const script: { next: Script; sentAt: number } = { next: { kind: "token" }, sentAt: 0 };
const model = startModel();
const folder = mkdtempSync(path.join(tmpdir(), "aish-reactions-"));
const measured = new Map<string, number[]>();
try {
  for (let round = 0; round < ROUNDS; round += 1) await measure(path.join(folder, String(round)));
} finally {
  await model.stop(true);
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${"ms".padEnd(62)} p50     worst   goal`);
for (const [what, times] of measured) {
  const sorted = times.toSorted((left, right) => left - right);
  const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN).toFixed(1);
  const goal = what.startsWith("first token") ? "≤ 5" : "≤ 200";
  console.log(`${what.padEnd(62)} ${at(0.5).padEnd(7)} ${at(1).padEnd(7)} ${goal}`);
}

async function measure(home: string): Promise<void> {
  writeSettings(home);
  const screen = openScreen(command, home);
  add("prompt ready: one server dead, one mute, one that floods", (await screen.until(PROMPT)) - screen.startedAt);
  const ready = async (): Promise<void> => void (await screen.until("odd ready"));
  await interrupt(screen, "Ctrl-C while servers connect", ready, "skipped");
  script.next = { kind: "token", name: "first-token" };
  screen.type("what is it?\r");
  const shownAt = await screen.until("first-token");
  add("first token on the screen after it was sent", shownAt - script.sentAt);
  await screen.until(PROMPT);
  await interrupt(screen, "Ctrl-C while waiting for the model", () => ask(screen, { kind: "mute" }, "waiting…"));
  await interrupt(screen, "Ctrl-C while it answers", () => ask(screen, { kind: "endless" }, "word word"));
  await interrupt(screen, "Ctrl-C at a question", () => ask(screen, { kind: "call", name: "echo" }, "call it?"));
  await interrupt(screen, "Ctrl-C while a tool runs", async () => {
    await ask(screen, { kind: "call", name: "slow" }, "call it?");
    await Bun.sleep(250);
    screen.type("y\r");
    await screen.until("running…");
  });
  await interrupt(screen, "Ctrl-C while a command runs", async () => {
    screen.type("!sleep 60\r");
    await screen.until("$ sleep 60");
    await Bun.sleep(300);
  });
  await screen.close();
}

/** From the key until the prompt, or `sign`, is there again. */
async function interrupt(screen: Screen, what: string, prepare: () => Promise<void>, sign = PROMPT): Promise<void> {
  await prepare();
  await Bun.sleep(50);
  screen.forget();
  const pressedAt = performance.now();
  screen.type(CTRL_C);
  add(what, (await screen.until(sign)) - pressedAt);
  await Bun.sleep(150);
}

async function ask(screen: Screen, next: Script, until: string): Promise<void> {
  script.next = next;
  screen.type("go on\r");
  await screen.until(until);
}

function add(what: string, ms: number): void {
  measured.set(what, [...(measured.get(what) ?? []), ms]);
}

function startModel() {
  const encode = (delta: object, finish: string | null = null): Uint8Array =>
    new TextEncoder().encode(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch(request) {
      if (!request.url.endsWith("/chat/completions")) return Response.json({ data: [{ id: "scripted" }] });
      const { kind, name = "" } = script.next;
      const body = new ReadableStream({
        async start(controller) {
          await Bun.sleep(100);
          if (kind === "token") {
            script.sentAt = performance.now();
            controller.enqueue(encode({ content: `${name} ` }));
          }
          if (kind === "call") {
            const made = { name: `odd__${name}`, arguments: name === "echo" ? '{"text":"x"}' : "{}" };
            controller.enqueue(encode({ tool_calls: [{ index: 0, id: "c1", type: "function", function: made }] }));
          }
          const isEndless = (): boolean => (kind === "endless" || kind === "mute") && !request.signal.aborted;
          while (isEndless()) {
            if (kind === "endless") controller.enqueue(encode({ content: "word " }));
            await Bun.sleep(10);
          }
          if (request.signal.aborted) return;
          controller.enqueue(encode({}, kind === "call" ? "tool_calls" : "stop"));
          controller.close();
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  });
}

function writeSettings(home: string): void {
  const config = path.join(home, "config/bosun");
  mkdirSync(config, { recursive: true, mode: 0o700 });
  mkdirSync(path.join(home, "work"));
  const server = (alias: string, ...args: string[]): string =>
    `[mcp.servers.${alias}]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify([odd, ...args])}\n`;
  const text = [
    `default_model = "local"\n[models.local]\nbase_url = "http://127.0.0.1:${model.port}/v1"\nmodel = "scripted"\ncontext_window = 32768`,
    '[mcp.servers.dead]\nurl = "http://127.0.0.1:9/mcp"',
    server("mute", "mute"),
    server("flood", "flood"),
    server("odd"),
  ].join("\n");
  writeFileSync(path.join(config, "config.toml"), text, { mode: 0o600 });
}
