// What changed on the server: legacy sessions, and 2026-07-28 listen streams.
import type { JsonObject } from "../wire/json.ts";

export type Change =
  | { kind: "tools" | "prompts" | "resources" }
  | { kind: "resource"; uri: string }
  | { kind: "task"; owner: string; taskId: string; status: JsonObject };

export class Changes {
  private readonly listeners = new Set<(change: Change) => void>();

  listen(listener: (change: Change) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  emit(change: Change): void {
    for (const listener of this.listeners) listener(change);
  }
}
