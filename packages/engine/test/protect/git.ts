// Real repositories for tests, made by git itself and without anything of the person who runs them.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

export class GitFolder implements Disposable {
  readonly base = realpathSync(mkdtempSync(path.join(tmpdir(), "bosun-git-")));

  at(...names: string[]): string {
    return path.join(this.base, ...names);
  }

  git(where: string, ...words: string[]): string {
    const { exitCode, stdout, stderr } = Bun.spawnSync(["git", ...words], {
      cwd: this.at(where),
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: this.at("no-home"),
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_AUTHOR_NAME: "a",
        GIT_AUTHOR_EMAIL: "a@example.com",
        GIT_COMMITTER_NAME: "a",
        GIT_COMMITTER_EMAIL: "a@example.com",
      },
    });
    if (exitCode !== 0) throw new Error(`git ${words.join(" ")}: ${stderr.toString()}`);
    return stdout.toString();
  }

  /** A repository with one commit. */
  repository(name: string): string {
    this.git(".", "init", "-q", "-b", "main", name);
    this.git(name, "commit", "-q", "--allow-empty", "-m", "first");
    return this.at(name);
  }

  [Symbol.dispose](): void {
    rmSync(this.base, { recursive: true, force: true });
  }
}
