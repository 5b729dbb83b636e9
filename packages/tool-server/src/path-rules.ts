// Path rules as the engine takes them: doublestar patterns, and the files that decide what is allowed.

export type PathRules = {
  readonly deny: readonly string[];
  readonly readOnly: readonly string[];
  readonly ignore: readonly string[];
  /** Settings, state and project files, as real paths: never written by any tool, also while they do not exist. */
  readonly protected: readonly string[];
};

/** A path as a pattern that means only itself. */
export function literalGlob(file: string): string {
  return file.replace(/[\\*?[\]{}!]/g, "\\$&");
}
