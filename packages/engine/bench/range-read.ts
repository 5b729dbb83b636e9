// Lines 6,000,000 to 6,000,200 of a 1 GB file, against `sed -n`.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { openForReading, openScope, readLines, resolveInScope } from "../src/index.ts";
import { compare, run } from "./row.ts";
import type { Row } from "./row.ts";

const FILE_BYTES = 1024 ** 3;
const FIRST = 6_000_000;
const LAST = 6_000_200;

export async function benchRangeRead(rounds = 5): Promise<Row[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "bosun-bench-"));
  try {
    const file = path.join(folder, "big.txt");
    writeBigFile(file);
    const scope = openScope({ workdir: folder, roots: [folder] });
    const before = process.memoryUsage.rss();
    const times = await compare(
      rounds,
      async () => {
        using place = resolveInScope(scope, "big.txt");
        using open = openForReading(place);
        await readLines(open, {
          encoding: "utf-8",
          range: { first: FIRST, last: LAST },
          maxLines: 2000,
          maxLineChars: 2000,
          maxBytes: Infinity,
          maxTextBytes: 10 * 1024 ** 2,
        });
      },
      () => run(["/usr/bin/env", "sed", "-n", `${FIRST},${LAST}p;${LAST}q`, file], folder),
    );
    const growthMb = (process.memoryUsage.rss() - before) / 1024 ** 2;
    return [{ what: "200 lines deep in 1 GB", yardstick: "sed -n", allowed: 1.5, growthMb, ...times }];
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

function writeBigFile(file: string): void {
  const fd = fs.openSync(file, "w");
  const line = (n: number) => `${n} ${"lorem ipsum dolor sit amet ".repeat(1 + (n % 9))}\n`;
  const block = Buffer.from(Array.from({ length: 20_000 }, (_, n) => line(n)).join(""));
  for (let written = 0; written < FILE_BYTES; written += block.length) fs.writeSync(fd, block);
  fs.closeSync(fd);
}
