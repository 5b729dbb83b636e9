// A promise that is waited for only so long: what several servers are asked for must not hang on one of them.

/** Undefined when it failed or took longer; `onFailure` hears why, and whether it was too late. */
export async function within<T>(
  ms: number,
  work: Promise<T>,
  onFailure: (why: string, isLate: boolean) => void = () => {},
): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    onFailure(`no answer within ${ms} ms`, isLate);
    late.resolve(undefined);
  }, ms);
  const done = work.catch((error: unknown) => {
    if (!isLate) onFailure(error instanceof Error ? error.message : String(error), isLate);
    return undefined;
  });
  try {
    return await Promise.race([done, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
