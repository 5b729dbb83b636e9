// One question on the terminal; anything but y or yes is no.
import { isatty } from "node:tty";

/** Undefined where nobody can answer. */
export function askPerson(): ((question: string) => Promise<boolean>) | undefined {
  if (!isTerminal(0) || !isTerminal(1)) return undefined;
  return async (question) => {
    process.stdout.write(question);
    const reader = Bun.stdin.stream().getReader();
    const { value } = await reader.read();
    await reader.cancel();
    return /^y(es)?$/i.test(
      Buffer.from(value ?? [])
        .toString()
        .trim(),
    );
  };
}

function isTerminal(fd: 0 | 1): boolean {
  return fd === 1 ? process.stdout.isTTY === true : isatty(fd);
}
