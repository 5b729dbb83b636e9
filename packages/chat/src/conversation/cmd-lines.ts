// `CMD:` lines in the finished text of an answer → commands to ask about. Nothing in them is changed.

const LINE = /^[ ]{0,3}CMD:[ \t]+(\S.*)$/;
const FENCE = /^[ ]{0,3}(`{3,}|~{3,})[ \t]*([^`\n]*)$/;
export const MAX_COMMANDS = 8;

export function commandsIn(text: string): string[] {
  const commands: string[] = [];
  let fence: { mark: string; isCommand: boolean; lines: string[] } | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [, mark, info = ""] = FENCE.exec(line) ?? [];
    if (fence !== undefined) {
      const isEnd =
        mark !== undefined && mark[0] === fence.mark[0] && mark.length >= fence.mark.length && info.trim() === "";
      if (!isEnd) fence.lines.push(line);
      else {
        const command = fence.lines.join("\n").trim();
        if (fence.isCommand && command !== "") commands.push(command);
        fence = undefined;
      }
      continue;
    }
    if (mark !== undefined) {
      fence = { mark, isCommand: info.trim() === "cmd", lines: [] };
      continue;
    }
    const command = LINE.exec(line)?.[1];
    if (command !== undefined) commands.push(withoutBackticks(command.trimEnd()));
  }
  return commands;
}

/** Typographic quotes and dashes are not what a shell reads: shown, never repaired. */
export function hasSmartQuotes(command: string): boolean {
  return /[“”‘’–]/.test(command);
}

function withoutBackticks(command: string): string {
  return /^`[^`]+`$/.test(command) ? command.slice(1, -1) : command;
}
