// How much memory this process has had at most. Not `resourceUsage().maxRSS`: that begins with what the parent had.

import { readFileSync } from "node:fs";

export function peakKib(): number {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS / 1024;
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
}
