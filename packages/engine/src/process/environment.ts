// What a command sees of variables. Which ones a child may get is decided by whoever starts it; what the program around it
// (bwrap, the Landlock helper) must not obey before it confines anything is set inside it.
import type { Confinement } from "./confinement.ts";
import { unconfined } from "./confinement.ts";

export type Environment = Readonly<Record<string, string>>;

// The loader reads or writes files that these name, our runtime runs what they name: outside, where an agent's word counts nothing.
const OBEYED_OUTSIDE =
  /^(?:LD_.*|DYLD_.*|GLIBC_TUNABLES|GCONV_PATH|LOCPATH|JSC_.*|BUN_(?!INSTALL$).*|NODE_(?!EXTRA_CA_CERTS$).*)$/;

export type Started = { readonly words: readonly string[]; readonly env: Environment };

/** The words to confine, and the environment for the program that confines them. */
export function insideOf(confinement: Confinement, { words, env }: Started): Started {
  const inner = Object.entries(env).filter(([name]) => OBEYED_OUTSIDE.test(name));
  if (confinement === unconfined || inner.length === 0) return { words, env };
  const outer = Object.entries(env).filter(([name]) => !OBEYED_OUTSIDE.test(name));
  const assigned = inner.map(([name, value]) => `${name}=${value}`);
  return { words: ["/usr/bin/env", ...assigned, ...words], env: Object.fromEntries(outer) };
}
