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
  /**
   * Servers that end in their own time and must leave nothing. What others leave, who were killed by us or by a proxy
   * that could not wait, is swept by a later start, a day after.
   */
  readonly tidy = new Set<number>();

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

  /** What tidy servers left in the temporary folder, and what nobody owns. */
  leftBehind(): string[] {
    return readdirSync(this.temporary).filter((name) => {
      const owner = ownerOf(name);
      return owner === undefined || (this.tidy.has(owner) && !isRunning(owner));
    });
  }

  /** Names at any depth, but for those of the untidy. */
  temporaryFiles(): string[] {
    const names = readdirSync(this.temporary, { recursive: true, encoding: "utf8" });
    return names.filter((name) => {
      const owner = ownerOf(name);
      return owner === undefined || this.tidy.has(owner) || isRunning(owner);
    });
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

function ownerOf(name: string): number | undefined {
  const [, pid] = /^bosun-(\d+)-/.exec(name) ?? [];
  return pid === undefined ? undefined : Number(pid);
}
