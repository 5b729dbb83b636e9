// Timers that survive any number a user writes: a plain timer given more than 2^31-1 ms fires after 1 ms.

const LONGEST_MS = 2_147_483_647;

export type Timer = { cancel(): void };

/** Calls `act` once, `ms` from now. Never keeps the process alive on its own. */
export function after(ms: number, act: () => void): Timer {
  let left = Math.max(0, ms);
  let handle: ReturnType<typeof setTimeout> | undefined;
  const arm = (): void => {
    const step = Math.min(left, LONGEST_MS);
    left -= step;
    handle = setTimeout(() => (left > 0 ? arm() : act()), step);
    handle.unref();
  };
  arm();
  return { cancel: () => clearTimeout(handle) };
}

/** Waits, without keeping the process alive on its own. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void after(ms, resolve));
}
