// Runs in a process of its own: decodes and renders one hostile payload, and prints how it ended and what it cost.

import { decode, DecodeError, render, RenderError } from "../../src/index.ts";
import { HOSTILE } from "./payloads.ts";

const hostile = HOSTILE[Number(process.argv[2])];
if (!hostile) throw new Error("no such payload");
const payload = hostile.make();
Bun.gc(true);
const before = process.resourceUsage().maxRSS;
const started = performance.now();
const ends = ending(payload);
const grownKib = process.resourceUsage().maxRSS - before;
console.log(JSON.stringify({ ends, grownKib, inputBytes: payload.length, ms: performance.now() - started }));

function ending(bytes: Uint8Array): string {
  try {
    render(decode(bytes).blocks, { mode: "xml", budget: 1_000_000 });
    return "text";
  } catch (error) {
    if (!(error instanceof DecodeError || error instanceof RenderError)) throw error;
    return error.code;
  }
}
