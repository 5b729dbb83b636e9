// The session that is being written: begun, gone on with, forked, left. Whatever happens, one program writes one log.
import type { ApprovalPolicy } from "../approval/approval-policy.ts";
import { Conversation } from "../conversation/conversation.ts";
import type { ChatState } from "../turn/chat-state.ts";
import { Cost } from "../turn/cost.ts";
import { ResultStore } from "./result-store.ts";
import { readSession, SessionWriter } from "./session-file.ts";
import type { LogEntry, ReadSession } from "./session-file.ts";
import { newSessionId } from "./session-folder.ts";
import type { SessionFolder, SessionInfo } from "./session-folder.ts";
import type { Journal } from "../conversation/conversation.ts";

export type SessionOptions = {
  sessions: SessionFolder;
  /** False: nothing is written. */
  isKept: boolean;
  logReasoning: boolean;
  version: string;
  cwd: () => string;
  onFailure: (why: string) => void;
};

export class CurrentSession {
  /** Tools that a resumed session has used. */
  usedTools = new Set<string>();
  readonly #chat: ChatState;
  readonly #options: SessionOptions;
  #writer: SessionWriter | undefined;
  #locked: string | undefined;

  constructor(chat: ChatState, options: SessionOptions) {
    this.#chat = chat;
    this.#options = options;
  }

  begin(): void {
    this.leave();
    const id = newSessionId();
    this.#chat.session = id;
    this.#chat.conversation = new Conversation();
    this.#chat.cost = new Cost();
    this.#chat.approvalPolicy.clearTaint();
    this.#open(id, true);
  }

  /** Goes on with one; gives what was repaired and said. */
  resume(session: SessionInfo, fork: boolean): string[] {
    const { sessions, isKept } = this.#options;
    const read = readSession(session.file);
    const said: string[] = [];
    let isFork = fork;
    if (read.isNewer && !fork) {
      said.push("this session was written by a newer version; going on in a copy");
      isFork = true;
    }
    if (!isFork && this.#chat.session !== session.id && !sessions.lock(session.id)) {
      said.push("another program writes this session; going on in a copy");
      isFork = true;
    }
    this.leave();
    const id = isFork ? newSessionId() : session.id;
    this.#chat.session = id;
    if (!isFork) {
      sessions.lock(id);
      this.#locked = id;
    }
    this.#chat.results = new ResultStore(isKept ? sessions.resultsOf(id) : undefined);
    const writer = this.#open(id, isFork);
    if (isFork) {
      this.#chat.results.copyFrom(sessions.resultsOf(session.id));
      if (writer !== undefined) copyEntries(read.entries, writer);
    }
    const { conversation, repairs, usedTools } = restoreConversation(read, writer);
    this.#chat.conversation = conversation;
    this.usedTools = usedTools;
    this.#restoreTaint(conversation, this.#chat.approvalPolicy);
    return [...said, ...repairs.map((repair) => `repaired: ${repair}`)];
  }

  leave(): void {
    this.#writer?.close();
    this.#writer = undefined;
    if (this.#locked !== undefined) this.#options.sessions.unlock(this.#locked);
    this.#locked = undefined;
  }

  // Foreign words stay foreign when the conversation goes on another day.
  #restoreTaint(conversation: Conversation, approvalPolicy: ApprovalPolicy): void {
    approvalPolicy.clearTaint();
    for (const name of this.usedTools) {
      const alias = name.slice(0, name.indexOf("."));
      approvalPolicy.taintBy(alias, this.#chat.servers.get(alias)?.config.trust ?? false);
    }
    const hasOutput = conversation.turns.some((turn) => turn.role === "user" && (turn.exec?.length ?? 0) > 0);
    if (hasOutput || conversation.pending.length > 0) approvalPolicy.taintBy("the shell");
  }

  #open(id: string, isNew: boolean): SessionWriter | undefined {
    const { sessions, isKept, logReasoning, onFailure, cwd, version } = this.#options;
    if (!isKept) return undefined;
    const writer = new SessionWriter(sessions.fileOf(id), { logReasoning, onFailure });
    if (isNew) {
      const startedAt = new Date().toISOString();
      writer.head({ id, startedAt, cwd: cwd(), model: this.#chat.model.name, version: 1 }, version);
      sessions.lock(id);
      this.#locked = id;
      this.#chat.results = new ResultStore(sessions.resultsOf(id));
    }
    this.#writer = writer;
    this.#chat.conversation.journal = writer;
    return writer;
  }
}

function copyEntries(entries: readonly LogEntry[], writer: SessionWriter): void {
  for (const entry of entries) {
    if ("turn" in entry) writer.turn(entry.turn);
    else if ("exec" in entry) writer.exec(entry.exec);
    else writer.event(entry.event);
  }
}

export type Resumed = {
  conversation: Conversation;
  /** What had to be repaired, for the person. */
  repairs: string[];
  /** Tools this session has used, by display name. */
  usedTools: Set<string>;
};

/** The repair is written to the journal, too: the log is valid from then on. */
export function restoreConversation(read: ReadSession, journal: Journal | undefined): Resumed {
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
