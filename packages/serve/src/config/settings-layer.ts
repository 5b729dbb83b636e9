// The settings file's `[serve]` table as the layer below flags and variables: only what differs from the defaults.
import { defaultSettings } from "@bosun/settings";
import type { Settings } from "@bosun/settings";

/** By flag name, as somebody would have typed it. */
export type Layer = ReadonlyMap<string, readonly string[]>;

type Serve = Settings["serve"];

const FLAG_OF = {
  transport: "transport",
  host: "host",
  port: "port",
  token: "token",
  generateToken: "generate-token",
  authIssuer: "auth-issuer",
  authAudience: "auth-audience",
  authJwks: "auth-jwks",
  authScopes: "auth-scope",
  allowedHosts: "allow-host",
  allowedOrigins: "allow-origin",
  tools: "tools",
  disableTools: "disable-tools",
  readOnly: "read-only",
  anthropicCompat: "anthropic-compat",
  workdir: "workdir",
  allowDirs: "allow-dir",
  unscoped: "unscoped",
  sandbox: "sandbox",
  allowNetwork: "allow-network",
  envPass: "pass-env",
  timeoutS: "timeout",
  backgroundTaskTimeoutS: "background-task-timeout",
  maxFileSize: "max-file-size",
  maxMemory: "max-memory",
  maxProcesses: "max-processes",
  maxWrittenSize: "max-written-size",
  maxCpuS: "max-cpu",
  requireViewBeforeEdit: "require-view-before-edit",
  truncate: "truncate",
} as const satisfies Partial<Record<keyof Serve, string>>;

export function settingsLayer(settings: Settings, env: Readonly<Record<string, string | undefined>>): Layer {
  const usual = defaultSettings();
  const layer = new Map<string, readonly string[]>();
  for (const [key, flag] of Object.entries(FLAG_OF) as [keyof typeof FLAG_OF, string][]) {
    const value = settings.serve[key];
    if (value === undefined || JSON.stringify(value) === JSON.stringify(usual.serve[key])) continue;
    layer.set(flag, Array.isArray(value) ? value.map(String) : [String(value)]);
  }
  const { tokenEnv } = settings.serve;
  // A variable that is not set is an empty token, which is refused: not a server that lets everybody in.
  if (tokenEnv !== undefined) layer.set("token", [env[tokenEnv] ?? ""]);
  if (settings.log.level !== usual.log.level) layer.set("log-level", [settings.log.level]);
  if (settings.log.format !== usual.log.format) layer.set("log-format", [settings.log.format]);
  if (settings.approvals.timeoutS !== usual.approvals.timeoutS)
    layer.set("approval-timeout", [String(settings.approvals.timeoutS)]);
  return layer;
}
