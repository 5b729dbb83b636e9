// Results that a 2026-07-28 server said may be kept for a while. One cache per client, so one authorization context.
import type { Json, JsonObject } from "../wire/json-value.ts";

const MAX_ENTRIES = 200;
/** Larger results are asked for again each time. */
const MAX_CHARS = 256 * 1024;

export class ResultCache {
  private readonly entries = new Map<string, { result: JsonObject; until: number }>();

  get(method: string, params: JsonObject): JsonObject | undefined {
    const entry = this.entries.get(keyOf(method, params));
    return entry && entry.until > Date.now() ? entry.result : undefined;
  }

  keep(method: string, params: JsonObject, result: JsonObject): void {
    const ttl = result["ttlMs"];
    if (typeof ttl !== "number" || !(ttl > 0) || result["resultType"] !== "complete") return;
    if (JSON.stringify(result).length > MAX_CHARS) return;
    const oldest = this.entries.size >= MAX_ENTRIES ? this.entries.keys().next().value : undefined;
    if (oldest !== undefined) this.entries.delete(oldest);
    this.entries.set(keyOf(method, params), { result, until: Date.now() + ttl });
  }

  /** Everything of methods that start so, or of one resource. */
  forget(methodPrefix: string, uri?: Json): void {
    for (const key of this.entries.keys()) {
      if (key.startsWith(methodPrefix) && (uri === undefined || key === keyOf(methodPrefix, { uri }))) {
        this.entries.delete(key);
      }
    }
  }
}

function keyOf(method: string, params: JsonObject): string {
  return `${method} ${JSON.stringify(params)}`;
}
