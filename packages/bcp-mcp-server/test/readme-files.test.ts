// The files that the READMEs of this package and of the proxy name are there.
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

const here = path.resolve(import.meta.dir, "..");
const proxy = path.resolve(here, "../proxy");
const NAMED_FILE = /(?:\.\.\/|src\/|test\/)[\w./-]+\.ts/g;

test("bcp-mcp-server: where the files of the first specification are", () => {
  const table = readFileSync(path.join(here, "README.md"), "utf8").split("| there ")[1] ?? "";
  const named = table.split("\n").flatMap((row) => (row.split("|")[2] ?? "").match(NAMED_FILE) ?? []);
  expect(named.length).toBeGreaterThan(12);
  expect(named.filter((file) => !existsSync(path.join(here, file)))).toEqual([]);
});

test("proxy: the way of a request", () => {
  const [, flow = ""] = readFileSync(path.join(proxy, "README.md"), "utf8").split("## The way of a request");
  const named = flow.match(/[\w/-]+\.ts/g) ?? [];
  const folders = ["", "clients", "servers", "results"];
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((file) => !folders.some((one) => existsSync(path.join(proxy, "src", one, file))))).toEqual([]);
});
