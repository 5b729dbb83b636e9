// Starts the keeper: a process of its own that outlives its server for as long as it still has something to record.
import path from "node:path";

/** Resolves when it listens, or when another keeper already does. */
export async function spawnKeeper(
  invocation: readonly string[] | undefined,
  options: string,
  env: Record<string, string>,
): Promise<void> {
  const main = path.join(import.meta.dir, "../keeper-main.ts");
  const words = invocation ?? [process.execPath, "--no-env-file", "--config=/dev/null", main];
  const child = Bun.spawn([...words, options], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
    lazy: true,
    cwd: "/",
    env,
    detached: true,
  });
  child.unref();
  const reader = child.stdout.getReader();
  // Its first word, or its end.
  await reader.read();
  await reader.cancel();
}
