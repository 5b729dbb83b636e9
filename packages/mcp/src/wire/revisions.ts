// The protocol revisions we speak, and which one a conversation uses.

export const LEGACY_REVISIONS = ["2025-03-26", "2025-06-18", "2025-11-25"] as const;
export const MODERN_REVISIONS = ["2026-07-28"] as const;

export type LegacyRevision = (typeof LEGACY_REVISIONS)[number];
export type ModernRevision = (typeof MODERN_REVISIONS)[number];
export type Revision = LegacyRevision | ModernRevision;
export type Era = "legacy" | "modern";

export const NEWEST_LEGACY: LegacyRevision = "2025-11-25";
export const NEWEST_MODERN: ModernRevision = "2026-07-28";

const ORDER: readonly Revision[] = [...LEGACY_REVISIONS, ...MODERN_REVISIONS];

/** Reserved key prefix of the protocol's own `_meta` members and extensions. */
const RESERVED = "io.modelcontextprotocol/";
export const META = {
  protocolVersion: `${RESERVED}protocolVersion`,
  clientCapabilities: `${RESERVED}clientCapabilities`,
  clientInfo: `${RESERVED}clientInfo`,
  serverInfo: `${RESERVED}serverInfo`,
  logLevel: `${RESERVED}logLevel`,
  subscriptionId: `${RESERVED}subscriptionId`,
  relatedTask: `${RESERVED}related-task`,
} as const;
export const TASKS_EXTENSION = `${RESERVED}tasks`;

// Membership in a list, never string order: "1900-01-01" and "v999" are both unknown.
export function isLegacy(version: unknown): version is LegacyRevision {
  return LEGACY_REVISIONS.some((known) => known === version);
}

export function isModern(version: unknown): version is ModernRevision {
  return MODERN_REVISIONS.some((known) => known === version);
}

/** What a server answers to `initialize`: the revision asked for if it speaks it, else its newest legacy one. */
export function negotiate(requested: unknown): LegacyRevision {
  return isLegacy(requested) ? requested : NEWEST_LEGACY;
}

/** Is `revision` at least `since`? Revisions are ordered by the lists above. */
export function atLeast(revision: Revision, since: Revision): boolean {
  return ORDER.indexOf(revision) >= ORDER.indexOf(since);
}
