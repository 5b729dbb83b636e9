// A log → the conversation it tells, repaired where the program ended in the middle, so that the next request is valid.
import { Conversation } from "../conversation/conversation.ts";
import type { Journal } from "../conversation/conversation.ts";
import type { ReadSession } from "./session-file.ts";

export type Resumed = {
  conversation: Conversation;
  /** What had to be repaired, for the person. */
  repairs: string[];
  /** Tools this session has used, by display name. */
  usedTools: Set<string>;
};

/** The repair is written to the journal, too: the log is valid from then on. */
export function resume(read: ReadSession, journal: Journal | undefined): Resumed {
  const conversation = new Conversation();
  for (const entry of read.entries) conversation.replay(entry);
  conversation.journal = journal;
  const repairs: string[] = [];
  if (read.isTorn) repairs.push("the last line was cut off and is dropped");
  if (read.skipped > 0) repairs.push(`${read.skipped} unreadable lines were skipped`);
  const open = conversation.close(
    "(the program ended before answering)",
    "Outcome unknown: the program ended while the tool was running.",
    "unknown",
  );
  for (const call of open) repairs.push(`a call to ${call.name} had no result (the program ended while it ran)`);
  const usedTools = new Set<string>();
  for (const turn of conversation.turns) {
    if (turn.role === "assistant") for (const call of turn.toolCalls) usedTools.add(call.name);
  }
  return { conversation, repairs, usedTools };
}
