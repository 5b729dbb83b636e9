// S7: a denied folder that is not there yet. Whoever makes and fills it, commands do not see what is in it.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { eventually, scratch } from "../harness/server.ts";
import { CANARY, must } from "./arena.ts";
import type { Arena, Variant } from "./arena.ts";

export const DENIED_PLACES: readonly Variant[] = [
  { name: "reads what a person puts into a denied folder meanwhile", attempt: filledMeanwhile },
  { name: "gives a denied folder the names that servers use", attempt: forgedNames },
];

async function filledMeanwhile(arena: Arena): Promise<void> {
  const { root } = scratch();
  const server = await arena.own({ root, args: ["--deny-dir", path.join(root, "secrets")] });
  const reading = server.bash("touch begun; until [ -e filled ]; do sleep 0.01; done; cat secrets/key; ls -R secrets");
  await eventually("the command has begun", () => existsSync(path.join(root, "begun")));
  mkdirSync(path.join(root, "secrets"), { recursive: true });
  writeFileSync(path.join(root, "secrets/key"), CANARY);
  writeFileSync(path.join(root, "filled"), "");
  const said = (await reading) + (await server.bash("cat secrets/key; ls -R secrets"));
  await server.close();
  must(!said.includes(CANARY) && !said.includes("key\n"), `it was shown: ${said}`);
}

async function forgedNames(arena: Arena): Promise<void> {
  const { root } = scratch();
  const server = await arena.own({ root, args: ["--deny-dir", "**/secrets"] });
  await server.bash(`mkdir -p x/secrets/held-by-1-a; echo ${CANARY} > x/secrets/held-by-1-a/f`);
  await Bun.sleep(2200); // until the rule is applied to what is there now
  const said = await server.bash("cat x/secrets/held-by-1-a/f; find x");
  await server.close();
  must(!said.includes(CANARY), `it was shown: ${said}`);
}
