// Programs that run at once each have a log of the audit to themselves.
import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

test("programs that start in the same moment never share a log", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "audit-logs-"));
  const script = path.join(import.meta.dir, "audit-claimer.ts");
  const claim = async (): Promise<string> => {
    const words = [process.execPath, "--no-env-file", "--config=/dev/null", script, path.join(folder, "audit"), "400"];
    const child = Bun.spawn(words, { stdout: "pipe", stderr: "inherit", env: process.env });
    return (await new Response(child.stdout).text()).trim();
  };
  expect(await Promise.all(Array.from({ length: 5 }, claim))).toEqual(["0", "0", "0", "0", "0"]);
  expect(readdirSync(path.join(folder, "audit"))).toEqual([]);
  rmSync(folder, { recursive: true });
});
