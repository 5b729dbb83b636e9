// How a command is confined, as the process half sees it: an argument vector around the command's own, and what that
// changes about signals and paths. The mechanisms are in ../sandbox.

import type { Environment } from "./environment.ts";

export type WrapOptions = {
  readonly cwd: string;
  /** What the command sees. Not for the program that confines it: a caller's variables must not reach that one before it has
   * confined anything. */
  readonly env: Environment;
  /** The session's own temporary folder. */
  readonly scratch: string;
  /** The number of the first descriptor in `Wrapped.fds`, in the process that is started. */
  readonly firstFd: number;
  /** Places that this one command may write although they are held. */
  readonly open?: readonly string[] | undefined;
};

export type Wrapped = {
  /** What runs the command confined. */
  readonly argv: readonly string[];
  /** Of the process that is started; it gets nothing else but its label. */
  readonly env: Environment;
  /** Descriptors that the mechanism reads before the command starts, to be handed on. */
  readonly fds: readonly number[];
  /** What keeps it from places, where that can be lost while it runs. */
  readonly cover?: Cover | undefined;
  /** To be called when the process was started, or could not be: closes what was opened for it alone. */
  release(): void;
};

/** A mount on a file goes, also for those who run, when somebody outside puts another file in its place. */
export type Cover = {
  /** The folders in which that can be seen to happen. */
  readonly folders: readonly string[];
  /** Places that the command can see or change by now. */
  lost(): readonly LostPlace[];
};

export type LostPlace = {
  readonly path: string;
  /** What a command changes there is put back: it need not be stopped. */
  readonly isPutBack: boolean;
};

export type Confinement = {
  /** Before each command, when rules have to be looked at again. */
  prepare?(): Promise<void>;
  wrap(argv: readonly string[], options: WrapOptions): Wrapped;
  /** Where a directory seen inside lies outside; undefined when nothing can start in it. */
  outside(directory: string, scratch: string): string | undefined;
  /** Called when a command starts; returns what to call at its end. */
  enter?(): () => void;
  /** The session with that temporary folder is over. */
  forget?(scratch: string): void;
  /** No command will be started any more: gives back what is held open. */
  close?(): void;
  /** A PID namespace: killing the started process ends the tree, and it dies with us. */
  readonly namespaced: boolean;
  /** Death by signal n comes back as exit status 128 + n. */
  readonly hidesSignals: boolean;
  /** Changes when a shell started earlier would see something else than one started now. */
  readonly state?: (() => string) | undefined;
  /** Whether shells may be started ahead of their command. */
  readonly allowsPrestart?: boolean;
  /** Files that are only there to be protected lie in somebody's folder for as long as a shell waits. */
  readonly holdsPlaces?: boolean;
  /** The mechanism lets no descriptor through but the first three. */
  readonly onlyStdio?: boolean;
};

/** No confinement: the tree is found and killed by its label, the boundary is only that of the user. */
export const unconfined: Confinement = {
  wrap: (argv, { env }) => plainly(argv, env),
  outside: (directory) => directory,
  namespaced: false,
  hidesSignals: false,
};

/** For a mechanism that needs no descriptors. */
export function plainly(argv: readonly string[], env: Environment = {}): Wrapped {
  return { argv, env, fds: [], release: () => undefined };
}
