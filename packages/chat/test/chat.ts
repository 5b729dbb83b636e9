// One chat for one test, safe beside others: a home, a scripted model and a terminal of its own, all gone at the end.
import { expect } from "bun:test";
import path from "node:path";
import { endProcessesIn, makeHome, modelSettings, stdioServer } from "./home.ts";
import type { Home } from "./home.ts";
import { startPty, startShell } from "./pty.ts";
import type { Pty, PtyOptions } from "./pty.ts";
import { startModel } from "./scripted-model.ts";
import type { ScriptedModel } from "./scripted-model.ts";

export type Chat = {
  home: Home;
  model: ScriptedModel;
  /** aish in a terminal; the one before, if there is one, stays as it is. */
  start(args?: string[], options?: PtyOptions): Pty;
  /** A shell with job control instead. */
  shell(): Pty;
  /** Settings with the scripted model, and more. */
  settings(more?: string): void;
};

export async function chat(run: (chat: Chat) => Promise<void>): Promise<void> {
  const home = makeHome();
  const model = startModel();
  const started: Pty[] = [];
  try {
    await run({
      home,
      model,
      start(args = [], options = {}) {
        const pty = startPty(home, args, options);
        started.push(pty);
        return pty;
      },
      shell() {
        const pty = startShell(home);
        started.push(pty);
        return pty;
      },
      settings: (more = "") => home.settings(modelSettings(model.url, more)),
    });
    expect(model.problems).toEqual([]);
  } finally {
    await Promise.all(started.map((pty) => pty.stop()));
    endProcessesIn(home.work);
    await model.stop();
    home.remove();
  }
}

export const ODD = path.join(import.meta.dir, "odd-server.ts");
export const RAW = path.join(import.meta.dir, "raw-server.ts");
export const ALLOW_ALL = (alias: string): string => `[mcp.auto_approve]\n"${alias}.*" = true\n`;

/** The odd server in the settings. */
export function odd(mode = "", alias = "odd"): string {
  return stdioServer(alias, process.execPath, mode === "" ? [ODD] : [ODD, mode]);
}

/** The raw one. */
export function raw(mode = "", alias = "raw"): string {
  return stdioServer(alias, process.execPath, mode === "" ? [RAW] : [RAW, mode]);
}

/** The last message of the last request. */
export function lastMessage(model: ScriptedModel): Record<string, unknown> {
  const messages = model.seen.at(-1)?.body["messages"];
  return (Array.isArray(messages) ? (messages.at(-1) ?? {}) : {}) as Record<string, unknown>;
}

/** The results of tools in the last request. */
export function resultsIn(model: ScriptedModel): string[] {
  const messages = (model.seen.at(-1)?.body["messages"] ?? []) as { role: string; content: string }[];
  return messages.filter(({ role }) => role === "tool").map(({ content }) => content);
}
