// What one call of the shell tool may ask for, within the [shell_tool] table.
import type { Settings } from "./settings-table.ts";

export type ShellRequest = { readonly timeoutS?: number; readonly outputBytes?: number };

export type ShellLimits =
  | { readonly kind: "limits"; readonly timeoutMs: number; readonly outputBytes: number }
  | { readonly kind: "refused"; readonly reason: string };

export function shellLimits(settings: Settings, request: ShellRequest = {}): ShellLimits {
  const { defaultTimeout, maxTimeout, maxOutputSize } = settings.shellTool;
  const timeoutS = request.timeoutS ?? Math.min(defaultTimeout, maxTimeout);
  if (!Number.isFinite(timeoutS) || timeoutS <= 0)
    return { kind: "refused", reason: "timeout must be a number of seconds above 0" };
  if (timeoutS > maxTimeout)
    return { kind: "refused", reason: `timeout may be at most ${maxTimeout} seconds (shell_tool.max_timeout)` };
  const outputBytes = Math.min(request.outputBytes ?? maxOutputSize, maxOutputSize);
  if (!Number.isFinite(outputBytes) || outputBytes < 0)
    return { kind: "refused", reason: "the output size must be a number of bytes" };
  return { kind: "limits", timeoutMs: Math.round(timeoutS * 1000), outputBytes };
}
