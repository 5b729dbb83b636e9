// `:model` and `:models`: which one we talk to, which ones there are, and whether tool results reach them.
import { count, safeLine } from "../screen/terminal-view.ts";
import type { Repl } from "./repl.ts";

export async function model(repl: Repl, name: string): Promise<void> {
  const { program, view } = repl;
  if (name === "") {
    const { model: now } = program.chat;
    return view.status(
      `${now.name}: ${now.wire} at ${now.host} · ctx ${count(now.window)}${now.isWindowKnown ? "" : " (assumed)"} · others: ${
        Object.keys(program.models.all())
          .filter((one) => one !== now.name)
          .join(", ") || "none"
      }`,
    );
  }
  const isAddress = /^https?:\/\//i.test(name);
  const chosen = isAddress ? await program.models.choose(name) : program.models.select(name);
  if (chosen !== undefined) program.chat.model = chosen;
  if (chosen === undefined)
    return view.problem(`there is no model "${name}" (there are: ${Object.keys(program.models.all()).join(", ")})`);
  view.status(`now talking to ${chosen.name} (${chosen.wire} at ${chosen.host})`);
}

export async function models(repl: Repl, rest: string): Promise<void> {
  const { program } = repl;
  if (rest === "check") return checkModel(repl);
  const names = Object.keys(program.models.all());
  await repl.interruptible(async (signal) => {
    const checked = names.map(async (name) => {
      const before = program.chat.model;
      const one = name === before.name ? before : program.models.get(name);
      const offered = await one
        ?.offered(program.chat.fetch, AbortSignal.any([signal, AbortSignal.timeout(3000)]))
        .catch((error: unknown) => String(error instanceof Error ? error.message : error));
      const state = Array.isArray(offered)
        ? `answers (${offered.length} models)`
        : `does not answer: ${safeLine(String(offered), 100)}`;
      return `${name === before.name ? "*" : " "} ${name}  ${one?.wire ?? ""} at ${one?.host ?? ""}  ${state}`;
    });
    repl.terminal.line((await Promise.all(checked)).join("\n"));
  });
}

/** Do tool results reach the model? Some templates drop them without a word. */
async function checkModel(repl: Repl): Promise<void> {
  const { models: shelf, chat } = repl.program;
  let keeps = await shelf.checkTemplate(chat.model);
  if (keeps === undefined) {
    if (!(await repl.prompts.confirm("  the server cannot say; ask the model once, with a made-up result?"))) return;
    keeps = await repl.interruptible((signal) => shelf.probe(chat.model, signal));
  }
  const said =
    keeps === undefined
      ? "there was no answer to judge by"
      : keeps
        ? "tool results reach the model"
        : "tool results go as text";
  repl.view.status(`${chat.model.name}: ${said}`);
}
