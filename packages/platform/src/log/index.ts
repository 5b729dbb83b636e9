// Log lines on stderr, since stdout belongs to the protocol; never what a tool read, wrote or printed.

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogFormat = "text" | "json";
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;
export type Log = (level: LogLevel, message: string, fields?: LogFields) => void;

export type LogOptions = {
  /** Lines begin with this name; without one, with the time. */
  readonly program?: string;
  readonly level: LogLevel;
  readonly format?: LogFormat;
  write?(line: string): void;
};

export function createLog({ program, level: minimum, format, write = toStderr }: LogOptions): Log {
  const least = LOG_LEVELS.indexOf(minimum);
  return (level, message, fields = {}) => {
    if (LOG_LEVELS.indexOf(level) < least) return;
    const time = new Date().toISOString();
    if (format === "json") write(`${JSON.stringify({ time, level, msg: message, ...fields })}\n`);
    else {
      const head = program === undefined ? `${time} ${level.toUpperCase()}` : `${program} ${level}:`;
      write(`${head} ${harmless(message)}${shown(fields)}\n`);
    }
  };
}

function toStderr(line: string): void {
  console.error(line.trimEnd());
}

function shown(fields: LogFields): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${typeof value === "string" ? harmless(JSON.stringify(value)) : value}`)
    .join("");
}

/** Messages quote what servers said: nothing in them may act on a terminal. */
function harmless(message: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  return message.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, (unseen) => {
    const code = unseen.charCodeAt(0);
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16)}`;
  });
}
