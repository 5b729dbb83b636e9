// The recorded tool results, where they are at hand: BOSUN_SHARED, or ../shared beside the repository.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

export type Recorded = {
  id: string;
  class: string;
  session: string;
  tool: string;
  source: string;
  result: { content: { type: string; text: string }[]; structuredContent?: Record<string, unknown>; isError?: boolean };
  outputSchema?: Record<string, unknown>;
};

const folder = path.join(
  process.env["BOSUN_SHARED"] ?? path.join(import.meta.dirname, "..", "..", "..", "..", "shared"),
  "corpus",
);

/** Tests that need the corpus say so by name and are skipped without it. */
export const hasCorpus = existsSync(folder);

export function readCorpus(): Recorded[] {
  if (!hasCorpus) return [];
  return linesOf().filter((record) => "result" in record) as Recorded[];
}

/** Tool definitions, as a server once listed them. */
export function readDefinitions(): { name: string }[] {
  if (!hasCorpus) return [];
  return linesOf().flatMap((record) => ("definition" in record ? [record.definition as { name: string }] : []));
}

function linesOf(): object[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  return files.flatMap((name) =>
    readFileSync(path.join(folder, name), "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as object),
  );
}

export function textOf(record: Recorded): string {
  return record.result.content.map((block) => block.text).join("\n");
}
