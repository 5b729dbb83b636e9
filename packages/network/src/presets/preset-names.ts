// The presets by name: git hosts, which are few and known, and package tools, which are asked for their hosts.

/** A tool whose own configuration names its hosts. */
export type Tool = "npm" | "pip" | "cargo" | "go" | "maven" | "apt";

export type Preset =
  | { readonly kind: "tool"; readonly tool: Tool }
  | { readonly kind: "hosts"; readonly hosts: readonly HostAndPort[] }
  | { readonly kind: "all"; readonly of: readonly string[] };

export type HostAndPort = { readonly host: string; readonly port: number };

export const PRESETS: Readonly<Record<string, Preset>> = {
  npm: { kind: "tool", tool: "npm" },
  pypi: { kind: "tool", tool: "pip" },
  crates: { kind: "tool", tool: "cargo" },
  go: { kind: "tool", tool: "go" },
  maven: { kind: "tool", tool: "maven" },
  debian: { kind: "tool", tool: "apt" },
  registries: { kind: "all", of: ["npm", "pypi", "crates", "go", "maven", "debian"] },
  github: {
    kind: "hosts",
    hosts: [
      ...both("github.com"),
      { host: "api.github.com", port: 443 },
      { host: "codeload.github.com", port: 443 },
      { host: "raw.githubusercontent.com", port: 443 },
      { host: "objects.githubusercontent.com", port: 443 },
      { host: "release-assets.githubusercontent.com", port: 443 },
      { host: "ssh.github.com", port: 443 },
    ],
  },
  gitlab: { kind: "hosts", hosts: both("gitlab.com") },
  bitbucket: { kind: "hosts", hosts: both("bitbucket.org") },
  "git-hosts": { kind: "all", of: ["github", "gitlab", "bitbucket"] },
};

function both(host: string): readonly HostAndPort[] {
  return [
    { host, port: 22 },
    { host, port: 443 },
  ];
}

/** The presets that a preset stands for, in the end. */
export function partsOf(name: string): readonly { readonly name: string; readonly preset: Preset }[] {
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  if (preset === undefined) return [];
  return preset.kind === "all" ? preset.of.flatMap(partsOf) : [{ name, preset }];
}
