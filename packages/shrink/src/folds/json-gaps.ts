// What stands between the values of JSON as a style prints it, in the order in which they come: for lists, for objects,
// and for rows whose keys are known beforehand.
import type { JsonStyle } from "../json-syntax.ts";
import type { Column } from "./json-columns.ts";

/** Before the first element, before each other one, and behind the last. `empty`: where there is none. */
export type ListGaps = { first: string; next: string; close: string; empty: string };

/** The same, with the key of each column. `inner`: of what is nested under it. */
export type RowGaps = {
  first: string[];
  next: string[];
  inner: (RowGaps | undefined)[];
  close: string;
  empty: string;
};

export class JsonGaps {
  /** Of values that stand one to a line. */
  readonly lines: ListGaps;
  readonly colon: string;
  readonly #style: JsonStyle;
  readonly #arrays: (ListGaps | undefined)[] = [];
  readonly #objects: (ListGaps | undefined)[] = [];

  constructor(style: JsonStyle) {
    this.#style = style;
    this.colon = style.colon;
    this.lines = { first: style.lead, next: `\n${style.lead}`, close: "", empty: "" };
  }

  array(depth: number): ListGaps {
    return (this.#arrays[depth] ??= this.#list("[", "]", depth));
  }

  object(depth: number): ListGaps {
    return (this.#objects[depth] ??= this.#list("{", "}", depth));
  }

  row(columns: readonly Column[], depth: number): RowGaps {
    const { first, next, close, empty } = this.object(depth);
    return {
      first: columns.map(({ key }) => first + key + this.colon),
      next: columns.map(({ key }) => next + key + this.colon),
      inner: columns.map((column) => (column.kind === "nested" ? this.row(column.columns, depth + 1) : undefined)),
      close,
      empty,
    };
  }

  #list(open: string, close: string, depth: number): ListGaps {
    const { indent, pad, comma } = this.#style;
    const empty = open + close;
    // On one line the comma has its blanks with it.
    if (indent === undefined) return { first: open + pad, next: comma, close: pad + close, empty };
    const line = `\n${indent.repeat(depth + 1)}`;
    return { first: open + line, next: comma + line, close: `\n${indent.repeat(depth)}${close}`, empty };
  }
}
