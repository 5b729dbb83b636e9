// Lets tests written for bun:test run on Node: the name is mapped to a small stand-in beside this file.
import { registerHooks } from "node:module";

const STAND_IN = new URL("./bun-test.mjs", import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "bun:test" ? { url: STAND_IN, format: "module", shortCircuit: true } : next(specifier, context),
});
