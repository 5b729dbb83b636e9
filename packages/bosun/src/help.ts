// bosun help: what there is, with an example for each of the usual ways in.
import { COMMANDS, VERSION } from "./commands.ts";

export function helpText(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const commands = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return `bosun ${VERSION}: the deck between AI agents and a machine

Usage: bosun COMMAND [options]

Commands:
${commands.join("\n")}

Examples:
  bosun serve --transport stdio                hands for an agent, in this folder only
  bosun proxy -- npx -y some-mcp-server        the same server in fewer tokens
  bosun bcp inspect context.bcp                what is in a .bcp file

bosun COMMAND --help says more.`;
}
