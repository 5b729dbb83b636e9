// npm run build: one executable, dist/bosun, for this platform; `--all` for the others too (dist/bosun-<target>);
// `--npm` lays out the packages for npm (dist/npm).
// Hardened: neither a bunfig.toml nor a .env of the folder it is started in is read.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { BunPlugin } from "bun";
import { layOut } from "../packages/bosun/npm/lay-out.ts";
import type { Built } from "../packages/bosun/npm/lay-out.ts";

const root = path.resolve(import.meta.dir, "..");
const entry = path.join(root, "packages/bosun/src/main.ts");
const embeddedFinder = path.join(root, "packages/bosun/src/embedded/find-ripgrep.ts");

export type Target = "linux-x64" | "linux-arm64" | "darwin-arm64" | "windows-x64";
export const TARGETS: readonly Target[] = ["linux-x64", "linux-arm64", "darwin-arm64", "windows-x64"];

export async function build(target: Target, outfile: string): Promise<{ bytes: number; seconds: number }> {
  const started = performance.now();
  mkdirSync(path.dirname(outfile), { recursive: true });
  const aside = `${outfile}.${process.pid}.building${target === "windows-x64" ? ".exe" : ""}`;
  const result = await Bun.build({
    entrypoints: [entry],
    compile: {
      target: `bun-${target}`,
      outfile: aside,
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
    minify: true,
    bytecode: true,
    format: "esm",
    plugins: [ripgrepInside(await ripgrepFor(target))],
  });
  if (!result.success) throw new AggregateError(result.logs, "the build failed");
  renameSync(aside, outfile);
  return { bytes: statSync(outfile).size, seconds: (performance.now() - started) / 1000 };
}

/** The engine asks one module where ripgrep is; inside the executable another one answers. */
function ripgrepInside(ripgrep: string): BunPlugin {
  const sha256 = createHash("sha256").update(readFileSync(ripgrep)).digest("hex");
  let replaced = 0;
  return {
    name: "ripgrep inside",
    setup(builder) {
      builder.onResolve({ filter: /\/ripgrep\.ts$/ }, ({ importer }) => {
        if (!/engine[\\/]src[\\/](index|search[\\/]grep)\.ts$/.test(importer)) return undefined;
        replaced += 1;
        return { path: embeddedFinder };
      });
      builder.onResolve({ filter: /\/ripgrep-file\.js$/ }, ({ path }) => ({ path, namespace: "bosun" }));
      builder.onLoad({ filter: /ripgrep-file/, namespace: "bosun" }, () => ({
        contents: `import file from ${JSON.stringify(ripgrep)} with { type: "file" };
          export { file };
          export const sha256 = ${JSON.stringify(sha256)};`,
        loader: "ts",
      }));
      builder.onEnd(() => {
        if (replaced === 0) throw new Error("the engine no longer asks search/ripgrep.ts where ripgrep is");
      });
    },
  };
}

async function ripgrepFor(target: Target): Promise<string> {
  const [platform = "", arch = ""] = target.replace("windows", "win32").split("-");
  const name = `@vscode/ripgrep-${platform}-${arch}`;
  const binary = platform === "win32" ? "rg.exe" : "rg";
  const main = createRequire(path.join(root, "packages/engine/package.json")).resolve("@vscode/ripgrep");
  try {
    return createRequire(main).resolve(`${name}/bin/${binary}`);
  } catch {
    return downloaded(name, `bin/${binary}`, versionBeside(main));
  }
}

/** The package of another platform, from the registry npm is set to, kept for the next build. */
function downloaded(name: string, file: string, version: string): string {
  const folder = path.join(root, "dist/cache", `${name.replace(/^@|\//g, "-")}-${version}`);
  const wanted = path.join(folder, "package", file);
  if (existsSync(wanted)) return wanted;
  mkdirSync(path.dirname(folder), { recursive: true });
  const aside = mkdtempSync(`${folder}.`);
  try {
    run(["npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", aside, `${name}@${version}`], root);
    const [archive = ""] = [...new Bun.Glob("*.tgz").scanSync({ cwd: aside })];
    run(["tar", "-xzf", archive], aside);
    renameSync(aside, folder);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  return wanted;
}

function versionBeside(main: string): string {
  const { version } = createRequire(main)("./../package.json") as { version: string };
  return version;
}

function run(words: string[], cwd: string): void {
  const { exitCode, stderr } = Bun.spawnSync(words, { cwd, env: process.env, stdout: "ignore", stderr: "pipe" });
  if (exitCode !== 0) throw new Error(`${words.join(" ")} ended with ${exitCode}: ${stderr.toString().trim()}`);
}

export function ownTarget(): Target {
  const name = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const target = TARGETS.find((one) => one === name);
  if (target === undefined) throw new Error(`no executable is built for ${name}; there are: ${TARGETS.join(", ")}`);
  return target;
}

async function main(words: readonly string[]): Promise<number> {
  const unknown = words.find((word) => word !== "--all" && word !== "--npm");
  if (unknown !== undefined) {
    console.error(`unknown option ${unknown}\nUsage: npm run build [-- --all] [-- --npm]`);
    return 2;
  }
  const own = ownTarget();
  const built: Built[] = [];
  for (const target of words.includes("--all") ? [own, ...TARGETS.filter((one) => one !== own)] : [own]) {
    const executable = outfileOf(target);
    // One that the registry does not have must not keep the others from being built.
    await report(target, executable)
      .then(() => built.push({ target, executable }))
      .catch((error: unknown) => console.error(`${target}: ${error instanceof Error ? error.message : String(error)}`));
  }
  if (words.includes("--npm")) {
    for (const folder of layOut(built, path.join(root, "dist/npm"))) console.log(path.relative(root, folder));
  }
  return built.length === (words.includes("--all") ? TARGETS.length : 1) ? 0 : 1;
}

/** dist/bosun is the one for this platform. */
function outfileOf(target: Target): string {
  const suffix = target === ownTarget() ? "" : `-${target}`;
  return path.join(root, `dist/bosun${suffix}${target === "windows-x64" ? ".exe" : ""}`);
}

async function report(target: Target, outfile: string): Promise<void> {
  const { bytes, seconds } = await build(target, outfile);
  const size = (bytes / 1024 / 1024).toFixed(1);
  console.log(`${path.relative(root, outfile)}  ${target}  ${size} MiB  built in ${seconds.toFixed(1)} s`);
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
