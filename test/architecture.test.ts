// ARCHITECTURE.md names files: each of them exists, and every package is in its table.
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dir, "..");
const page = readFileSync(path.join(root, "ARCHITECTURE.md"), "utf8");

test("every file that ARCHITECTURE.md names exists", () => {
  const missing: string[] = [];
  for (const line of page.split("\n")) {
    let folder = "";
    for (const [, name = ""] of line.matchAll(/`([\w./-]+\.ts)`/g)) {
      // A bare name stands in the folder of the one before it; a path without a package in that package.
      const candidates = [
        name,
        path.join("packages", name),
        path.join(folder, name),
        path.join(packageSource(folder), name),
      ];
      const found = candidates.find((candidate) => existsSync(path.join(root, candidate)));
      if (found === undefined) missing.push(name);
      else folder = path.dirname(found);
    }
  }
  expect(missing).toEqual([]);
});

test("every package is in the table of ARCHITECTURE.md, with the name of its folder", () => {
  const packages = readdirSync(path.join(root, "packages"));
  expect(packages.filter((name) => !page.includes(`[${name}](packages/${name})`))).toEqual([]);
});

function packageSource(folder: string): string {
  return folder.split("/").slice(0, 3).join("/");
}
