// What was measured, by section, each with its day and machine: a run of one section leaves the others as they were.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { arch, cpus, platform, totalmem } from "node:os";
import path from "node:path";
import type { Row } from "./report.ts";

export type Measured = { about: string; date: string; machine: string; rows: Row[] };
export type Results = { [section: string]: Measured };

/** The newest run on this machine, not committed. */
export const LATEST = path.resolve(import.meta.dir, "../results/bench.json");
/** What the README was made from. */
export const PUBLISHED = path.resolve(import.meta.dir, "results.json");

export function thisMachine(): string {
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${cpus()[0]?.model.trim() ?? "?"}, ${memory} GB, ${platform()} ${arch()}, Bun ${Bun.version}`;
}

export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

export function readResults(file: string): Results {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Results) : {};
}

export function writeResults(file: string, results: Results): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(results, rounded, 2)}\n`);
}

/** Four digits are more than a noisy machine can tell, and let a person read the file. */
function rounded(_: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
}
