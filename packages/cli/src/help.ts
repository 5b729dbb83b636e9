// bosun help: what there is, a command's own help, or a page on a topic.
import { COMMANDS } from "./commands.ts";
import { columns, suggestion } from "./options.ts";
import { TOPICS } from "./topics.ts";
import { VERSION } from "@bosun/platform/version";

export async function runHelp(argv: readonly string[]): Promise<number> {
  const [topic] = argv.filter((word) => !word.startsWith("-"));
  if (topic === undefined) return say(overview());
  const page = Object.hasOwn(TOPICS, topic) ? TOPICS[topic] : undefined;
  if (page !== undefined) return say(await page.text());
  const command = Object.hasOwn(COMMANDS, topic) && topic !== "help" ? COMMANDS[topic] : undefined;
  if (command !== undefined) return (await command.load())(["--help"]);
  if (topic === "help") return say(overview());
  const known = [...Object.keys(COMMANDS), ...Object.keys(TOPICS)];
  const hint = await suggestion(topic, known, `there are: ${known.join(", ")}`);
  console.error(`bosun help: there is no command or topic ${JSON.stringify(topic)}; ${hint}`);
  return 2;
}

function say(text: string): number {
  console.log(text.trimEnd());
  return 0;
}

function overview(): string {
  return `bosun ${VERSION}: the deck between AI agents and a machine

Usage: bosun COMMAND [options]

Commands:
${columns(Object.entries(COMMANDS).map(([name, { summary }]) => [name, summary]))}

Topics (bosun help TOPIC):
${columns(Object.entries(TOPICS).map(([name, { summary }]) => [name, summary]))}

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
