// Settings that hold one value, or a list of values.
import { at, value, wrongKind, type Field } from "./field.ts";
import { nearest } from "@bosun/platform/flags";

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
