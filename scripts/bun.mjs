#!/usr/bin/env node
// Runs the Bun that this project pins, whatever happened at install time, with the two flags that keep a hostile
// current folder from running code before ours: Bun loads ./bunfig.toml (preload!) and ./.env unless told not to.
//
// Plain JavaScript for Node 20: it is what starts everything else, so it can rely on nothing else.
import { spawn, spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";

const HARDENED = ["--no-env-file", "--config=/dev/null"];
// `bun check` and `bun fmt` are tools rather than our programs: they take no runtime flags.
const TOOLS = new Set(["check", "fmt"]);

const bun = findBun();
const words = process.argv.slice(2);
const args = TOOLS.has(words[0])
  ? words
  : words[0] === "test"
    ? ["test", ...HARDENED, ...words.slice(1)]
    : [...HARDENED, ...words];
// Before the program starts: a signal that comes while we still do would end us alone.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
const child = spawn(bun, args, { stdio: "inherit", env: withoutBunSwitches(process.env) });
if (process.env.npm_lifecycle_event !== undefined) endWithParent();
child.on("error", (error) => fail(`could not start ${bun}: ${error.message}`));
child.on("exit", (code, signal) => (signal ? endBy(signal) : process.exit(code ?? 1)));

function findBun() {
  const folder = path.dirname(createRequire(import.meta.url).resolve("bun/package.json"));
  const binary = path.join(folder, "bin", "bun.exe"); // so named on every platform
  if (works(binary)) return binary;
  // Install scripts were skipped (npm ci --ignore-scripts): the real binary is already here, in the platform's
  // package; Bun's own script only has to put it in place. It needs no network.
  spawnSync(process.execPath, ["install.js"], { cwd: folder, stdio: "ignore" });
  if (works(binary)) return binary;
  return fail("Bun is not usable after 'npm ci'. Try: rm -rf node_modules && npm ci");
}

function works(binary) {
  return spawnSync(binary, ["--version"], { stdio: "ignore", env: withoutBunSwitches(process.env) }).status === 0;
}

// npm hands SIGTERM to the shell between it and us, which ends without a word: `docker stop` of an `npm start` would leave
// the server running.
function endWithParent() {
  const parent = process.ppid;
  const look = () => process.ppid !== parent && child.kill("SIGTERM");
  setInterval(look, 500).unref();
}

// As the child ended, so that whoever started us sees it. Our own handler would swallow the signal, and we would end
// with 0: an interrupted test run would be called a success.
function endBy(signal) {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

// BUN_OPTIONS injects flags, BUN_BE_BUN turns an executable into the bare runtime: neither may reach our programs. Nor may
// compiled code from a cache in the home folder: where an agent may write there, the next start would run what it left.
function withoutBunSwitches(env) {
  const { BUN_OPTIONS: _options, BUN_BE_BUN: _beBun, ...rest } = env;
  return { ...rest, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" };
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
