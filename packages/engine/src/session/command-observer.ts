// Who wants to know when commands of sessions begin and end, whatever tool started them and however they are confined.
import type { LostPlace } from "../process/sandbox-words.ts";

export type CommandKind = "foreground" | "background";

export type CommandObserver = {
  /** Before a command starts. What it gives is called once: when the command has ended, or did not start. `open`: places
   * that a person let this very command change. */
  begin(session: object, kind: CommandKind, open?: readonly string[]): () => void;
  /** What kept a running command of it from these places is gone. */
  lost?(session: object, places: readonly LostPlace[]): void;
};
