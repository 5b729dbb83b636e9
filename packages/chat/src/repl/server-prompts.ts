// `/name words`: a prompt that a server offers, filled in and sent as the person's question. What it says is shown first: it
// is the server's text.
import { framedText } from "../screen/untrusted-text.ts";
import { safeLine } from "../screen/terminal-view.ts";
import { textOfPrompt } from "../servers/prompts-and-resources.ts";
import type { ServerPrompt } from "../servers/prompts-and-resources.ts";
import type { Server } from "../servers/mcp-server.ts";
import type { Servers } from "../servers/servers.ts";
import { commandWords } from "./command-words.ts";
import type { Repl } from "./repl.ts";

const SHOWN_CHARS = 4000;

type Found = { server: Server; prompt: ServerPrompt };

/** `alias.name`, and `name` alone where only one server has it. */
export function promptsByName(servers: Servers): Map<string, Found> {
  const byName = new Map<string, Found>();
  const twice = new Set<string>();
  for (const server of servers.list()) {
    for (const prompt of server.prompts) {
      byName.set(`${server.alias}.${prompt.name}`, { server, prompt });
      if (byName.has(prompt.name)) twice.add(prompt.name);
      byName.set(prompt.name, { server, prompt });
    }
  }
  for (const name of twice) byName.delete(name);
  return byName;
}

export async function askPrompt(repl: Repl, name: string, rest: string): Promise<void> {
  const { chat } = repl.program;
  const found = promptsByName(chat.servers).get(name);
  if (found === undefined) return repl.view.problem(`there is no prompt ${JSON.stringify(safeLine(name))}`);
  const { server, prompt } = found;
  const args = await argumentsFor(repl, prompt, rest);
  if (args === undefined) return;
  const result = await repl.interruptible((signal) => server.getPrompt(prompt.name, args, signal));
  const text = textOfPrompt(result).trim();
  if (text === "") return repl.view.problem(`${name}: the prompt is empty`);
  const { frames, style } = repl.terminal;
  repl.terminal.line(
    [
      style.dim(`${frames.top}${safeLine(`${server.alias}.${prompt.name}`)}`),
      ...framedText(repl.terminal, text.slice(0, SHOWN_CHARS)),
      style.dim(`${frames.bottom}${text.length > SHOWN_CHARS ? `… ${text.length - SHOWN_CHARS} more characters` : ""}`),
    ].join("\n"),
  );
  chat.approvalPolicy.taintByServer(server);
  await repl.ask(text);
}

/** In their order, or as name=value; what is needed and missing is asked for. The last takes what is left. */
async function argumentsFor(
  repl: Repl,
  prompt: ServerPrompt,
  rest: string,
): Promise<Record<string, string> | undefined> {
  const words = commandWords(rest);
  if (words === undefined) {
    repl.view.problem("a quote is not closed");
    return undefined;
  }
  const given: Record<string, string> = {};
  const positional: string[] = [];
  for (const word of words) {
    const [, key = "", value = ""] = /^([\w.-]+)=([\s\S]*)$/.exec(word) ?? [];
    if (prompt.arguments.some((one) => one.name === key)) given[key] = value;
    else positional.push(word);
  }
  const open = prompt.arguments.filter((one) => !(one.name in given));
  for (const [at, one] of open.entries()) {
    const value = at === open.length - 1 ? positional.splice(0).join(" ") : (positional.shift() ?? "");
    if (value !== "") given[one.name] = value;
    else if (one.isRequired) {
      const about = one.description === "" ? "" : ` (${safeLine(one.description, 100)})`;
      const said = await repl.prompts.text(`  ${safeLine(one.name)}${about}: `);
      if (said === undefined || said.trim() === "") return undefined;
      given[one.name] = said.trim();
    }
  }
  return given;
}
