// How a command is confined, as the process half sees it: an argument vector around the command's own, and what that
// changes about signals and paths. The mechanisms are in ../sandbox.

export type Confinement = {
  /** The vector that runs `argv` confined, in `cwd`. */
  wrap(argv: readonly string[], cwd: string): readonly string[];
  /** Where a directory seen inside lies outside; undefined when it is not visible inside. */
  outside(directory: string): string | undefined;
  /** A PID namespace: killing the started process ends the tree, and it dies with us. */
  readonly namespaced: boolean;
  /** Death by signal n comes back as exit status 128 + n. */
  readonly hidesSignals: boolean;
};

/** No confinement: the tree is found and killed by its label, the boundary is only that of the user. */
export const unconfined: Confinement = {
  wrap: (argv) => argv,
  outside: (directory) => directory,
  namespaced: false,
  hidesSignals: false,
};
