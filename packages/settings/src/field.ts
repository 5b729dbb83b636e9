// One setting: how it is read, what it is when it is not set, its line of documentation, and what a project file may do
// with it.
import { SettingsError, type Node, type Position } from "./settings-document.ts";

export type Place = { readonly file: string; readonly name: string };

/**
 * One setting. `tighten` joins what a project file says with what the person's own settings say; it must never give
 * more than either. Without it a project file cannot set this at all.
 */
export type Field<T> = {
  readonly doc: string;
  /** How the documentation calls the values. */
  readonly type: string;
  readonly fallback: T;
  readonly defaultText: string;
  readonly shape: Shape;
  readonly isSecret: boolean;
  /** Made when it is looked at. */
  readonly isSection?: true;
  readonly read: (node: Node, place: Place) => T;
  // A method, so that a Field of something is a Field of unknown: its parameters are compared both ways.
  tighten?(own: T, project: T, refuse: (why: string) => never): T;
};

export type Shape =
  | { readonly kind: "value" }
  | { readonly kind: "group"; readonly fields: Readonly<Record<string, Field<unknown>>> }
  | { readonly kind: "map"; readonly of: Field<unknown>; readonly keyName: string }
  | { readonly kind: "tables"; readonly of: Field<unknown> };

export type ValueOf<F> = F extends Field<infer T> ? T : never;

export function value<T>(
  type: string,
  doc: string,
  fallback: T,
  read: Field<T>["read"],
  defaultText = shown(fallback),
): Field<T> {
  return { doc, type, fallback, defaultText, shape: { kind: "value" }, isSecret: false, read };
}

/** Something can be set or not; not set is undefined. */
export function optional<T>(field: Field<T>): Field<T | undefined> {
  const { tighten: _, ...rest } = field;
  return { ...rest, fallback: undefined, defaultText: "" };
}

export function required<T>(field: Field<T>): Field<T> {
  return { ...field, defaultText: "required" };
}

export function secret<T>(field: Field<T>): Field<T> {
  return { ...field, isSecret: true };
}

export function tightens<T>(field: Field<T>, tighten: NonNullable<Field<T>["tighten"]>): Field<T> {
  return { ...field, tighten };
}

export function at(position: Position, place: Place, problem: string): SettingsError {
  return new SettingsError(place.file, position, problem);
}

export function inside(place: Place, key: string): Place {
  return { ...place, name: place.name === "" ? key : `${place.name}.${key}` };
}

export function wrongKind(node: Node, place: Place, expected: string): SettingsError {
  const found = {
    string: "text",
    integer: "a number",
    float: "a number",
    boolean: "true or false",
    date: "a date",
    null: "null",
    list: "a list",
    table: "a table",
  }[node.kind];
  return at(node.at, place, `${place.name === "" ? "settings" : place.name} must be ${expected}, not ${found}`);
}

function shown(fallback: unknown): string {
  return fallback === undefined || fallback === "" ? "" : JSON.stringify(fallback);
}
