// The building blocks of the settings table: each gives a parser, a TypeScript type, a default, a line of documentation,
// and what a project file may do with it.
import { SettingsError, type Member, type Node, type Position, type TableNode } from "./document.ts";
import { nearest } from "./nearest.ts";

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
type Camel<K extends string> = K extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : K;
type GroupValue<F extends Record<string, Field<unknown>>> = {
  readonly [K in keyof F & string as Camel<K>]: ValueOf<F[K]>;
};

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

export function text(
  doc: string,
  options: { fallback?: string; pattern?: RegExp; hint?: string; check?: (value: string) => string | undefined } = {},
): Field<string> {
  return value("text", doc, options.fallback ?? "", (node, place) => {
    if (node.kind !== "string") throw wrongKind(node, place, "text in quotes");
    const problem =
      options.pattern !== undefined && !options.pattern.test(node.value)
        ? (options.hint ?? "not in the right form")
        : options.check?.(node.value);
    if (problem !== undefined) throw at(node.at, place, `${place.name}: ${problem}`);
    return node.value;
  });
}

export function flag(doc: string, fallback: boolean): Field<boolean> {
  return value("true or false", doc, fallback, (node, place) => {
    if (node.kind !== "boolean") throw wrongKind(node, place, "true or false");
    return node.value;
  });
}

export function number(
  doc: string,
  options: { fallback: number; min?: number; max?: number; integer?: boolean; unit?: string },
): Field<number> {
  const { min = 0, max = Number.MAX_SAFE_INTEGER, integer = true } = options;
  return value(options.unit ?? (integer ? "whole number" : "number"), doc, options.fallback, (node, place) => {
    const fits = node.kind === "integer" || (!integer && node.kind === "float");
    if (!fits || !("value" in node) || typeof node.value !== "number")
      throw wrongKind(node, place, integer ? "a whole number" : "a number");
    if (!(node.value >= min && node.value <= max))
      throw at(node.at, place, `${place.name} must be between ${min} and ${max}`);
    return node.value;
  });
}

// A timer above 2^31 ms fires at once, so no time is longer than that.
export function seconds(doc: string, fallback: number, options: { min?: number; max?: number } = {}): Field<number> {
  return number(doc, {
    fallback,
    min: options.min ?? 0,
    max: options.max ?? 2_000_000,
    integer: false,
    unit: "seconds",
  });
}

export function oneOf<const V extends string | boolean>(
  doc: string,
  values: readonly V[],
  fallback: NoInfer<V>,
): Field<V> {
  const type = values.map((one) => JSON.stringify(one)).join(", ");
  return value(type, doc, fallback, (node, place) => {
    const found =
      node.kind === "string" || node.kind === "boolean" ? values.find((one) => one === node.value) : undefined;
    if (found !== undefined) return found;
    const meant = node.kind === "string" ? nearest(node.value, values.map(String)) : undefined;
    const hint = meant === undefined ? "" : `; did you mean ${JSON.stringify(meant)}?`;
    throw at(node.at, place, `${place.name} must be one of ${type}${hint}`);
  });
}

