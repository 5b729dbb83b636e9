// The secrets a program holds because of its settings, by value: for a redactor that knows them.
import { isSecretName } from "@bosun/platform/secrets";
import type { Environment } from "./locations.ts";
import type { ServerSettings, Settings } from "./settings-table.ts";

/** Keys, tokens and header values, written out or taken from the variables that the settings name. */
export function secretsOfSettings(settings: Settings, env: Environment): string[] {
  const servers = [...Object.values(settings.mcp.servers), ...Object.values(settings.proxy.servers)];
  const found = [
    ...Object.values(settings.models).flatMap((model) => [
      model.key,
      named(env, model.keyEnv),
      ...secretValues(model.headers),
    ]),
    ...servers.flatMap((server) => secretsOfServer(server, env)),
    settings.serve.token,
    named(env, settings.serve.tokenEnv),
  ];
  return [...new Set(found.filter((secret) => secret !== undefined && secret !== ""))].filter(
    (secret) => secret !== undefined,
  );
}

function secretsOfServer(server: ServerSettings, env: Environment): (string | undefined)[] {
  const passed = server.envPass.filter(isSecretName).map((name) => env[name]);
  return [
    server.authToken,
    named(env, server.authEnv),
    ...secretValues(server.headers),
    ...secretValues(server.env),
    ...passed,
  ];
}

function named(env: Environment, name: string | undefined): string | undefined {
  return name === undefined ? undefined : env[name];
}

function secretValues(members: Readonly<Record<string, string>>): string[] {
  return Object.entries(members).flatMap(([name, value]) => (isSecretName(name) ? [value] : []));
}
