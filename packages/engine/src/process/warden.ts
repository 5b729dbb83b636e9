// Ends every command of ours when we die without a word, SIGKILL included: a tiny shell that waits for its input to
// close, then kills whatever carries our tag. One per server, asleep; only needed where no PID namespace does it.
import { limitsPattern } from "./tags.ts";

export class Warden {
  readonly #process: Bun.Subprocess<"pipe", "ignore", "ignore">;

  constructor(tagPrefix: string) {
    this.#process = Bun.spawn(["/bin/sh", "-c", WATCH, "bosun-warden", limitsPattern(tagPrefix)], {
      stdin: "pipe",
      stdout: "ignore",
      stderr: "ignore",
      env: { PATH: "/usr/bin:/bin" },
      cwd: "/",
      detached: true, // a ^C in our terminal must not reach it before its work is done
    });
    this.#process.unref();
  }

  /** Lets it sweep once more and end. */
  async dismiss(): Promise<void> {
    await this.#process.stdin.end();
    await this.#process.exited;
  }
}

// The kill loop repeats because what is being killed may be forking.
const WATCH = `trap '' HUP INT TERM QUIT
while read -r line; do :; done
round=0
while [ $round -lt 100 ]; do
  found=
  for file in $(grep -lsE "$1" /proc/[0-9]*/limits); do
    pid=\${file#/proc/}
    kill -KILL "\${pid%/limits}" && found=yes
  done
  [ -z "$found" ] && exit 0
  round=$((round + 1))
done`;
