// What several servers are asked for must not hang on one of them.

/** How long a greeting or a list waits for the slowest server; what comes later is announced. */
export const LIST_TIMEOUT_MS = 5000;
/** Whoever needs no longer than this is never late. */
const SOON_MS = 1000;
const TIMES_THE_FIRST = 3;

/** Undefined when it failed or took longer; `onFailure` hears why, and whether it was too late. */
export async function withTimeout<T>(
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

/**
 * Resolves when all are settled; or when the rest has had three times as long as the first answer, and a second; or after
 * `mostMs`. Each machine is as fast as it is, so the first answer says how long one takes here. Values and failures are the
 * works' own business: this says only when to stop waiting.
 */
export async function waitForMost(works: readonly Promise<unknown>[], mostMs: number): Promise<void> {
  const started = performance.now();
  const enough = Promise.withResolvers<void>();
  let timer = setTimeout(enough.resolve, mostMs);
  let hasFirst = false;
  const answered = (): void => {
    if (hasFirst) return;
    hasFirst = true;
    const took = performance.now() - started;
    clearTimeout(timer);
    timer = setTimeout(enough.resolve, Math.min(mostMs, Math.max(SOON_MS, took * TIMES_THE_FIRST)) - took);
  };
  const all = Promise.all(works.map((work) => work.then(answered, () => {})));
  try {
    await Promise.race([all, enough.promise]);
  } finally {
    hasFirst = true; // who comes later starts no clock
    clearTimeout(timer);
  }
}
