// Ends every command of ours when we die without a word, SIGKILL included: a tiny shell that waits for its input to
// close, then kills whatever carries our tag. One per server, asleep. Also where a PID namespace should do it: a namespace
// that is still being set up when we die does not notice, and its command would run on with nobody above it.
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
    this.#process.stdin.write("dismissed\n");
    await this.#process.stdin.end();
    await this.#process.exited;
  }
}

// The kill loop repeats because what is being killed may be forking, and, when we died in the middle, because a command
// on its way carries no tag before its shell has begun.
const WATCH = `trap '' HUP INT TERM QUIT
late=20
while read -r line; do late=0; done
round=0
while [ $round -lt 100 ]; do
  found=
  for file in $(grep -lsE "$1" /proc/[0-9]*/limits); do
    pid=\${file#/proc/}
    kill -KILL "\${pid%/limits}" && found=yes
  done
  if [ -z "$found" ]; then
    [ $late -eq 0 ] && exit 0
    late=$((late - 1))
    sleep 0.1
  fi
  round=$((round + 1))
done`;
