// What a command sees of variables. Which ones it may get is decided by whoever starts it.

export type Environment = Readonly<Record<string, string>>;

/** Words that give a command these variables, for a mechanism that cannot set them itself. */
export function withVariables(env: Environment, words: readonly string[]): string[] {
  return ["/usr/bin/env", ...Object.entries(env).map(([name, value]) => `${name}=${value}`), ...words];
}
