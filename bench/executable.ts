// The executable under measurement: dist/bosun, built when it is missing or older than the sources.
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { build, ownTarget, profileOf } from "../scripts/build.ts";

const root = path.resolve(import.meta.dir, "..");
const executable = path.join(root, "dist/bosun");

export async function freshExecutable(progress: (text: string) => void): Promise<string> {
  if (existsSync(executable) && statSync(executable).mtimeMs > newestSource()) return executable;
  progress("building dist/bosun");
  const scratch = mkdtempSync(path.join(tmpdir(), "bosun-bench-build-"));
  try {
    const first = path.join(scratch, "bosun");
    await build(ownTarget(), first);
    await build(ownTarget(), executable, { profile: await profileOf(first, path.join(scratch, "order")) });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return executable;
}

function newestSource(): number {
  const packages = path.join(root, "packages");
  const files = readdirSync(packages, { recursive: true, encoding: "utf8" }).filter((name) =>
    /^[^/]+\/src\//.test(name),
  );
  return Math.max(...files.map((name) => statSync(path.join(packages, name)).mtimeMs));
}
