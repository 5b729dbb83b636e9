// Help and errors use the name that the person typed.
import { expect, test } from "bun:test";
import { aish, makeHome } from "./home.ts";

test.each(["aish", "bosun chat"])("%s says its own name", async (name) => {
  const home = makeHome();
  const host = { name };
  const help = (await aish(home, ["--help"], { host })).stdout;
  expect(help).toContain(`${name} --demo`);
  expect(help.includes("aish -")).toBe(name === "aish");
  expect((await aish(home, ["--nope"], { host })).stderr).toContain(`Try ${name} --help.`);
  expect((await aish(home, ["--format", "xml"], { host })).stderr).toContain('got "xml"');
  expect((await aish(home, ["mcp", "lst"], { host })).stderr).toContain(`${name} mcp "lst"?`);
  expect((await aish(home, ["--version"], { host })).stdout).toStartWith(`${name} `);
  home.remove();
});
