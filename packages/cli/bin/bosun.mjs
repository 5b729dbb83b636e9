#!/usr/bin/env node
// `npx bosun` in a clone: the sources, by the Bun that the project pins, whatever happened at install time.
import { fileURLToPath } from "node:url";

process.argv.splice(2, 0, fileURLToPath(new URL("../src/main.ts", import.meta.url)));
await import("../../../scripts/bun.mjs");
