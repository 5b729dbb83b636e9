// Settings that hold settings: tables with known keys, with names the person chooses, and lists of tables.
import type { SettingsError, Member, Node, TableNode } from "./settings-document.ts";
import { at, inside, wrongKind, type Field, type Place, type Shape, type ValueOf } from "./field.ts";
import { nearest } from "@bosun/platform/flags";

type Camel<K extends string> = K extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : K;
type GroupValue<F extends Record<string, Field<unknown>>> = {
  readonly [K in keyof F & string as Camel<K>]: ValueOf<F[K]>;
};

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
