import { expect, test } from "bun:test";
import { PresetHosts } from "@bosun/network";
import { RuleSet } from "../../src/rules/rule-set.ts";
import { rule } from "../harness.ts";

const presets = (): PresetHosts =>
  new PresetHosts({ home: undefined, path: "", writable: [] }, async (tool) =>
    tool === "npm" ? [{ host: "mirror.test", port: 4873 }] : [],
  );
const rules = (allow: string[], deny: string[] = []): RuleSet =>
  new RuleSet(allow.map(rule), deny.map(rule), presets());

test.each<[string, boolean]>([
  ["x.a.test", true],
  ["x.y.a.test", true],
  ["a.test", false],
  ["xa.test", false],
])("*.a.test and %s", async (host, isAllowed) => {
  expect((await rules(["*.a.test"]).forContact(host, 443)).kind).toBe(isAllowed ? "allowed" : "unknown");
});

test("a rule speaks of its ports", async () => {
  expect(await rules(["a.test:443"]).forContact("a.test", 80)).toEqual({ kind: "unknown" });
  expect((await rules(["a.test"]).forContact("a.test", 22)).kind).toBe("allowed");
  expect((await rules(["a.test"]).forContact("a.test", 8080)).kind).toBe("unknown");
});

test.each([["a.test"], ["*.test.example"], ["npm"], ["db=10.0.0.5:443"]])("a denial beats %s", async (allowed) => {
  const host = { "*.test.example": "x.test.example", npm: "mirror.test", "db=10.0.0.5:443": "db" }[allowed] ?? allowed;
  const port = allowed === "npm" ? 4873 : 443;
  const denial = allowed === "db=10.0.0.5:443" ? "npm" : host; // a name without a dot cannot be written as a denial
  const verdict = await rules([allowed], [denial]).forContact(host, port);
  expect(verdict.kind).toBe(denial === "npm" ? "allowed" : "denied");
});

test("a denial without ports is of all of them, also where the name is looked up", async () => {
  const set = rules(["a.test:8443"], ["a.test"]);
  expect(await set.forName("a.test")).toEqual({ kind: "denied", rule: "a.test" });
  expect(await set.forContact("a.test", 8443)).toEqual({ kind: "denied", rule: "a.test" });
});

test("a denial of a port leaves the others", async () => {
  const set = rules(["a.test:80,443"], ["a.test:80"]);
  expect((await set.forName("a.test")).kind).toBe("allowed");
  expect((await set.forContact("a.test", 80)).kind).toBe("denied");
  expect((await set.forContact("a.test", 443)).kind).toBe("allowed");
});

test("a denied preset denies what its tool names", async () => {
  expect(await rules(["mirror.test:4873"], ["npm"]).forContact("mirror.test", 4873)).toEqual({
    kind: "denied",
    rule: "npm",
  });
});

test("an alias has one port, and there is nothing to ask about at others", async () => {
  const set = rules(["db=10.0.0.5:5432"]);
  expect(await set.forContact("db", 5432)).toMatchObject({ target: { address: "10.0.0.5", port: 5432 } });
  expect((await set.forContact("db", 443)).kind).toBe("denied");
});

test("what a person's own tools are configured for may be private, what a rule names may not", async () => {
  expect(await rules(["npm"]).forContact("mirror.test", 4873)).toMatchObject({ kind: "allowed", isOwnSetting: true });
  expect(await rules(["a.test"]).forContact("a.test", 443)).toMatchObject({ kind: "allowed", isOwnSetting: false });
});
