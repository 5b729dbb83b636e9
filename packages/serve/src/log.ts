// The operational log: stderr only, since stdout belongs to the protocol, and never what a tool read, wrote or printed.

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogFormat = "text" | "json";
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;
export type Log = (level: LogLevel, message: string, fields?: LogFields) => void;

export function createLog(options: { level: LogLevel; format: LogFormat; write(line: string): void }): Log {
  const least = LOG_LEVELS.indexOf(options.level);
  const form = options.format === "json" ? asJson : asText;
  return (level, message, fields = {}) => {
    if (LOG_LEVELS.indexOf(level) >= least) options.write(`${form(level, message, fields)}\n`);
  };
}

function asJson(level: LogLevel, message: string, fields: LogFields): string {
  return JSON.stringify({ time: new Date().toISOString(), level, msg: message, ...fields });
}

function asText(level: LogLevel, message: string, fields: LogFields): string {
  const shown = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${typeof value === "string" ? JSON.stringify(value) : value}`);
  return `${new Date().toISOString()} ${level.toUpperCase()} ${message}${shown.join("")}`;
}
