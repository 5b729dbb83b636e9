// bosun help: what there is, a command's own help, or a page on a topic.
import { columns, suggestion, UsageError } from "@bosun/platform/flags";
import type { Program } from "@bosun/platform/flags";
import { VERSION } from "@bosun/platform/version";
import { command } from "./define-command.ts";
import { COMMANDS } from "./commands.ts";
import { TOPICS } from "./help-topics.ts";

export const PROGRAM: Program = {
  name: "bosun help",
  once: true,
  summary: "what there is, a command's own help, or a page on a topic",
  usage: ["bosun help [COMMAND|TOPIC]", "bosun help --man COMMAND"],
  words: summariesOf({ ...COMMANDS, ...TOPICS }),
  flags: [{ name: "man", help: "the command's page for man(1)" }],
  examples: [
    ["bosun help serve", "what bosun serve can do"],
    ["bosun help --man serve > bosun-serve.1", "for a folder of $MANPATH"],
  ],
};

const show = command(PROGRAM, async (flags) => {
  const [topic, ...surplus] = flags.operands;
  if (surplus.length > 0) throw new UsageError(`one at a time: unexpected ${JSON.stringify(surplus[0])}`);
  const page = topic !== undefined && Object.hasOwn(TOPICS, topic) ? TOPICS[topic] : undefined;
  const about = topic !== undefined && Object.hasOwn(COMMANDS, topic) ? COMMANDS[topic] : undefined;
  if (flags.isOn("man")) {
    if (about === undefined) throw new UsageError("--man goes with a command: bosun help --man serve");
    return say(await manual(await about.programs()));
  }
  if (page !== undefined) return say(await page.text());
  if (topic === undefined || topic === "help") return say(overview());
  if (about !== undefined) return (await about.load())(["--help"]);
  const known = [...Object.keys(COMMANDS), ...Object.keys(TOPICS)];
  const hint = suggestion(topic, known, `there are: ${known.join(", ")}`);
  throw new UsageError(`there is no command or topic ${JSON.stringify(topic)}; ${hint}`);
});

/** Its own --help is the list. */
export async function runHelp(argv: readonly string[]): Promise<number> {
  return argv.length === 1 && (argv[0] === "--help" || argv[0] === "-h") ? say(overview()) : show(argv);
}

async function manual(programs: readonly Program[]): Promise<string> {
  const { manualPage } = await import("@bosun/platform/flags/completions");
  return programs.map((program) => manualPage(program, VERSION)).join("\n");
}

function say(text: string): number {
  console.log(text.trimEnd());
  return 0;
}

function summariesOf(of: Readonly<Record<string, { readonly summary: string }>>): Record<string, string> {
  return Object.fromEntries(Object.entries(of).map(([name, { summary }]) => [name, summary]));
}

function overview(): string {
  return `bosun ${VERSION}: the deck between AI agents and a machine

Usage: bosun COMMAND [options]

Commands:
${columns(Object.entries(summariesOf(COMMANDS)))}

Topics (bosun help TOPIC):
${columns(Object.entries(summariesOf(TOPICS)))}

Examples:
${columns([
  ["bosun doctor", "can commands be confined here?"],
  ["bosun init claude-code", "hands for Claude Code, the change shown first"],
  ["bosun serve --transport stdio", "hands for any agent, in this folder only"],
  ["bosun proxy -- npx -y some-mcp-server", "the same server in fewer tokens"],
  ["bosun chat --demo", "look around in the shell, without a model"],
  ["bosun bcp inspect context.bcp", "what is in a .bcp file"],
  ["bosun audit --verdict deny", "what was refused"],
])}

bosun COMMAND --help says more.`;
}
