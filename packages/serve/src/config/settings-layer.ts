// The settings file as the layer below flags and variables: what differs from the defaults of the keys that the flags name.
import { defaultSettings } from "@bosun/settings";
import type { Settings } from "@bosun/settings";
import { PROGRAM } from "./config.ts";

/** By flag name, as somebody would have typed it. */
export type Layer = ReadonlyMap<string, readonly string[]>;

export function settingsLayer(settings: Settings, env: Readonly<Record<string, string | undefined>>): Layer {
  const usual = defaultSettings();
  const layer = new Map<string, readonly string[]>();
  for (const { name, setting } of PROGRAM.flags) {
    if (setting === undefined) continue;
    const value = valueAt(settings, setting);
    if (value === undefined || JSON.stringify(value) === JSON.stringify(valueAt(usual, setting))) continue;
    layer.set(name, Array.isArray(value) ? value.map(String) : [String(value)]);
  }
  const { tokenEnv } = settings.serve;
  // A variable that is not set is an empty token, which is refused: not a server that lets everybody in.
  if (tokenEnv !== undefined) layer.set("token", [env[tokenEnv] ?? ""]);
  return layer;
}

/** `serve.max_cpu_s` → what it is set to. */
function valueAt(settings: Settings, setting: string): unknown {
  let value: unknown = settings;
  for (const key of setting.split(".")) {
    const member = key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    value = typeof value === "object" && value !== null ? Reflect.get(value, member) : undefined;
  }
  return value;
}
