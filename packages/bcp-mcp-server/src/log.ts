// Log lines on stderr: stdout belongs to the protocol.

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export type Log = (level: LogLevel, message: string) => void;

export function createLog(minimum: LogLevel): Log {
  const threshold = LOG_LEVELS.indexOf(minimum);
  return (level, message) => {
    if (LOG_LEVELS.indexOf(level) >= threshold) console.error(`bcp-mcp-server ${level}: ${message}`);
  };
}
