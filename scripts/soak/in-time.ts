// Waiting with an end, and without a timer left behind that would keep the program alive.

/** Whether it settled in time; how it settled is its own affair. */
export async function inTime(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), ms);
  const done = promise.then(
    () => true,
    () => true,
  );
  const settled = await Promise.race([done, late.promise]);
  clearTimeout(timer);
  return settled;
}
