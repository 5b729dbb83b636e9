#!/usr/bin/env node
// Starts the executable that npm installed for this platform, and becomes it where Node can. Plain JavaScript for
// Node 20: it runs before anything else of ours can.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";

const name = path.basename(process.argv[1] ?? "bosun").replace(/\.(mjs|cmd|exe)$/, "");
const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
const program = findProgram();
// BUN_OPTIONS injects flags into the runtime inside, BUN_BE_BUN would make it the bare runtime: neither is ours.
const { BUN_OPTIONS: _options, BUN_BE_BUN: _beBun, ...env } = process.env;

if (typeof process.execve === "function") process.execve(program, [name, ...process.argv.slice(2)], env);

// Older Node: a second process, whose signals and end are ours.
const child = spawn(program, process.argv.slice(2), { argv0: name, stdio: "inherit", env });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => fail(`${program} cannot be started: ${error.message}`));
child.on("exit", (code, signal) => {
  if (signal === null) return process.exit(code ?? 1);
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.removeAllListeners(name);
  process.kill(process.pid, signal);
});

function findProgram() {
  const file = `@bosun/cli-${platform}/bosun${process.platform === "win32" ? ".exe" : ""}`;
  try {
    return createRequire(import.meta.url).resolve(file);
  } catch {
    return fail(
      `Bosun has no executable for ${platform} here. If there is one, npm left it out: install without --omit=optional.`,
    );
  }
}

function fail(message) {
  console.error(`bosun: ${message}`);
  process.exit(1);
}
