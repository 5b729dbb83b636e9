// A table of methods: which calls a server answers, in which era, and how.
import type { Call } from "./call.ts";
import type { JsonObject } from "../wire/json.ts";
import type { Era } from "../wire/revisions.ts";

export type Method = {
  era: Era | "both";
  /** Its complete results carry `ttlMs` and `cacheScope` in 2026-07-28. */
  cacheable?: true;
  /** 2026-07-28: what must hold before anything else of the request is looked at, such as mirrored headers. */
  check?(call: Call): void;
  run(call: Call): Promise<JsonObject> | JsonObject;
};

export type Methods = { [method: string]: Method };
