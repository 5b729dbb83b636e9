// One word of the grammar: its text when quoting alone decides it, else marked as known only to the shell.
import type { ArrayValue, Assignment, DoubleQuotedChild, HereDocBody, Word, WordPart } from "unbash";
import type { ShellWord } from "./simple-command.ts";

export function readWord(word: Word): ShellWord {
  // Unquoted, a leading tilde is somebody's home folder.
  if (word.text.startsWith("~")) return { dynamic: word.text };
  const text = word.parts === undefined ? word.value : staticParts(word.parts);
  return text ?? { dynamic: word.text };
}

export function readAssignedValue(value: Word | ArrayValue, source: string): ShellWord {
  return value.type === "Word" ? readWord(value) : { dynamic: source };
}

/** An assignment where an argument stands: `export X=1`, `alias ll=ls`, `dd of=x`. */
export function readAssignmentWord(assignment: Assignment): ShellWord {
  const value = readAssignedValue(assignment.value, assignment.text);
  if (typeof value !== "string" || assignment.index !== undefined) return { dynamic: assignment.text };
  return `${assignment.name}${assignment.append === true ? "+=" : "="}${value}`;
}

/** The text of a here-document, when no expansion is left in it. */
export function readHereDocument(body: HereDocBody, quoted: boolean): ShellWord {
  if (quoted || body.parts === undefined) return body.text;
  return staticParts(body.parts) ?? { dynamic: body.text };
}

function staticParts(parts: readonly WordPart[]): string | undefined {
  const texts = parts.map(staticPart);
  return texts.every((text) => text !== undefined) ? texts.join("") : undefined;
}

function staticPart(part: WordPart | DoubleQuotedChild): string | undefined {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return part.value;
    case "DoubleQuoted":
      return staticParts(part.parts);
    default:
      return undefined; // expansions, substitutions, globs, braces, and $"…", which a translation may replace
  }
}
