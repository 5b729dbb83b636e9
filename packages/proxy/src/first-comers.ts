// Several answers of which some may never come: those that come about as soon as the first one are waited for. Each
// machine is as fast as it is, so the first answer says how long one takes here.

/** Whoever needs no longer than this is never late. */
const SOON_MS = 1000;
const TIMES_THE_FIRST = 3;

/**
 * Resolves when all are settled; or when the rest has had three times as long as the first answer, and a second; or after
 * `mostMs`. Values and failures are the works' own business: this says only when to stop waiting.
 */
export async function firstComers(works: readonly Promise<unknown>[], mostMs: number): Promise<void> {
  const started = performance.now();
  const enough = Promise.withResolvers<void>();
  let timer = setTimeout(enough.resolve, mostMs);
  let hasFirst = false;
  const came = (): void => {
    if (hasFirst) return;
    hasFirst = true;
    const took = performance.now() - started;
    clearTimeout(timer);
    timer = setTimeout(enough.resolve, Math.min(mostMs, Math.max(SOON_MS, took * TIMES_THE_FIRST)) - took);
  };
  const all = Promise.all(works.map((work) => work.then(came, () => {})));
  try {
    await Promise.race([all, enough.promise]);
  } finally {
    hasFirst = true; // who comes later starts no clock
    clearTimeout(timer);
  }
}
