// The chat in a terminal of its own, and when what was on its screen. For measurements.
import path from "node:path";

const HANG_MS = 20_000;

export type Screen = ReturnType<typeof openScreen>;

/** `home` has a folder `work` to start in, and the settings below `config`. */
export function openScreen(command: readonly string[], home: string) {
  let seen = "";
  let seenAt = 0;
  let heard: (() => void) | undefined;
  const startedAt = performance.now();
  const child = Bun.spawn([...command, "--plain"], {
    cwd: path.join(home, "work"),
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      SHELL: "/bin/bash",
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
      XDG_CONFIG_HOME: path.join(home, "config"),
      XDG_STATE_HOME: path.join(home, "state"),
      XDG_DATA_HOME: path.join(home, "data"),
    },
    terminal: {
      cols: 120,
      rows: 40,
      data: (_: unknown, data: Uint8Array) => {
        seenAt = performance.now();
        seen += new TextDecoder().decode(data);
        heard?.();
      },
    },
  });
  return {
    startedAt,
    type: (text: string) => void child.terminal?.write(text),
    forget: () => void (seen = ""),
    /** When it was on the screen; what came before is forgotten. */
    async until(text: string): Promise<number> {
      const end = Date.now() + HANG_MS;
      while (!seen.includes(text)) {
        if (Date.now() > end) throw new Error(`never saw ${text} in ${JSON.stringify(seen.slice(-600))}`);
        const more = Promise.withResolvers<void>();
        heard = more.resolve;
        const timer = setTimeout(more.resolve, 500);
        await more.promise;
        clearTimeout(timer);
      }
      seen = seen.slice(seen.lastIndexOf(text) + text.length);
      return seenAt;
    },
    async close(): Promise<void> {
      child.kill("SIGTERM");
      await child.exited;
      child.terminal?.close();
    },
  };
}
