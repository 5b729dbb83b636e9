// Making room: old results first, then those of earlier rounds of this question, then a summary of old exchanges, then the
// oldest exchanges themselves. Results can be read back; the log keeps everything.
import type { Conversation } from "./conversation.ts";

export type CompactOptions = {
  keepExchanges: number;
  /** Does the conversation fit now? */
  fits: () => boolean;
  /** A summary of everything before this turn; undefined when it cannot be had. */
  summarise: (upto: number) => Promise<string | undefined>;
  /** Stores a result that is left out, and names it. */
  keep: (text: string) => string;
  say: (text: string) => void;
  /** Asked for by the person: go on although it fits. */
  force?: boolean;
};

/** Whether anything was done. */
export async function compact(conversation: Conversation, options: CompactOptions): Promise<boolean> {
  const starts = conversation.exchangeStarts();
  const keep = Math.max(1, Math.min(options.keepExchanges, starts.length));
  const border = starts[starts.length - keep] ?? 0;
  let did = false;
  if (border > conversation.resultsOutUpto && hasResults(conversation, border)) {
    conversation.leaveResultsOut(border, options.keep);
    options.say("older tool results are left out now (the model can read them back)");
    did = true;
    if (options.fits() && options.force !== true) return true;
  }
  const round = conversation.latestRound;
  if (!options.fits() && round > conversation.resultsOutUpto && hasResults(conversation, round)) {
    conversation.leaveResultsOut(round, options.keep);
    options.say("tool results of earlier rounds are left out now (the model can read them back)");
    did = true;
    if (options.fits()) return true;
  }
  // Fewer exchanges may be kept whole when the window is small, but always the current one.
  const upto = border > (starts[0] ?? 0) ? border : starts.length > 1 ? (starts.at(-1) ?? 0) : 0;
  if (upto > (starts[0] ?? 0)) {
    const summary = await options.summarise(upto);
    if (summary !== undefined && summary.trim() !== "") {
      conversation.compact(upto, summary.trim());
      options.say(`summarised ${starts.filter((start) => start < upto).length} older exchanges`);
      if (options.fits()) return true;
      did = true;
    }
  }
  return dropOldest(conversation, options) || did;
}

function dropOldest(conversation: Conversation, options: CompactOptions): boolean {
  let dropped = 0;
  while (!options.fits()) {
    const [, next] = conversation.exchangeStarts();
    if (next === undefined) break;
    conversation.compact(next, conversation.summary ?? "");
    dropped += 1;
  }
  if (dropped > 0) options.say(`dropped the ${dropped} oldest exchanges to make room (the log keeps them)`);
  return dropped > 0;
}

function hasResults(conversation: Conversation, upto: number): boolean {
  return conversation.turns.some(
    (turn, place) => turn.role === "tool" && place >= conversation.resultsOutUpto && place < upto,
  );
}
