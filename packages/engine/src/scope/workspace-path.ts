// The workspace surface's path rules: relative only, no `..`, `workspace/` in front removed.
// Text only; whether the place exists and lies inside is the resolver's business.
import { EngineError } from "../engine-error.ts";

export type WorkspacePath = {
  /** Normalised, what results echo; "." is the root. */
  readonly normal: string;
  /** What to hand to the resolver: the same, with a trailing slash kept, since `file/` must fail. */
  readonly walk: string;
};

/** An empty text is refused: only a missing `dir` argument means the root, and its default is ".". */
export function parseWorkspacePath(requested: string): WorkspacePath {
  const refuse = (reason: string, why: string): EngineError =>
    new EngineError("INVALID_PATH", `invalid path: ${why}`, { requested, reason });
  if (requested === "") throw refuse("empty", "it is empty");
  if (requested.includes("\0")) throw refuse("nul", "it contains a NUL character");
  if (/^([/\\]|[A-Za-z]:)/.test(requested)) throw refuse("absolute", "only workspace-relative paths are allowed");
  // A backslash separates for this check only: what Windows would climb with is refused, `a\b` stays one name.
  if (requested.split(/[/\\]/).includes("..")) throw refuse("parent", 'a ".." segment is not allowed');
  const segments = requested.split("/").filter((segment) => segment !== "" && segment !== ".");
  while (segments[0] === "workspace") segments.shift();
  if (segments.length === 0) return { normal: ".", walk: "." };
  const normal = segments.join("/");
  // Removing the front may bring another absolute form forward: `workspace/C:/x`.
  if (/^(\\|[A-Za-z]:)/.test(normal)) throw refuse("absolute", "only workspace-relative paths are allowed");
  return { normal, walk: /(^|\/)\.?$/.test(requested) ? `${normal}/` : normal };
}
