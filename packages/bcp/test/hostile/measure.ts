// Runs in a process of its own: decodes and renders one hostile payload, and prints how it ended and what it cost. The
// payload comes as a file, because making it may take more memory than reading it.

import { readFileSync } from "node:fs";
import { decode, DecodeError, render, RenderError } from "../../src/index.ts";
import { peakKib } from "./peak.ts";

const [file = ""] = process.argv.slice(2);
const payload = readFileSync(file);
Bun.gc(true);
const before = peakKib();
const ends = ending(payload);
const grownKib = peakKib() - before;
console.log(JSON.stringify({ ends, grownKib, inputBytes: payload.length }));

function ending(bytes: Uint8Array): string {
  try {
    render(decode(bytes).blocks, { mode: "xml", budget: 1_000_000 });
    return "text";
  } catch (error) {
    if (!(error instanceof DecodeError || error instanceof RenderError)) throw error;
    return error.code;
  }
}
