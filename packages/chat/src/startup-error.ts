// Why the program cannot start as it was asked to: wrong settings, wrong usage, nothing to talk to. Ends with exit 2.

export class Unusable extends Error {
  override readonly name = "Unusable";
}

/** Settings, trust and usage. Anything else that is thrown is a mistake of ours. */
export function isSettingsProblem(error: unknown): boolean {
  if (error instanceof Unusable) return true;
  return error instanceof Error && ["SettingsError", "BosunError"].includes(error.name);
}
