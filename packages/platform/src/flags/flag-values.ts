// The texts of flags → what they mean. A value that cannot be used is refused by the name it was given by.
import { UsageError } from "./flag-table.ts";
import { notAmong } from "./read-flags.ts";
import type { FlagValues } from "./read-flags.ts";

export function oneOf<const T extends string>(flags: FlagValues, name: string, choices: readonly T[]): T | undefined;
export function oneOf<const T extends string>(
  flags: FlagValues,
  name: string,
  choices: readonly T[],
  fallback: NoInfer<T>,
): T;
export function oneOf<const T extends string>(
  flags: FlagValues,
  name: string,
  choices: readonly T[],
  fallback?: T,
): T | undefined {
  const text = flags.text(name);
  if (text === undefined) return fallback;
  const found = choices.find((choice) => choice === text);
  if (found === undefined) throw new UsageError(notAmong(flags.source(name), text, choices));
  return found;
}

// Seconds become milliseconds: beyond this a sum of them would no longer be exact.
const LARGEST_WHOLE = 1_000_000_000_000;

type Bounds = { readonly min?: number; readonly max?: number | bigint };

export function whole(flags: FlagValues, name: string, bounds?: Bounds): number | undefined;
export function whole(flags: FlagValues, name: string, bounds: Bounds, fallback: number): number;
export function whole(flags: FlagValues, name: string, bounds: Bounds = {}, fallback?: number): number | undefined {
  const { min = 0, max = LARGEST_WHOLE } = bounds;
  const text = flags.text(name);
  if (text === undefined) return fallback;
  const digits = /^\s*\+?(\d+)\s*$/.exec(text)?.[1];
  // Compared exactly: a number may have more digits than a double.
  if (digits !== undefined && BigInt(digits) >= BigInt(min) && BigInt(digits) <= BigInt(max)) return Number(digits);
  throw new UsageError(
    `${flags.source(name)} must be a whole number from ${min} to ${max}, got ${JSON.stringify(text)}`,
  );
}

/** With a fraction, too. */
export function number(
  flags: FlagValues,
  name: string,
  { min, max }: { readonly min: number; readonly max: number },
): number | undefined {
  const text = flags.text(name);
  if (text === undefined) return undefined;
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (value >= min && value <= max) return value;
  throw new UsageError(`${flags.source(name)} must be a number from ${min} to ${max}, got ${JSON.stringify(text)}`);
}

const UNITS: Readonly<Record<string, number>> = { "": 1, B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** `10MB`, `512 kb`, `1048576`; refuses what has no exact meaning (`10.5MB`, `-1`, `10MBx`, an overflow). */
export function size(flags: FlagValues, name: string): number | undefined {
  const text = flags.text(name);
  if (text === undefined) return undefined;
  const [, digits = "", unit = ""] = /^\s*(\d+)\s*([a-z]*)\s*$/i.exec(text) ?? [];
  const bytes = Number(digits) * (UNITS[unit.toUpperCase()] ?? Number.NaN);
  if (digits !== "" && Number.isSafeInteger(bytes) && bytes > 0) return bytes;
  throw new UsageError(
    `${flags.source(name)}: ${JSON.stringify(text)} is not a size; write bytes or such as 512KB, 10MB, 1GB`,
  );
}
