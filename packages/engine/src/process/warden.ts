// Ends every command of ours when we die without a word, SIGKILL included: a tiny shell that waits for its input to
// close, then kills whatever carries our tag. One per server, asleep. Also where a PID namespace should do it: a namespace
// that is still being set up when we die does not notice, and its command would run on with nobody above it.
import { limitsPattern } from "./tags.ts";

export class Warden {
  readonly #process: Bun.Subprocess<"pipe", "ignore", "ignore">;

  /** `folder`: a name of ours that stands on the command line of every sandbox. */
  constructor(tagPrefix: string, folder: string) {
    this.#process = Bun.spawn(["/bin/sh", "-c", WARDEN_WORDS, "bosun-warden", limitsPattern(tagPrefix), folder], {
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
// on its way carries no tag before its shell has begun. A sandbox whose outer half died in the middle of its setting up
// waits for it for ever: that one is known by our folder's name. What it is given decides who dies, so it wants to see a
// whole tag and a folder of ours: an empty word would be found in every process of the machine.
export const WARDEN_WORDS = `trap '' HUP INT TERM QUIT
case $1 in *[0-9][0-9][0-9][0-9][0-9][0-9]*) ;; *) exit 1 ;; esac
case $2 in /*/bosun-?*-?*) ;; *) exit 1 ;; esac
late=20
while read -r line; do late=0; done
round=0
while [ $round -lt 100 ]; do
  found=
  for file in $(grep -lsE "$1" /proc/[0-9]*/limits); do
    pid=\${file#/proc/}
    kill -KILL "\${pid%/limits}" && found=yes
  done
  for file in $(grep -lsF -- "$2" /proc/[0-9]*/cmdline); do
    pid=\${file#/proc/}
    pid=\${pid%/cmdline}
    read -r name <"/proc/$pid/comm" || continue
    case $name in bwrap | unshare | setpriv) kill -KILL "$pid" && found=yes ;; esac
  done 2>/dev/null
  if [ -z "$found" ]; then
    [ $late -eq 0 ] && exit 0
    late=$((late - 1))
    sleep 0.1
  fi
  round=$((round + 1))
done`;
