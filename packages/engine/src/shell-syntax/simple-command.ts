// What shell text runs, as plain data: the shape a judge works on. It knows neither parser nor rules.

/** Text that is known before anything runs, or the source of what only the shell will know: $x, $(…), globs, {a,b}, ~. */
export type ShellWord = string | { readonly dynamic: string };

export type ShellRedirect = {
  /** As written, without the descriptor: `>`, `>>`, `>|`, `<`, `<>`, `&>`, `&>>`, `>&`, `<&`, `<<`, `<<-`, `<<<`. */
  readonly op: string;
  /** The file; for a here-document or here-string its text. */
  readonly target: ShellWord;
  readonly access: "read" | "write";
};

export type ShellAssignment = { readonly name: string; readonly value: ShellWord };

export type SimpleCommand = {
  readonly kind: "command";
  /** The program first. None for a line of assignments, or for the redirects of a whole loop or group. */
  readonly words: readonly ShellWord[];
  readonly redirects: readonly ShellRedirect[];
  readonly assignments: readonly ShellAssignment[];
};

export type ShellSyntax =
  | {
      readonly kind: "parsed";
      /** Every simple command wherever it stands, in the order of the text. */
      readonly commands: readonly SimpleCommand[];
      /** Names the text defines as functions: they no longer mean the program of that name. */
      readonly defines: readonly string[];
    }
  | { readonly kind: "unparsable"; readonly reason: string };

export function isStatic(word: ShellWord | undefined): word is string {
  return typeof word === "string";
}
