// The example of the README, run as it stands there.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import path from "node:path";
import { aish, makeHome, modelSettings } from "./home.ts";
import { says, startModel } from "./scripted-model.ts";

test("echo question | aish -p --format json", async () => {
  const readme = readFileSync(path.join(import.meta.dir, "../README.md"), "utf8");
  const [, question = "", flags = ""] = /echo "([^"]+)" \| aish (.*)/.exec(readme) ?? [];
  const home = makeHome();
  const model = startModel([says("A question.")]);
  home.settings(modelSettings(model.url));
  const { stdout, code } = await aish(home, flags.split(" "), { stdin: `${question}\n` });
  const members = [...(/one object \(([^)]+)\)/.exec(readme)?.[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(Object.keys(JSON.parse(stdout) as object)).toEqual(members as string[]);
  expect(code).toBe(0);
  await model.stop();
  home.remove();
});
