// Content search over 200 MB in 11,800 files, against the ripgrep binary doing the same work.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { findRipgrep, glob, grep, openScope, resolveInScope } from "../src/index.ts";
import type { GrepMode } from "../src/index.ts";
import { compare, run } from "./row.ts";
import type { Row } from "./row.ts";

const FILES = 11_800;
const LIMITS = { maxChars: 30_000, maxLineChars: 2000, maxFileBytes: 10 * 1024 ** 2, timeoutMs: 60_000 };

export async function benchSearch(rounds = 7): Promise<Row[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "bosun-bench-"));
  try {
    makeTree(folder);
    const scope = openScope({ workdir: folder, roots: [folder] });
    const rg = findRipgrep();
    const search = (pattern: string, mode: GrepMode) => async () => {
      using place = resolveInScope(scope, ".");
      await grep(place, { pattern, mode, ...LIMITS });
    };
    const cases: [string, string, GrepMode, string[]][] = [
      ["rare literal, lines", "needle-[0-9]+ here", "content", ["-n"]],
      ["no literal to anchor on, lines", "[a-z]+[0-9]{5}x", "content", ["-n"]],
      ["rare literal, files", "needle-", "files_with_matches", ["-l"]],
      // Newest first, as the contract has it: the binary must sort as well.
      ["common word, files", "consectetur", "files_with_matches", ["-l", "--sortr=modified"]],
      ["common word, lines", "consectetur", "content", ["-n"]],
    ];
    const rows: Row[] = [];
    for (const [what, pattern, mode, flags] of cases) {
      const yardstick = () => run([rg, "--no-config", "--hidden", ...flags, "-e", pattern, "./"], folder);
      const times = await compare(rounds, search(pattern, mode), yardstick);
      rows.push({ what, yardstick: `rg ${flags.join(" ")}`, allowed: 1.3, ...times });
    }
    const byName = async () => {
      using place = resolveInScope(scope, ".");
      await glob(place, { pattern: "**/*7.txt", maxResults: 10_000, timeoutMs: 60_000 });
    };
    const listed = await compare(rounds, byName, () =>
      run([rg, "--no-config", "--hidden", "--files", "-g", "*7.txt"], folder),
    );
    rows.push({ what: "glob", yardstick: "rg --files", allowed: 3, ...listed });
    return rows;
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

function makeTree(folder: string): void {
  const words = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt".split(" ");
  for (let file = 0; file < FILES; file += 1) {
    const directory = path.join(folder, `part${file % 37}`, `sub${file % 41}`);
    if (file < 37 * 41) fs.mkdirSync(directory, { recursive: true });
    const lines = Array.from({ length: 220 }, (_, n) =>
      words
        .slice(n % 7)
        .concat(`w${(file * 220 + n) % 99991}`)
        .join(" "),
    );
    if (file % 500 === 0) lines[100] = `needle-${file} here, and 12345x`;
    // Every file would hold the common word: two of three do without it.
    const text = lines.join("\n");
    fs.writeFileSync(
      path.join(directory, `file${file}.txt`),
      file % 3 === 0 ? text : text.replaceAll("consectetur", "sententiam"),
    );
  }
}
