// Log lines on stderr: stdout belongs to the protocol.

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export type Log = (level: LogLevel, message: string) => void;

export function createLog(program: string, minimum: LogLevel): Log {
  const threshold = LOG_LEVELS.indexOf(minimum);
  return (level, message) => {
    if (LOG_LEVELS.indexOf(level) >= threshold) console.error(`${program} ${level}: ${harmless(message)}`);
  };
}

/** Messages quote what servers said: nothing in them may act on a terminal. */
function harmless(message: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  return message.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, (unseen) => {
    const code = unseen.charCodeAt(0);
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16)}`;
  });
}
