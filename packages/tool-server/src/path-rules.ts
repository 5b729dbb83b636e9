// Path rules as the engine takes them: doublestar patterns, and the files that decide what is allowed.

export type PathRules = {
  readonly deny: readonly string[];
  readonly readOnly: readonly string[];
  readonly ignore: readonly string[];
  /** Settings, state and project files, as real paths: never written by any tool, also while they do not exist. */
  readonly protected: readonly string[];
};

export const NO_PATH_RULES: PathRules = { deny: [], readOnly: [], ignore: [], protected: [] };
