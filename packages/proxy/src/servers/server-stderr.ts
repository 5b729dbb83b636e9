// What a server says on its stderr, on ours: bounded, without secrets, and harmless to a terminal.
import { isatty } from "node:tty";

/** So much at once, and so much per second after that; the rest is counted. */
const BURST_CHARS = 64 * 1024;
const CHARS_PER_SECOND = 16 * 1024;
/** Once there is no room, none is given before there is this much: a note for every few characters helps nobody. */
const WORTHWHILE_CHARS = 8 * 1024;
const STDERR = 2;

export function stderrOf(server: string, write: (text: string) => unknown = (text) => process.stderr.write(text)) {
  const limit = new RateLimit();
  let left = 0;
  let filter: Promise<(text: string) => string> | undefined;
  return (text: string): void => {
    const shown = text.slice(0, limit.take(text.length));
    const missing = left;
    left = shown === "" ? left + text.length : text.length - shown.length;
    if (shown === "") return;
    const note = missing === 0 ? "" : `\n[bosun] ${missing} characters of ${server}'s stderr left out\n`;
    // Guarding is loaded with the first line: most servers say nothing.
    filter ??= loadFilter();
    void filter.then((safe) => write(note + safe(shown)));
  };
}

async function loadFilter(): Promise<(text: string) => string> {
  const { createRedactor, createRedactStream } = await import("@bosun/platform/secrets");
  const { createScreenSafeStream } = await import("@bosun/platform/safe-text");
  const secrets = createRedactStream(createRedactor());
  if (!isatty(STDERR)) return (text) => secrets.push(text);
  const screen = createScreenSafeStream({ colors: true, unforged: true });
  return (text) => screen.push(secrets.push(text));
}

class RateLimit {
  private chars = BURST_CHARS;
  private at = performance.now();
  private isFull = false;

  take(wanted: number): number {
    const now = performance.now();
    this.chars = Math.min(BURST_CHARS, this.chars + ((now - this.at) * CHARS_PER_SECOND) / 1000);
    this.at = now;
    if (this.isFull && this.chars < WORTHWHILE_CHARS) return 0;
    const given = Math.min(wanted, Math.floor(this.chars));
    this.chars -= given;
    this.isFull = given < wanted;
    return given;
  }
}
