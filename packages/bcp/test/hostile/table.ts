// What everything costs that can be done with each hostile payload and manifest, beside what it may cost: 64 MB and four times
// the input.
//
//     node scripts/bun.mjs packages/bcp/test/hostile/table.ts [part of a name] [--all]
//
// `--all` adds the ways that only differ in what is written. The worst of them come last, in shares of what is allowed.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
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

const MODE_WAYS = ["xml", "markdown", "minimal"].flatMap((mode) => [
  ["decode", "--mode", mode],
  ["decode", "--mode", mode, "--json"],
  ["decode", "--mode", mode, "--budget", "500000"],
  ["decode", "--mode", mode, "--budget", "500000", "--json"],
  ["decode", "--mode", mode, "--verbosity", "summary", "--summaries", "all"],
]);

/** What is left of commands, modes and options. */
export const MORE_WAYS: readonly (readonly string[])[] = [
  ["library", "markdown", "1000000"],
  ["library", "minimal", "1000000"],
  ["library", "encode"],
  ["stream", "in-file"],
  ...MODE_WAYS,
  ["decode", "--budget", "0"],
  ["decode", "-o", "written.txt"],
  ["decode", "--strict-references", "--lenient"],
  ["stdin", "decode"],
  ["stdin", "decode", "--json", "--budget", "500000"],
  ["inspect", "--json", "--block", "0"],
  ["stdin", "inspect", "--show-hex"],
  ["validate", "--json"],
  ["stdin", "validate"],
  ["stats", "--json"],
  ["stdin", "stats"],
];

const WORST = 20;

const ENCODE = ["encode", "-o", "-", "--extended"] as const;

export const ENCODE_WAYS: readonly (readonly string[])[] = [
  ENCODE,
  [...ENCODE, "--compress-payload", "--dedup"],
  [...ENCODE, "--compress-blocks"],
  ["stdin", ...ENCODE],
];

export const MORE_ENCODE_WAYS: readonly (readonly string[])[] = [
  [...ENCODE, "--dedup"],
  [...ENCODE, "--compress-payload"],
  ["encode", "-o", "written.bcp", "--extended", "--compress-blocks", "--dedup"],
  ["encode", "-o", "written.bcp", "--json"],
  ["stdin", ...ENCODE, "--compress-payload"],
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
  const { values, positionals } = parseArgs({ options: { all: { type: "boolean" } }, allowPositionals: true });
  const [wanted = ""] = positionals;
  const ways = [...WAYS, ...(values.all ? MORE_WAYS : [])];
  const encodeWays = [...ENCODE_WAYS, ...(values.all ? MORE_ENCODE_WAYS : [])];
  const all = [
    ...HOSTILE.map((hostile) => ({ ...hostile, file: "payload.bcp", ways })),
    ...HOSTILE_MANIFESTS.map((hostile) => ({ ...hostile, file: MANIFEST_NAME, ways: encodeWays })),
  ];
  const shares: { share: number; line: string }[] = [];
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
        shares.push({ share: grownBytes / allowedBytes, line: `${share.padEnd(16)} ${name}: ${way.join(" ")}` });
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  shares.sort((a, b) => b.share - a.share);
  for (const { share, line } of shares.slice(0, WORST))
    console.log(`${(share * 100).toFixed(0).padStart(4)} % ${line}`);
  console.log(`${runs} runs, ${over} over`);
  process.exitCode = over > 0 ? 1 : 0;
}