const UNITS: Readonly<Record<string, number>> = { "": 1, b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

/** Bytes: a number, or text such as "10MB" (base 1024). */
export function size(doc: string, fallback: string): Field<number> {
  return value(
    'size such as "10MB"',
    doc,
    bytesOf(fallback) ?? 0,
    (node, place) => {
      const bytes =
        node.kind === "integer" && node.value >= 0
          ? node.value
          : node.kind === "string"
            ? bytesOf(node.value)
            : undefined;
      if (bytes === undefined)
        throw at(node.at, place, `${place.name} must be a size such as 1048576, "512KB" or "10MB"`);
      return bytes;
    },
    JSON.stringify(fallback),
  );
}

export function bytesOf(written: string): number | undefined {
  const [, digits, unit] = /^\s*(\d{1,15})\s*([a-z]{0,2})\s*$/i.exec(written) ?? [];
  const factor = UNITS[(unit ?? "").toLowerCase()];
  const bytes = Number(digits) * (factor ?? Number.NaN);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

export function list<T>(doc: string, of: Field<T>, fallback: readonly T[] = []): Field<readonly T[]> {
  return value(`list of ${of.type}`, doc, fallback, (node, place) => {
    if (node.kind !== "list") throw wrongKind(node, place, "a list in [ ]");
    return node.items.map((item) => of.read(item, place));
  });
}

/** One or several: `"x"` or `["x", "y"]`. */
export function oneOrMore<T>(doc: string, of: Field<T>): Field<readonly T[]> {
  const many = list(doc, of);
  return {
    ...many,
    type: `${of.type}, or a list`,
    read: (node, place) => (node.kind === "list" ? many.read(node, place) : [of.read(node, place)]),
  };
}

/** A field that also remembers where its text stands, for rules that name their place. */
export function located(field: Field<string>): Field<{ text: string; file: string; line: number }> {
  return {
    ...value(field.type, field.doc, { text: "", file: "", line: 0 }, (node, place) => ({
      text: field.read(node, place),
      file: place.file,
      line: node.at.line,
    })),
  };
}

export function group<const F extends Record<string, Field<unknown>>>(
  doc: string,
  fields: F,
  options: { check?: (value: GroupValue<F>, has: (key: string) => boolean) => string | undefined } = {},
): Field<GroupValue<F>> {
  const known = Object.entries(fields);
  const shape: Shape = { kind: "group", fields };
  const read = (node: Node, place: Place): GroupValue<F> => {
    if (node.kind !== "table") throw wrongKind(node, place, "a table");
    refuseUnknown(
      node,
      known.map(([key]) => key),
      place,
    );
    const result = known.map(([key, field]): [string, unknown] => {
      const member = node.members.get(key);
      if (member !== undefined) return [camel(key), field.read(member.value, inside(place, key))];
      if (field.defaultText === "required")
        throw at(node.at, place, `${place.name === "" ? "" : `${place.name}.`}${key} is missing`);
      return [camel(key), field.fallback];
    });
    const values = Object.fromEntries(result) as GroupValue<F>;
    const problem = options.check?.(values, (key) => node.members.has(key));
    if (problem !== undefined) throw at(node.at, place, `${place.name}: ${problem}`);
    return values;
  };
  let made: GroupValue<F> | undefined;
  return {
    doc,
    type: "table",
    get fallback() {
      return (made ??= fallbacksOf(known) as GroupValue<F>);
    },
    defaultText: "",
    shape,
    isSecret: false,
    read,
  };
}

/** Those of sections when they are looked at: one that nobody looks at is not made. */
function fallbacksOf(known: readonly (readonly [string, Field<unknown>])[]): object {
  const fallbacks: Record<string, unknown> = {};
  for (const [key, field] of known) {
    const name = camel(key);
    if (field.isSection !== true) fallbacks[name] = field.fallback;
    else {
      const get = (): unknown => {
        const value = field.fallback;
        Object.defineProperty(fallbacks, name, { enumerable: true, value });
        return value;
      };
      Object.defineProperty(fallbacks, name, { enumerable: true, configurable: true, get });
    }
  }
  return fallbacks;
}

/** A section that is made when somebody looks at it: a program looks at few of them, and starts sooner. */
export function section<T>(make: () => Field<T>): Field<T> {
  let made: Field<T> | undefined;
  const field = (): Field<T> => (made ??= make());
  return {
    isSection: true,
    get doc() {
      return field().doc;
    },
    get type() {
      return field().type;
    },
    get fallback() {
      return field().fallback;
    },
    get defaultText() {
      return field().defaultText;
    },
    get shape() {
      return field().shape;
    },
    get isSecret() {
      return field().isSecret;
    },
    get read() {
      return field().read;
    },
  };
}

/** Tables with names the person chooses: `[models.<name>]`. */
export function map<T>(
  doc: string,
  keyName: string,
  of: Field<T>,
  checkKey: (key: string) => string | undefined,
): Field<Readonly<Record<string, T>>> {
  const read = (node: Node, place: Place): Readonly<Record<string, T>> => {
    if (node.kind !== "table") throw wrongKind(node, place, "a table");
    return Object.fromEntries(
      [...node.members.values()].map((member) => {
        const problem = checkKey(member.key);
        if (problem !== undefined) throw at(member.at, place, `${place.name}.${member.key}: ${problem}`);
        return [member.key, of.read(member.value, inside(place, member.key))];
      }),
    );
  };
  return {
    doc,
    type: "tables",
    fallback: {},
    defaultText: "",
    shape: { kind: "map", of, keyName },
    isSecret: false,
    read,
  };
}

/** A list of tables: `[[rules]]`. */
export function tables<T>(doc: string, of: Field<T>): Field<readonly T[]> {
  const read = (node: Node, place: Place): readonly T[] => {
    if (node.kind !== "list") throw wrongKind(node, place, `tables: [[${place.name}]]`);
    return node.items.map((item, i) => of.read(item, { ...place, name: `${place.name}[${i + 1}]` }));
  };
  return {
    doc,
    type: "list of tables",
    fallback: [],
    defaultText: "",
    shape: { kind: "tables", of },
    isSecret: false,
    read,
  };
}

export function value<T>(
  type: string,
  doc: string,
  fallback: T,
  read: Field<T>["read"],
  defaultText = shown(fallback),
): Field<T> {
  return { doc, type, fallback, defaultText, shape: { kind: "value" }, isSecret: false, read };
}

export function at(position: Position, place: Place, problem: string): SettingsError {
  return new SettingsError(place.file, position, problem);
}

export function inside(place: Place, key: string): Place {
  return { ...place, name: place.name === "" ? key : `${place.name}.${key}` };
}

export function camel(key: string): string {
  return key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

export function refuseUnknown(node: TableNode, known: readonly string[], place: Place): void {
  for (const member of node.members.values()) {
    if (!known.includes(member.key)) throw unknownKey(member, known, place);
  }
}

function unknownKey(member: Member, known: readonly string[], place: Place): SettingsError {
  const meant = nearest(member.key, known);
  const hint = meant === undefined ? `known here: ${known.join(", ")}` : `did you mean ${meant}?`;
  return at(member.at, place, `${inside(place, member.key).name} is not a setting; ${hint}`);
}

function wrongKind(node: Node, place: Place, expected: string): SettingsError {
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
