// A private folder for one test file, gone when the tests are done.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll } from "bun:test";

export function temporaryFolder(): () => string {
  const root = mkdtempSync(path.join(tmpdir(), "bosun-guard-"));
  let count = 0;
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  return () => path.join(root, String((count += 1)));
}
