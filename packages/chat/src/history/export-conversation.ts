// A conversation as a document for people (Markdown) or programs (JSON).
import { writeFileSync } from "node:fs";
import type { Turn } from "../conversation/turn-types.ts";
import { userText } from "../conversation/turn-types.ts";

export function exportConversation(file: string, turns: readonly Turn[]): void {
  const text = file.endsWith(".json") ? `${JSON.stringify(turns, undefined, 2)}\n` : markdownOf(turns);
  writeFileSync(file, text, { mode: 0o600 });
}

export function markdownOf(turns: readonly Turn[]): string {
  const parts = turns.map((turn) => {
    if (turn.role === "user") return `## You\n\n${userText(turn)}`;
    if (turn.role === "tool") return `### ${turn.name} (${turn.outcome})\n\n${fenced(turn.content)}`;
    const calls = turn.toolCalls.map((call) => `Calls \`${call.name}\`:\n\n${fenced(call.arguments)}`);
    return ["## Model", turn.content, ...calls].filter((part) => part !== "").join("\n\n");
  });
  return `${parts.join("\n\n")}\n`;
}

// A fence longer than any in the text cannot be closed by it.
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
