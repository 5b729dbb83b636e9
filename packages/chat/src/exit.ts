// How the program ends: the exit codes, the same for every way it is used, and the errors that end a start with one of them.

export const EXIT = {
  answered: 0,
  model: 1,
  usage: 2,
  /** A call was refused because nobody could approve it. */
  unapproved: 3,
  limit: 4,
  server: 5,
  time: 6,
  hangup: 129,
  interrupted: 130,
  terminated: 143,
} as const;

/** Wrong settings, wrong usage, nothing to talk to: ends with exit 2. */
export class StartupError extends Error {
  override readonly name = "StartupError";
}

/** Settings, trust and usage. Anything else that is thrown is a mistake of ours. */
export function isStartupError(error: unknown): boolean {
  if (error instanceof StartupError) return true;
  return error instanceof Error && ["SettingsError", "BosunError"].includes(error.name);
}
