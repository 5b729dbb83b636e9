// Starts the keeper: a process of its own that outlives its server for as long as it still has something to record.
import path from "node:path";

/** Its first word, `listening` or `busy`; nothing when it ended without one. */
export async function spawnKeeper(
  invocation: readonly string[] | undefined,
  options: string,
  env: Record<string, string>,
): Promise<string> {
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
  const { value } = await reader.read();
  await reader.cancel();
  return Buffer.from(value ?? [])
    .toString()
    .trim();
}
