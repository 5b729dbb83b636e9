// What a settings file says, with the place of every key and value: what both readers (TOML, JSON) give.
import { BosunError } from "@bosun/platform/errors";
import { Positions } from "@bosun/platform/json";
import type { Position } from "@bosun/platform/json";

export type { Position };

export type Node =
  | { readonly kind: "string"; readonly value: string; readonly at: Position }
  | { readonly kind: "integer" | "float"; readonly value: number; readonly at: Position }
  | { readonly kind: "boolean"; readonly value: boolean; readonly at: Position }
  | { readonly kind: "date"; readonly value: string; readonly at: Position }
  | { readonly kind: "null"; readonly at: Position }
  | ListNode
  | TableNode;

export type ListNode = { readonly kind: "list"; readonly items: Node[]; readonly at: Position };
export type TableNode = { readonly kind: "table"; readonly members: Map<string, Member>; readonly at: Position };
export type Member = { readonly key: string; readonly at: Position; readonly value: Node };

export const MAX_NESTING = 64;

/** Something is wrong in a settings file: the message begins with file:line:column. */
export class SettingsError extends BosunError {
  readonly file: string;
  readonly at: Position;
  readonly problem: string;
  constructor(file: string, at: Position, problem: string) {
    super("SETTINGS", `${file}:${at.line}:${at.column}: ${problem}`);
    this.name = "SettingsError";
    this.file = file;
    this.at = at;
    this.problem = problem;
  }
}

/** A text and where we are in it. Lines and columns are counted from the text only when somebody asks. */
export class Cursor {
  readonly file: string;
  readonly text: string;
  offset = 0;
  readonly #positions: Positions;

  constructor(file: string, text: string) {
    this.file = file;
    this.text = text.startsWith("\ufeff") ? text.slice(1) : text;
    this.#positions = new Positions(this.text);
  }

  peek(ahead = 0): string {
    return this.text.charAt(this.offset + ahead);
  }

  startsWith(expected: string): boolean {
    return this.text.startsWith(expected, this.offset);
  }

  /** Steps over the expected text if it is here. */
  accept(expected: string): boolean {
    if (!this.startsWith(expected)) return false;
    this.offset += expected.length;
    return true;
  }

  /** Steps over what the sticky expression matches, and gives it. */
  take(sticky: RegExp): string {
    sticky.lastIndex = this.offset;
    const found = sticky.exec(this.text)?.[0] ?? "";
    this.offset += found.length;
    return found;
  }

  get ended(): boolean {
    return this.offset >= this.text.length;
  }

  position(offset = this.offset): Position {
    return this.#positions.of(offset);
  }

  fail(problem: string, offset = this.offset): never {
    throw new SettingsError(this.file, this.position(offset), problem);
  }
}
