import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { AllowedPaths } from "../src/allowed-paths.ts";
import type { Access } from "../src/allowed-paths.ts";

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "bcp-paths-")));
const at = (name: string): string => path.join(folder, name);

beforeAll(() => {
  writeFileSync(at("a.bcp"), "");
  writeFileSync(at("secret.bcp"), "");
  symlinkSync(at("secret.bcp"), at("innocent.bcp"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const veto = (real: string, access: Access): void => {
  if (real.endsWith("secret.bcp")) throw new Error(`the host forbids to ${access} this`);
};

test.each<[string, Access, RegExp | undefined]>([
  ["a.bcp", "read", undefined],
  ["new.bcp", "write", undefined],
  ["secret.bcp", "read", /forbids to read/],
  ["innocent.bcp", "read", /forbids to read/],
  ["secret.bcp", "write", /forbids to write/],
])("a host's veto is asked about what was really opened: %s, %s", async (name, access, refused) => {
  const paths = await AllowedPaths.within([folder], veto);
  await using opened = paths.open();
  const attempt = opened.resolve(at(name), access);
  if (refused === undefined) expect(await attempt).toContain("/");
  else await expect(attempt).rejects.toThrow(refused);
  if (access === "read" && refused) await expect(opened.check(at(name))).rejects.toThrow(refused);
});
