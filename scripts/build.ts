// npm run build: one executable, dist/bosun, for this platform; `--all` for the others too (dist/bosun-<target>);
// `--npm` lays out the packages for npm (dist/npm).
// Hardened: neither a bunfig.toml nor a .env of the folder it is started in is read.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import type { BunPlugin } from "bun";
import { layOut } from "../packages/cli/npm/lay-out.ts";
import type { Built } from "../packages/cli/npm/lay-out.ts";
import { helpText, readFlags, UsageError } from "@bosun/platform/flags";
import type { Program } from "@bosun/platform/flags";

const root = path.resolve(import.meta.dir, "..");
const entry = path.join(root, "packages/cli/src/main.ts");
const embeddedFinder = path.join(root, "packages/cli/src/embedded/find-ripgrep.ts");

export type Target = "linux-x64" | "linux-arm64" | "darwin-arm64" | "windows-x64";
export const TARGETS: readonly Target[] = ["linux-x64", "linux-arm64", "darwin-arm64", "windows-x64"];

export type BuildOptions = {
  /** Which bytecode a start needs, as `profileOf` found it: laid out together, a start reads less. */
  readonly profile?: string;
};

export async function build(target: Target, outfile: string, options: BuildOptions = {}): Promise<void> {
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
      bytecodeOrder: options.profile ?? null,
    },
    minify: true,
    // A command then reads its own code only: a fifth of the start-up time and 4 MB.
    splitting: true,
    bytecode: true,
    format: "esm",
    plugins: [ripgrepInside(await ripgrepFor(target))],
  });
  if (!result.success) throw new AggregateError(result.logs, "the build failed");
  renameSync(aside, outfile);
}

/** Starts the executable as a client would and lets it write down what it used. */
export async function profileOf(executable: string, file: string): Promise<string> {
  const home = mkdtempSync(path.join(tmpdir(), "bosun-profile-"));
  const ask = (id: number, method: string, params: object): string =>
    `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
  const child = Bun.spawn([executable, "serve", "--transport", "stdio"], {
    cwd: home,
    env: { PATH: process.env["PATH"] ?? "", HOME: home, BUN_BYTECODE_ORDER_OUT: file },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  });
  try {
    const clientInfo = { name: "build", version: "1" };
    child.stdin.write(ask(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo }));
    child.stdin.write(ask(2, "tools/list", {}));
    let heard = "";
    for await (const chunk of child.stdout) {
      heard += new TextDecoder().decode(chunk);
      if (heard.includes('"id":2')) break;
    }
    await child.stdin.end();
    if ((await child.exited) !== 0 || !existsSync(file)) throw new Error("the executable does not start");
    return file;
  } finally {
    child.kill("SIGKILL");
    rmSync(home, { recursive: true, force: true });
  }
}

/** The engine asks one module where ripgrep is; inside the executable another one answers. */
function ripgrepInside(ripgrep: string): BunPlugin {
  const sha256 = createHash("sha256").update(readFileSync(ripgrep)).digest("hex");
  let replaced = 0;
  return {
    name: "ripgrep inside",
    setup(builder) {
      builder.onResolve({ filter: /\/ripgrep\.ts$/ }, ({ importer }) => {
        if (!/engine[\\/]src[\\/](index|search[\\/]search-content)\.ts$/.test(importer)) return undefined;
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

const BUILD: Program = {
  name: "npm run build --",
  summary: "the executable, dist/bosun",
  usage: ["npm run build -- [--all] [--npm]"],
  flags: [
    { name: "all", help: "for every platform" },
    { name: "npm", help: "and the packages for npm, in dist/npm" },
  ],
  examples: [],
};

async function main(words: readonly string[]): Promise<number> {
  const flags = readFlags(BUILD, words);
  if (flags.isHelp) {
    console.log(helpText(BUILD));
    return 0;
  }
  const own = ownTarget();
  const scratch = mkdtempSync(path.join(tmpdir(), "bosun-build-"));
  try {
    const first = path.join(scratch, "bosun");
    await build(own, first);
    const profile = await profileOf(first, path.join(scratch, "order"));
    const targets = flags.isOn("all") ? [own, ...TARGETS.filter((one) => one !== own)] : [own];
    const built: Built[] = [];
    for (const target of targets) {
      const executable = outfileOf(target);
      // One that the registry does not have must not keep the others from being built.
      const done = await report(target, executable, profile);
      if (done) built.push({ target, executable });
    }
    if (flags.isOn("npm")) {
      for (const folder of layOut(built, path.join(root, "dist/npm"))) console.log(path.relative(root, folder));
    }
    return built.length === targets.length ? 0 : 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** dist/bosun is the one for this platform. */
function outfileOf(target: Target): string {
  const suffix = target === ownTarget() ? "" : `-${target}`;
  return path.join(root, `dist/bosun${suffix}${target === "windows-x64" ? ".exe" : ""}`);
}

async function report(target: Target, outfile: string, profile: string): Promise<boolean> {
  const started = performance.now();
  try {
    await build(target, outfile, { profile });
  } catch (error) {
    console.error(`${target}: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
  const size = (statSync(outfile).size / 1024 / 1024).toFixed(1);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${path.relative(root, outfile)}  ${target}  ${size} MiB  built in ${seconds} s`);
  return true;
}

if (import.meta.main) {
  process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\n\n${helpText(BUILD)}`);
    return 2;
  });
}
