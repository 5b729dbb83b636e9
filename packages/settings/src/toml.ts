// TOML 1.0 text → a document with positions. Our own reader because an unknown key must be named with line and column.
import { Cursor, MAX_NESTING, type Member, type TableNode } from "./settings-document.ts";
import { readBlankLines, readSpaces, readValue, type ReadKeyed } from "./toml-values.ts";

type Key = { name: string; offset: number };

export function readToml(file: string, text: string): TableNode {
  return new TomlReader(new Cursor(file, text)).document();
}

class TomlReader {
  readonly #cursor: Cursor;
  readonly #root: TableNode;
  // How a table came to be decides what may still be added to it.
  readonly #headers = new Set<TableNode>(); // named by [header]
  readonly #dotted = new Set<TableNode>(); // made by a.b = …
  readonly #sealed = new Set<TableNode>(); // inline: complete where it stands

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
    this.#root = { kind: "table", members: new Map(), at: { line: 1, column: 1 } };
  }

  document(): TableNode {
    let table = this.#root;
    for (;;) {
      readBlankLines(this.#cursor);
      if (this.#cursor.ended) return this.#root;
      if (this.#cursor.peek() === "[") table = this.#header();
      else this.#assignment(table);
      this.#endOfLine();
    }
  }

  #header(): TableNode {
    const cursor = this.#cursor;
    const at = cursor.offset;
    const isList = cursor.accept("[[");
    if (!isList) cursor.accept("[");
    readSpaces(cursor);
    const path = this.#key();
    if (!cursor.accept(isList ? "]]" : "]")) cursor.fail(`expected ${isList ? "]]" : "]"} after the table's name`);
    const parent = this.#walk(this.#root, path.slice(0, -1), (table) => !this.#sealed.has(table));
    const last = path.at(-1);
    if (last === undefined) return cursor.fail("a table needs a name", at);
    return isList ? this.#listHeader(parent, last) : this.#tableHeader(parent, last);
  }

  #tableHeader(parent: TableNode, key: Key): TableNode {
    const existing = parent.members.get(key.name)?.value;
    if (existing === undefined) {
      const table = this.#add(parent, key, this.#newTable(key));
      this.#headers.add(table);
      return table;
    }
    if (
      existing.kind !== "table" ||
      this.#headers.has(existing) ||
      this.#dotted.has(existing) ||
      this.#sealed.has(existing)
    ) {
      return this.#cursor.fail(`${key.name} is defined twice (first on line ${existing.at.line})`, key.offset);
    }
    this.#headers.add(existing);
    return existing;
  }

  #listHeader(parent: TableNode, key: Key): TableNode {
    const existing = parent.members.get(key.name)?.value;
    const table = this.#newTable(key);
    this.#headers.add(table);
    if (existing === undefined) {
      this.#add(parent, key, { kind: "list", items: [table], at: this.#cursor.position(key.offset) });
    } else if (
      existing.kind === "list" &&
      existing.items.every((item) => item.kind === "table" && this.#headers.has(item))
    ) {
      existing.items.push(table);
    } else this.#cursor.fail(`${key.name} is already something else (line ${existing.at.line})`, key.offset);
    return table;
  }

  #assignment(table: TableNode): void {
    const path = this.#key();
    if (!this.#cursor.accept("=")) this.#cursor.fail('expected "=" after the key');
    readSpaces(this.#cursor);
    this.#assign(table, path, 0);
  }

  readonly #keyed: ReadKeyed = (table, depth) => {
    const path = this.#key();
    if (!this.#cursor.accept("=")) this.#cursor.fail('expected "=" after the key');
    readSpaces(this.#cursor);
    this.#assign(table, path, depth);
  };

  #assign(table: TableNode, path: readonly Key[], depth: number): void {
    const last = path.at(-1);
    if (last === undefined) return;
    const owner = this.#walk(
      table,
      path.slice(0, -1),
      (step) => !this.#headers.has(step) && !this.#sealed.has(step),
      true,
    );
    const value = readValue(this.#cursor, depth, this.#keyed);
    if (value.kind === "table") this.#sealed.add(value);
    const existing = owner.members.get(last.name);
    if (existing !== undefined) {
      this.#cursor.fail(`${last.name} is set twice (first on line ${existing.at.line})`, last.offset);
    }
    this.#add(owner, last, value);
  }

  // Follows a dotted name, making tables on the way; the last table of a list of tables is the one that is open.
  #walk(from: TableNode, path: readonly Key[], mayEnter: (table: TableNode) => boolean, isDotted = false): TableNode {
    let table = from;
    for (const key of path) {
      const existing = table.members.get(key.name)?.value;
      const next = existing?.kind === "list" && !isDotted ? existing.items.at(-1) : existing;
      if (next === undefined) {
        table = this.#add(table, key, this.#newTable(key));
        if (isDotted) this.#dotted.add(table);
      } else if (next.kind === "table" && mayEnter(next)) table = next;
      else
        this.#cursor.fail(
          `${key.name} is already complete (line ${next.at.line}): nothing can be added to it`,
          key.offset,
        );
    }
    return table;
  }

  #key(): Key[] {
    const cursor = this.#cursor;
    const path: Key[] = [];
    do {
      readSpaces(cursor);
      path.push(this.#keyPart());
      readSpaces(cursor);
      if (path.length > MAX_NESTING) cursor.fail("this name has too many parts");
    } while (cursor.accept("."));
    return path;
  }

  #keyPart(): Key {
    const cursor = this.#cursor;
    const offset = cursor.offset;
    if (cursor.peek() === '"' || cursor.peek() === "'") {
      if (cursor.startsWith('"""') || cursor.startsWith("'''")) cursor.fail("a key cannot be a multi-line string");
      const name = readValue(cursor, 0, this.#keyed);
      return name.kind === "string" ? { name: name.value, offset } : cursor.fail("expected a key", offset);
    }
    const name = cursor.take(/[A-Za-z0-9_-]+/y);
    return name === "" ? cursor.fail("expected a key") : { name, offset };
  }

  #newTable(key: Key): TableNode {
    return { kind: "table", members: new Map(), at: this.#cursor.position(key.offset) };
  }

  #add<N extends Member["value"]>(table: TableNode, key: Key, value: N): N {
    table.members.set(key.name, { key: key.name, at: this.#cursor.position(key.offset), value });
    return value;
  }

  #endOfLine(): void {
    const cursor = this.#cursor;
    readSpaces(cursor);
    if (cursor.peek() === "#") cursor.take(/[^\n\r]*/y);
    if (!cursor.ended && !cursor.accept("\n") && !cursor.accept("\r\n")) cursor.fail("expected the end of the line");
  }
}
