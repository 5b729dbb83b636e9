// The boundary a sandbox draws: the file scope's own roots and rules as real paths, plus the network. Mechanisms only
// translate it; none of them decides.

/**
 * A file or folder that a person's own programs obey (git's hooks, a shell's start-up file): commands see it and cannot
 * change it. `absent` says what keeps it from being made while a command runs: nothing, an empty folder, or a file with
 * that content.
 */
export type HeldPlace = {
  readonly path: string;
  readonly absent: "nothing" | "folder" | { readonly content: string };
  /** Should it not be held any more while a command runs, what that command changes there is put back. */
  readonly isPutBack?: boolean;
};

export type Boundary = {
  /** Allowed folders, real paths. Empty means unscoped: everything is writable that is not denied or protected. */
  readonly writable: readonly string[];
  /** Visible, never written: read-only rules of the scope, and policy files, also those that do not exist yet. */
  readonly readOnly: readonly string[];
  /** Neither visible nor written, also those that do not exist yet. */
  readonly denied: readonly string[];
  /** Read-only because of who runs them later, not because of a rule. */
  readonly held?: readonly HeldPlace[];
  readonly network: boolean;
  /** The home folder, of which nothing is visible but what PATH names. */
  readonly home: string;
  /** PATH as commands see it: where toolchains are. */
  readonly path: string;
};

/** By whole components: /w/a holds /w/a/b and not /w/ab. */
export function holds(folder: string, file: string): boolean {
  return file === folder || folder === "/" || file.startsWith(`${folder}/`);
}

export function heldBy(folders: readonly string[], file: string): boolean {
  return folders.some((folder) => holds(folder, file));
}
