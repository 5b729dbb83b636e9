// A promise that is waited for only so long: what several servers are asked for must not hang on one of them.

/** Undefined when it failed or took longer; `onFailure` hears why. */
export async function within<T>(
  ms: number,
  work: Promise<T>,
  onFailure: (why: string) => void = () => {},
): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => {
    onFailure(`no answer within ${ms} ms`);
    late.resolve(undefined);
  }, ms);
  const done = work.catch((error: unknown) => {
    onFailure(error instanceof Error ? error.message : String(error));
    return undefined;
  });
  try {
    return await Promise.race([done, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
