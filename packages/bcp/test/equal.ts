// Deep equality that says what differed.

export function equal(actual: unknown, expected: unknown): void {
  if (Bun.deepEquals(actual, expected, true)) return;
  throw new Error(`expected ${Bun.inspect(expected)}, got ${Bun.inspect(actual)}`);
}
