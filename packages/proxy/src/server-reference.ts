// What leads to one server and no other: its alias, unless another has the same one, or the start of its id.
import type { KnownServer } from "./known-servers.ts";

const SHORT = 8;

export function shortId(identity: string): string {
  return identity.slice(0, SHORT);
}

/** The alias where only one server has it, otherwise the id: what leads to this server and no other. */
export function referenceTo(identity: string, name: string, known: ReadonlyMap<string, KnownServer>): string {
  const isShared = [...known].some(([other, server]) => other !== identity && server.name === name);
  return isShared ? shortId(identity) : name;
}
