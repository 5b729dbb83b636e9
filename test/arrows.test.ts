// The arrows between packages, as ARCHITECTURE.md draws them: what an installer cannot see.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

const packages = path.resolve(import.meta.dir, "../packages");

/** Which of ours each package may import, and which libraries from outside. In this order nothing points back. */
const ARROWS: { [name: string]: { ours: string[]; outside: string[] } } = {
  platform: { ours: [], outside: [] },
  mcp: { ours: ["platform"], outside: [] },
  bcp: { ours: ["platform"], outside: [] },
  shrink: { ours: ["platform", "bcp"], outside: [] },
  engine: { ours: ["platform"], outside: ["@vscode/ripgrep", "unbash"] },
  undo: { ours: ["platform", "engine"], outside: [] },
  policy: { ours: ["platform"], outside: [] },
  settings: { ours: ["platform", "policy"], outside: [] },
  network: { ours: ["platform"], outside: [] },
  serve: { ours: ["platform", "mcp", "shrink", "engine", "policy", "settings"], outside: [] },
  proxy: { ours: ["platform", "mcp", "bcp", "shrink", "policy", "settings"], outside: [] },
  chat: { ours: ["platform", "mcp", "shrink", "engine", "policy", "settings"], outside: [] },
  "bcp-mcp-server": { ours: ["platform", "mcp", "bcp", "proxy"], outside: [] },
  cli: {
    ours: [
      "platform",
      "mcp",
      "bcp",
      "shrink",
      "engine",
      "undo",
      "policy",
      "settings",
      "serve",
      "proxy",
      "chat",
      "bcp-mcp-server",
    ],
    outside: [],
  },
};

const present = readdirSync(packages).filter((name) => statSync(path.join(packages, name)).isDirectory());

test("every package has its place in the picture", () => {
  expect(present.filter((name) => !(name in ARROWS))).toEqual([]);
});

test("arrows only point at packages that stand before", () => {
  const order = Object.keys(ARROWS);
  for (const [name, { ours }] of Object.entries(ARROWS)) {
    for (const other of ours) expect(order.indexOf(other)).toBeLessThan(order.indexOf(name));
  }
});

test.each(present)("%s declares what its picture shows, pinned exactly", (name) => {
  const { dependencies = {} } = JSON.parse(readFileSync(path.join(packages, name, "package.json"), "utf8"));
  const { ours, outside } = ARROWS[name] ?? { ours: [], outside: [] };
  const allowed = [...ours.map((other) => `@bosun/${other}`), ...outside];
  expect(Object.keys(dependencies).filter((dependency) => !allowed.includes(dependency))).toEqual([]);
  for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});

test.each(present)("%s imports only itself, the platform and what it declares", (name) => {
  const { dependencies = {} } = JSON.parse(readFileSync(path.join(packages, name, "package.json"), "utf8"));
  const home = path.join(packages, name);
  const stray: string[] = [];
  for (const file of sources(path.join(home, "src"))) {
    for (const specifier of importsOf(readFileSync(file, "utf8"))) {
      if (specifier.startsWith(".")) {
        const target = path.resolve(path.dirname(file), specifier);
        if (!target.startsWith(home + path.sep)) stray.push(`${path.relative(home, file)} → ${specifier}`);
      } else if (!isPlatform(specifier) && !(packageOf(specifier) in dependencies)) {
        stray.push(`${path.relative(home, file)} → ${specifier}`);
      }
    }
  }
  expect(stray).toEqual([]);
});

/** The folders inside packages/mcp/src, as its README has them. */
test.each<[string, string[]]>([
  ["wire", []],
  ["auth", []],
  ["server", ["wire"]],
  ["http", ["server", "wire"]],
  ["client", ["wire", "auth"]],
])("mcp/src/%s imports no other folder than %p", (folder, allowed) => {
  const home = path.join(packages, "mcp/src");
  const stray = [...sources(path.join(home, folder))].flatMap((file) =>
    importsOf(readFileSync(file, "utf8"))
      .filter((specifier) => specifier.startsWith("."))
      .map((specifier) => path.relative(home, path.resolve(path.dirname(file), specifier)))
      .filter((target) => ![folder, ...allowed].includes(target.split(path.sep)[0] ?? ""))
      .map((target) => `${path.relative(home, file)} → ${target}`),
  );
  expect(stray).toEqual([]);
});

test("the lock file records no download addresses", () => {
  const lock = readFileSync(path.resolve(packages, "../package-lock.json"), "utf8");
  expect(lock).not.toMatch(/"resolved": "https?:/);
});

function* sources(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(full);
    else if (/\.(ts|mts|js|mjs)$/.test(entry.name)) yield full;
  }
}

function importsOf(source: string): string[] {
  const patterns = [
    /^\s*(?:import|export)\b[^;"']*?\bfrom\s+["']([^"']+)["']/gm,
    /\bimport\(\s*["']([^"']+)["']/g,
    /^\s*import\s+["']([^"']+)["']/gm,
  ];
  return patterns.flatMap((pattern) => [...source.matchAll(pattern)].map((match) => match[1] ?? ""));
}

function isPlatform(specifier: string): boolean {
  return specifier === "bun" || specifier.startsWith("node:") || specifier.startsWith("bun:");
}

function packageOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}
