// Ends every command of ours when we die without a word, SIGKILL included: a tiny shell that waits for its input to
// close, then kills whatever carries our tag. One per server, asleep. Also where a PID namespace should do it: a namespace
// that is still being set up when we die does not notice, and its command would run on with nobody above it.
// It is nobody's child: clients end a server that is stuck together with all that descends from it, and would end it, too.
import { writeSync } from "node:fs";
import { spawnFailure, startFailed } from "./command-checks.ts";
import { closeQuietly } from "./private-files.ts";
import { limitsPattern } from "./process-tags.ts";
import type { Channel, PipePool } from "./pipe-pool.ts";

export class Watchdog {
  readonly #orders: Channel;
  readonly #pipes: PipePool;

  /** `folder`: a name of ours that stands on the command line of every sandbox. */
  static async post(pipes: PipePool, tagPrefix: string, folder: string): Promise<Watchdog> {
    // Not Bun's own pipe: it closes it with the shell that it started, which ends at once.
    const orders = await pipes.takeChannel();
    const watchdog = new Watchdog(pipes, orders);
    try {
      const words = ["/bin/sh", "-c", ORPHANED_WORDS, "bosun-watchdog", limitsPattern(tagPrefix), folder];
      if ((await startShell(words, orders.readFd)) !== 0) throw startFailed("limit", "too many processes");
      return watchdog;
    } catch (error) {
      watchdog.dismiss();
      throw error;
    } finally {
      closeQuietly(orders.readFd);
    }
  }

  private constructor(pipes: PipePool, orders: Channel) {
    this.#pipes = pipes;
    this.#orders = orders;
  }

  /** Lets it look around once more and end. */
  dismiss(): void {
    try {
      writeSync(this.#orders.writeFd, "dismissed\n");
    } catch {
      // EPIPE: somebody has ended it
    }
    closeQuietly(this.#orders.writeFd);
    this.#pipes.giveBackChannel(this.#orders, false);
  }
}

/** The status of the shell that starts it: not 0 when there was no room for another process. */
function startShell(words: readonly string[], stdin: number): Promise<number> {
  try {
    return Bun.spawn([...words], {
      stdio: [stdin, "ignore", "ignore"],
      env: { PATH: "/usr/bin:/bin" },
      cwd: "/",
      detached: true, // a ^C in our terminal must not reach it before its work is done
    }).exited;
  } catch (error) {
    throw spawnFailure(error, "/bin/sh");
  }
}

// The kill loop repeats because what is being killed may be forking, and, when we died in the middle, because a command
// on its way carries no tag before its shell has begun. A sandbox whose outer half died in the middle of its setting up
// waits for it for ever: that one is known by our folder's name. What it is given decides who dies, so it wants to see a
// whole tag and a folder of ours: an empty word would be found in every process of the machine.
export const WATCHDOG_WORDS = `trap '' HUP INT TERM QUIT
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

// A shell gives what it starts in the background no input of its own accord: hence the detour by another number.
const ORPHANED_WORDS = `exec 3<&0
{
${WATCHDOG_WORDS}
} <&3 3<&- &`;
