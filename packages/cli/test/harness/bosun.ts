// Bosun as a real process, from its sources or as a built executable, in a folder and a home of its own.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";

export const ROOT = path.resolve(import.meta.dir, "../../../..");
export const FROM_SOURCES = [
  process.execPath,
  "--no-env-file",
  "--config=/dev/null",
  path.join(ROOT, "packages/cli/src/main.ts"),
];

export type Ended = { readonly code: number; readonly out: string; readonly err: string };

export class Place implements Disposable {
  readonly folder = realpathSync(mkdtempSync(path.join(tmpdir(), "bosun-cli-")));
  readonly home = path.join(this.folder, "home");
  readonly work = path.join(this.folder, "work folder");
  env: Record<string, string> = {
    PATH: process.env["PATH"] ?? "",
    HOME: this.home,
    // Bun's own cache of transpiled sources: in that home it would start cold each time, and be in the way.
    BUN_RUNTIME_TRANSPILER_CACHE_PATH: path.join(homedir(), ".bun/install/cache/@t@"),
  };

  constructor() {
    mkdirSync(this.home, { mode: 0o700 });
    mkdirSync(this.work);
  }

  async run(words: readonly string[], input = "", program: readonly string[] = FROM_SOURCES): Promise<Ended> {
    const child = Bun.spawn([...program, ...words], {
      cwd: this.work,
      env: this.env,
      stdin: new Blob([input]),
      stdout: "pipe",
      stderr: "pipe",
    });
    const timer = setTimeout(() => child.kill("SIGKILL"), 50_000);
    const [out, err, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    clearTimeout(timer);
    return { code, out, err };
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
