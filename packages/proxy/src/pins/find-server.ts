// Which known server a person means: by its alias, by its command line or address, or by the start of its id. An alias is
// often shared (each folder has its own `server-filesystem`), so what fits several means none of them.
import { screenSafe } from "@bosun/platform/safe-text";
import { shortId } from "./known-servers.ts";
import type { KnownServer } from "./known-servers.ts";

export type Entry = KnownServer & { identity: string };

const ID = /^[0-9a-f]{4,64}$/;

/** The one server, or why there is not exactly one. */
export function findServer(known: readonly Entry[], wanted: string): Entry | { problem: string } {
  const byName = known.filter(({ name, label }) => name === wanted || label === wanted);
  const meant =
    byName.length > 0 ? byName : known.filter(({ identity }) => ID.test(wanted) && identity.startsWith(wanted));
  const [first, second] = meant;
  if (first && !second) return first;
  const said = JSON.stringify(safe(wanted));
  if (first) return { problem: `${said} can be one of these; name it by what stands before or after:\n${rows(meant)}` };
  if (known.length === 0) return { problem: `no server ${said} is known: none is yet` };
  return { problem: `no server ${said} is known; there are:\n${rows(known)}` };
}

function rows(servers: readonly Entry[]): string {
  return servers.map(({ identity, name, label }) => `  ${shortId(identity)}  ${safe(name)}  ${safe(label)}`).join("\n");
}

export function safe(text: string): string {
  return screenSafe(text, { oneLine: true, maxChars: 300 });
}
