// How a command is confined, as the process half sees it: an argument vector around the command's own, and what that
// changes about signals and paths. The mechanisms are in ../sandbox.

export type Confinement = {
  /** Before each command, when rules have to be looked at again. */
  prepare?(): Promise<void>;
  /** The vector that runs `argv` confined, in `cwd`; `scratch` is the session's own temporary folder. */
  wrap(argv: readonly string[], cwd: string, scratch: string, filterFd?: number): readonly string[];
  /** A descriptor that the mechanism reads before the command starts, to be handed on as number `filterFd`. */
  openFilter?(): number | undefined;
  /** Where a directory seen inside lies outside; undefined when nothing can start in it. */
  outside(directory: string, scratch: string): string | undefined;
  /** Called when a command starts; returns what to call at its end. */
  enter?(): () => void;
  /** The session with that temporary folder is over. */
  forget?(scratch: string): void;
  /** A PID namespace: killing the started process ends the tree, and it dies with us. */
  readonly namespaced: boolean;
  /** Death by signal n comes back as exit status 128 + n. */
  readonly hidesSignals: boolean;
  /** Changes when a shell started earlier would see something else than one started now. */
  readonly state?: (() => string) | undefined;
  /** Whether shells may be started ahead of their command. */
  readonly allowsSpares?: boolean;
  /** Files that are only there to be protected lie in somebody's folder for as long as a shell waits. */
  readonly holdsPlaces?: boolean;
  /** The mechanism lets no descriptor through but the first three. */
  readonly onlyStdio?: boolean;
};

/** No confinement: the tree is found and killed by its label, the boundary is only that of the user. */
export const unconfined: Confinement = {
  wrap: (argv) => argv,
  outside: (directory) => directory,
  namespaced: false,
  hidesSignals: false,
};
