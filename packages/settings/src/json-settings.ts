// JSON text → the same document with positions, for people who keep their settings in config.json.
import { JsonError, Positions, readJsonTree, valueOf } from "@bosun/platform/json";
import type { JsonTree } from "@bosun/platform/json";
import { MAX_NESTING, SettingsError, type Node, type TableNode } from "./settings-document.ts";

export function readJson(file: string, given: string): TableNode {
  const text = given.startsWith("\ufeff") ? given.slice(1) : given;
  const reader = new Reader(file, text);
  try {
    const node = reader.node(readJsonTree(text, { maxDepth: MAX_NESTING }));
    return node.kind === "table" ? node : reader.fail("settings must be an object { … }", 0);
  } catch (error) {
    // The same place, as an error about this file.
    if (!(error instanceof JsonError)) throw error;
    throw new SettingsError(file, error.at, error.problem);
  }
}

class Reader {
  readonly #file: string;
  readonly #text: string;
  readonly #positions: Positions;

  constructor(file: string, text: string) {
    this.#file = file;
    this.#text = text;
    this.#positions = new Positions(text);
  }

  node(tree: JsonTree): Node {
    const at = this.#positions.of(tree.start);
    switch (tree.kind) {
      case "object":
        return this.#table(tree);
      case "array":
        return { kind: "list", items: tree.items.map((item) => this.node(item)), at };
      case "string":
        return { kind: "string", value: String(valueOf(this.#text, tree)), at };
      case "boolean":
        return { kind: "boolean", value: valueOf(this.#text, tree) === true, at };
      case "null":
        return { kind: "null", at };
      case "number":
        return this.#number(tree);
    }
  }

  fail(problem: string, offset: number): never {
    throw new SettingsError(this.#file, this.#positions.of(offset), problem);
  }

  #number({ start, end }: JsonTree): Node {
    const at = this.#positions.of(start);
    const written = this.#text.slice(start, end);
    const value = Number(written);
    if (/[.eE]/.test(written)) return { kind: "float", value, at };
    return Number.isSafeInteger(value) ? { kind: "integer", value, at } : this.fail(`${written} is too large`, start);
  }

  #table(tree: JsonTree & { kind: "object" }): TableNode {
    const table: TableNode = { kind: "table", members: new Map(), at: this.#positions.of(tree.start) };
    for (const { key, start, value } of tree.members) {
      const existing = table.members.get(key);
      if (existing !== undefined) this.fail(`${key} is set twice (first on line ${existing.at.line})`, start);
      table.members.set(key, { key, at: this.#positions.of(start), value: this.node(value) });
    }
    return table;
  }
}
