// Keys from bytes, editing by characters, and rows by widths.
import { describe, expect, test } from "bun:test";
import { EditBuffer } from "../../src/screen/edit-buffer.ts";
import { KeyParser } from "../../src/screen/key-parser.ts";
import type { Key } from "../../src/screen/key-parser.ts";
import { layOut, widthOf, wrap } from "../../src/screen/text-layout.ts";
import { seeded } from "../scripted-model.ts";

function keysOf(text: string, cut: number): Key[] {
  const keys: Key[] = [];
  const parser = new KeyParser((key) => keys.push(key));
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += cut) parser.push(bytes.slice(at, at + cut));
  return keys;
}

const key = (name: string): Key => ({ kind: "key", name }) as Key;

describe("keys", () => {
  test.each<[string, string, Key[]]>([
    [
      "arrows and editing keys",
      "\u001b[A\u001b[B\u001bOC\u001b[3~\u007f",
      [key("up"), key("down"), key("right"), key("delete"), key("backspace")],
    ],
    ["Alt-Enter is a new line", "\u001b\r", [key("newline")]],
    [
      "a paste is one event, its line ends text",
      "\u001b[200~a\r\nb\u0003\u001b[201~",
      [{ kind: "paste", text: "a\nb\u0003" }],
    ],
    ["a paste that looks like keys", "\u001b[200~\u001b[A!rm\u001b[201~", [{ kind: "paste", text: "\u001b[A!rm" }]],
    ["unknown sequences are nothing", "\u001b[99;7~\u001b[?1;2c", []],
    ["Ctrl keys", "\u0003\u0004\u0012\u001a", [key("interrupt"), key("end-of-input"), key("search"), key("suspend")]],
  ])("%s", (_, text, expected) => {
    for (const cut of [1, 2, 1000]) {
      expect(keysOf(text, cut)).toEqual(expected);
    }
  });

  test("a lone Escape is Escape, after a while", async () => {
    const keys: Key[] = [];
    const parser = new KeyParser((one) => keys.push(one));
    parser.push(new Uint8Array([0x1b]));
    expect(keys).toEqual([]);
    while (keys.length === 0) await Bun.sleep(5);
    expect(keys).toEqual([key("escape")]);
  });
});

test("editing moves by what a person sees as one character", () => {
  const buffer = new EditBuffer();
  buffer.insert("a👩‍👩‍👧é日");
  buffer.left();
  buffer.left();
  buffer.backspace();
  expect(buffer.text).toBe("aé日");
  buffer.set("one two  three");
  buffer.deleteWord();
  expect(buffer.text).toBe("one two  ");
  buffer.wordLeft();
  buffer.deleteToEnd();
  expect(buffer.text).toBe("one ");
  buffer.yank();
  expect(buffer.text).toBe("one two  ");
});

test("rows never reach the last column, and the cursor is where the text is", () => {
  const random = seeded(3);
  const pieces = ["a", "日", "👍", " ", "\n", "é", "\u001b[2J", "\u202e"];
  for (let round = 0; round < 300; round += 1) {
    const text = Array.from({ length: 40 }, () => pieces[Math.floor(random() * pieces.length)]).join("");
    const columns = 12 + Math.floor(random() * 40);
    const { rows, cursor } = layOut(text, text.length, columns, "aish> ", "... ");
    for (const row of rows) expect(widthOf(row)).toBeLessThan(columns);
    expect(cursor.row).toBe(rows.length - 1);
    expect(cursor.column).toBe(widthOf(rows.at(-1) ?? ""));
    // eslint-disable-next-line no-control-regex -- nothing that acts
    expect(rows.join("")).not.toMatch(/[\u0000-\u001f\u202e]/);
  }
  expect(wrap("one two three", 8).join("|")).toBe("one two |three");
});
