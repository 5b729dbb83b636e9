// scripts/bun.mjs stands between npm and everything else: what happens to the program must be seen through it.
import { afterAll, expect, test } from "bun:test";
import {
  copyFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const root = path.resolve(import.meta.dir, "..");
const launcher = path.join(root, "scripts/bun.mjs");
const elsewhere = mkdtempSync(path.join(tmpdir(), "bosun-launcher-"));
afterAll(() => rmSync(elsewhere, { recursive: true, force: true }));

function launch(script: string): Bun.Subprocess<"ignore", "pipe", "inherit"> {
  return Bun.spawn(["node", launcher, "-e", script], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
    env: { PATH: process.env["PATH"] ?? "" },
  });
}

test("npx finds bosun in a clone, from any of its folders", () => {
  const program = path.join(root, "node_modules/.bin/bosun");
  const { stdout } = Bun.spawnSync([program, "version"], {
    cwd: elsewhere,
    env: { PATH: process.env["PATH"] ?? "" },
    stdout: "pipe",
  });
  expect(stdout.toString()).toMatch(/^bosun \d/);
});

test.each([0, 3])("exit code %d is passed on", async (code) => {
  expect(await launch(`process.exitCode = ${code}`).exited).toBe(code);
});

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s reaches the program, and ends both alike", async (signal) => {
  const child = launch("console.log(process.pid); setInterval(() => {}, 1000)");
  const { value } = await child.stdout.getReader().read();
  child.kill(signal);
  await child.exited;
  // Ending with 0 would call an interrupted test run a success.
  expect(child.signalCode).toBe(signal);
  expect(() => process.kill(Number(new TextDecoder().decode(value)), 0)).toThrow();
});

test("a program that ends well when asked to is not called killed", async () => {
  const child = launch(`process.on("SIGTERM", () => process.exit(7)); console.log("up"); setInterval(() => {}, 1000)`);
  await child.stdout.getReader().read();
  child.kill("SIGTERM");
  expect(await child.exited).toBe(7);
});

test("a Bun whose install script never ran is put in place", async () => {
  // As `npm ci --ignore-scripts` leaves it: a placeholder for the binary, and the binary in the platform's package.
  const modules = path.join(elsewhere, "node_modules");
  const from = path.join(root, "node_modules");
  const [platform = ""] = readdirSync(path.join(from, "@oven"));
  const bin = path.join(modules, "@oven", platform, "bin");
  mkdirSync(bin, { recursive: true });
  mkdirSync(path.join(modules, "bun/bin"), { recursive: true });
  for (const file of [`@oven/${platform}/package.json`, "bun/package.json", "bun/install.js"]) {
    copyFileSync(path.join(from, file), path.join(modules, file));
  }
  for (const name of ["bun.exe", "bunx.exe"]) {
    writeFileSync(path.join(modules, "bun/bin", name), "echo the install script was not run; exit 1\n", {
      mode: 0o755,
    });
  }
  placeBinary(path.join(bin, process.platform === "win32" ? "bun.exe" : "bun"));
  const copy = path.join(elsewhere, "bun.mjs");
  copyFileSync(launcher, copy);
  const child = Bun.spawn(["node", copy, "-e", "console.log(Bun.version)"], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
    env: { PATH: process.env["PATH"] ?? "" },
  });
  expect(await new Response(child.stdout).text()).toBe(`${Bun.version}\n`);
  expect(readFileSync(path.join(modules, "bun/bin/bun.exe")).length).toBeGreaterThan(1_000_000);
});

// A hundred megabytes: a second name for them where that is possible.
function placeBinary(target: string): void {
  try {
    linkSync(process.execPath, target);
  } catch {
    cpSync(process.execPath, target);
  }
}

test("when npm's shell is ended, the program ends too", async () => {
  const script = "console.log(process.pid); setInterval(() => {}, 1000)";
  const shell = Bun.spawn(["sh", "-c", 'node "$1" -e "$2"; true', "sh", launcher, script], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
    env: { PATH: process.env["PATH"] ?? "", npm_lifecycle_event: "start" },
  });
  const reader = shell.stdout.getReader();
  const pid = Number(new TextDecoder().decode((await reader.read()).value));
  shell.kill("SIGTERM");
  await shell.exited;
  // Its output ends with the last process that holds it.
  expect((await reader.read()).done).toBe(true);
  expect(() => process.kill(pid, 0)).toThrow();
}, 20_000);
