// What everything costs that can be done with each hostile payload and manifest, beside what it may cost: 64 MB and four times
// the input.
//
//     node scripts/bun.mjs packages/bcp/test/hostile/table.ts [part of a name]

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { HOSTILE_MANIFESTS, MANIFEST_NAME } from "./manifests.ts";
import { HOSTILE } from "./payloads.ts";

export const WAYS: readonly (readonly string[])[] = [
  ["library"],
  ["library", "xml"],
  ["library", "markdown"],
  ["library", "minimal"],
  ["library", "xml", "1000000"],
  ["library", "parts"],
  ["stream"],
  ["decode"],
  ["decode", "--mode", "minimal", "--budget", "500000", "--summaries", "all"],
  ["decode", "--json", "--budget", "500000"],
  ["inspect"],
  ["inspect", "--show-body", "--show-hex"],
  ["inspect", "--json"],
  ["validate"],
  ["stats"],
];

const ENCODE = ["encode", "-o", "-", "--extended"] as const;

export const ENCODE_WAYS: readonly (readonly string[])[] = [
  ENCODE,
  [...ENCODE, "--compress-payload", "--dedup"],
  [...ENCODE, "--compress-blocks"],
  ["stdin", ...ENCODE],
];

export type Measured = { readonly ends: string; readonly grownBytes: number; readonly allowedBytes: number };

/** One thing done with one payload, in a process of its own: memory is measured by how far the peak of the process rises. */
export async function measured(file: string, way: readonly string[]): Promise<Measured> {
  const child = Bun.spawn([process.execPath, path.join(import.meta.dir, "measure.ts"), file, ...way], {
    stdout: "pipe",
    stderr: "inherit",
    env: { PATH: process.env["PATH"] ?? "" },
  });
  const said = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`${way.join(" ")} ended with ${child.exitCode}`);
  const { ends, grownKib, inputBytes } = JSON.parse(said);
  return { ends, grownBytes: grownKib * 1024, allowedBytes: 64e6 + 4 * inputBytes };
}

if (import.meta.main) {
  const folder = mkdtempSync(path.join(tmpdir(), "bcp-hostile-"));
  const [wanted = ""] = process.argv.slice(2);
  const all = [
    ...HOSTILE.map((hostile) => ({ ...hostile, file: "payload.bcp", ways: WAYS })),
    ...HOSTILE_MANIFESTS.map((hostile) => ({ ...hostile, file: MANIFEST_NAME, ways: ENCODE_WAYS })),
  ];
  let over = 0;
  let runs = 0;
  try {
    for (const { name, make, file, ways } of all.filter((hostile) => hostile.name.includes(wanted))) {
      const input = path.join(folder, file);
      writeFileSync(input, make());
      console.log(name);
      for (const way of ways) {
        const { ends, grownBytes, allowedBytes } = await measured(input, way);
        runs++;
        if (grownBytes > allowedBytes) over++;
        const share = `${(grownBytes / 1e6).toFixed(0).padStart(5)} of ${(allowedBytes / 1e6).toFixed(0)} MB`;
        const mark = grownBytes > allowedBytes ? "OVER" : "    ";
        console.log(`  ${mark}${share.padEnd(16)} ${way.join(" ").padEnd(64)} ${ends.slice(0, 120)}`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`${runs} runs, ${over} over`);
  process.exitCode = over > 0 ? 1 : 0;
}
