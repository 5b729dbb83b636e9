// The folder a soak works in: a home, a temporary folder and files of its own, and a mark on everything started there.
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { isRunning } from "./process-table.ts";

export const NEEDLE = "needle in the haystack";
/** What a file of the place says in its first line. */
export const FIRST_LINE = "first line of the file";

export class Place {
  readonly root = realpathSync(mkdtempSync(path.join(tmpdir(), "bosun-soak-")));
  readonly work = path.join(this.root, "work");
  readonly temporary = path.join(this.root, "tmp");
  /** Inherited by every server, and by every command through --pass-env. */
  readonly mark = path.basename(this.root);
  readonly env: Record<string, string>;
  /** Servers we killed hard: what they leave is swept by a later start, a day after. */
  readonly killed = new Set<number>();

  constructor() {
    const home = path.join(this.root, "home");
    for (const folder of [this.work, this.temporary, home]) mkdirSync(folder, { mode: 0o700 });
    this.env = {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      TMPDIR: this.temporary,
      BOSUN_SOAK: this.mark,
      // Bun's own cache of transpiled sources: in a new home every start would be a cold one.
      BUN_RUNTIME_TRANSPILER_CACHE_PATH: path.join(homedir(), ".bun/install/cache/@t@"),
    };
    const line = `${"lorem ipsum dolor ".repeat(3)}\n`;
    for (let at = 0; at < 40; at++) {
      const folder = path.join(this.work, `part${at % 5}`);
      mkdirSync(folder, { recursive: true });
      const text = `${FIRST_LINE} ${at}\n${line.repeat(20)}${at % 10 === 0 ? NEEDLE : ""}\n`;
      writeFileSync(path.join(folder, `file${at}.txt`), text);
    }
    writeFileSync(path.join(this.work, "large.txt"), `${FIRST_LINE}\n${line.repeat(18_000)}`);
  }

  /** Names in the temporary folder, at any depth, that no live or hard-killed server owns. */
  leftBehind(): string[] {
    return this.temporaryFiles().filter((name) => {
      const owner = Number(/^bosun-(\d+)-/.exec(name)?.[1] ?? Number.NaN);
      return !(this.killed.has(owner) || isRunning(owner));
    });
  }

  temporaryFiles(): string[] {
    const names = readdirSync(this.temporary, { recursive: true, encoding: "utf8" });
    return names.filter((name) => !this.killed.has(Number(/^bosun-(\d+)-/.exec(name)?.[1] ?? Number.NaN)));
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
