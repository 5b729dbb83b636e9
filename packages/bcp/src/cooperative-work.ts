// Work in steps, for whoever has others to answer meanwhile: it can be done at once, or with pauses in between.

export type Steps<T> = Generator<undefined, T, undefined>;

/** Does some of what is left, and says whether there is more. */
export type More = () => boolean;

/** Called after each step: a pause to wait for, where one is due. */
export type Rest = () => Promise<void> | undefined;

export const noRest: Rest = () => undefined;

export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

export function allAtOnce(more: More): void {
  while (more()) continue;
}

export async function inTurns<T>(steps: Steps<T>, rest: Rest): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    const pause = rest();
    if (pause) await pause;
  }
}

export async function moreInTurns(more: More, rest: Rest): Promise<void> {
  while (more()) {
    const pause = rest();
    if (pause) await pause;
  }
}
