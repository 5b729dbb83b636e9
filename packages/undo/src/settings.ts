// What a person can set, with what holds otherwise.

export type UndoSettings = {
  /** Bytes of all trees together. */
  readonly quota: number;
  readonly keepDays: number;
  readonly maxFileSize: number;
  readonly maxFiles: number;
  /** Further patterns that are not covered. */
  readonly exclude: readonly string[];
  /** Patterns that are covered although they are excluded by default. */
  readonly include: readonly string[];
  /** Longest that the first command waits for the first snapshot. */
  readonly firstWaitMs: number;
  /** Real paths whose content is never read, nor anything below them. */
  readonly deny: readonly string[];
};

export const DEFAULT_SETTINGS: UndoSettings = {
  quota: 2 * 1000 ** 3,
  keepDays: 14,
  maxFileSize: 16 * 1024 ** 2,
  maxFiles: 200_000,
  exclude: [],
  include: [],
  firstWaitMs: 2000,
  deny: [],
};

export const LIMITS = {
  changesOfStep: 50_000,
  scanMs: 30_000,
  diffOfFile: 1024 ** 2,
  diffInAll: 10 * 1024 ** 2,
  /** Content above this stands in a file of its own. */
  inlineBytes: 256 * 1024,
} as const;
