// Names for people and names for models: distinct pairs stay distinct, whatever is connected in whatever order.
import { describe, expect, test } from "bun:test";
import { aliasFrom, isAlias, isWireName, NameTable, wireName } from "../../src/tools/tool-names.ts";
import { seeded } from "../scripted-model.ts";

describe("wire names", () => {
  test.each([
    ["plain names are joined", { alias: "files", tool: "read_file" }, /^files__read_file$/],
    ["a dot is replaced and marked", { alias: "db", tool: "a.b" }, /^db__a_b_[0-9a-z]{7}$/],
    ["a long name is cut and marked", { alias: "db", tool: "x".repeat(128) }, /^db__x{51}_[0-9a-z]{7}$/],
    ["letters of other scripts are replaced", { alias: "db", tool: "datei_öffnen" }, /^db__datei__ffnen_[0-9a-z]{7}$/],
  ])("%s", (_, key, shape) => {
    expect(wireName(key)).toMatch(shape);
    expect(isWireName(wireName(key))).toBe(true);
  });

  test("distinct pairs give distinct names, in any order of connecting", () => {
    const random = seeded(5);
    const letters = ["a", "b", "_", ".", "-", "ü", "__"];
    const word = (): string =>
      Array.from({ length: 1 + Math.floor(random() * 4) }, () => letters[Math.floor(random() * letters.length)]).join(
        "",
      );
    for (let round = 0; round < 300; round += 1) {
      const tools = Array.from({ length: 12 }, () => ({ alias: aliasFrom(word(), () => false), tool: word() }));
      const distinct = [...new Map(tools.map((tool) => [`${tool.alias}\0${tool.tool}`, tool])).values()];
      const table = new NameTable(distinct);
      const wires = distinct.map((tool) => table.wireOf(tool));
      expect(new Set(wires).size).toBe(distinct.length);
      for (const wire of wires) expect(isWireName(wire ?? "")).toBe(true);
      const turned = new NameTable([...distinct].reverse());
      expect(distinct.map((tool) => turned.wireOf(tool))).toEqual(wires);
    }
  });

  test("names are looked up, never taken apart", () => {
    const table = new NameTable([
      { alias: "my_files", tool: "read" },
      { alias: "my", tool: "files.read" },
    ]);
    expect(table.find("my_files__read")?.alias).toBe("my_files");
    expect(table.find("my.files.read")?.alias).toBe("my");
    expect(table.find("read")).toBeUndefined();
    expect(table.near("my_files__raed")).toEqual(["my_files__read"]);
  });
});

test.each([
  ["files", true],
  ["a_b-c", true],
  ["A", false],
  ["9a", false],
  ["a__b", false],
  ["a.b", false],
  ["aish", false],
  ["", false],
  ["a".repeat(25), false],
])("%s as an alias: %p", (alias, isOne) => {
  expect(isAlias(alias)).toBe(isOne);
});

test("an alias is made from any name, and does not clash", () => {
  expect(aliasFrom("My Server!", () => false)).toBe("my-server");
  expect(aliasFrom("9 lives", () => false)).toBe("lives");
  expect(aliasFrom("files", (alias) => alias === "files")).toBe("files-2");
  expect(isAlias(aliasFrom("aish", () => false))).toBe(true);
});
