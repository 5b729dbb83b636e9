// Path rules as the engine takes them: doublestar patterns, and the files that decide what is allowed.

export type PathRules = {
  readonly deny: readonly string[];
  readonly readOnly: readonly string[];
  readonly ignore: readonly string[];
  /** Settings, state and project files, as real paths: never written by any tool, also while they do not exist. */
  readonly protected: readonly string[];
  /** What a person's own programs obey (docs/protected-places.md): added to each level, and taken away again. */
  readonly hold: readonly string[];
  readonly settle: readonly string[];
  readonly note: readonly string[];
  readonly open: readonly string[];
  readonly protect: "on" | "off";
};

/** A path as a pattern that means only itself. */
export function literalGlob(file: string): string {
  return file.replace(/[\\*?[\]{}!]/g, "\\$&");
}
