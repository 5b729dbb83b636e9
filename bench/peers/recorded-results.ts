// Texts as tools give them, of any size: listings, matches, logs and JSON rows in turn, never the same twice.

export function resultOf(bytes: number, turn: number): string {
  const make = KINDS[turn % KINDS.length] ?? match;
  const lines: string[] = [];
  for (let length = 0, at = turn * 7919; length < bytes; at++) {
    const line = make(at);
    lines.push(line);
    length += line.length + 1;
  }
  return lines.join("\n").slice(0, bytes);
}

const WORDS = "request session cache handler buffer stream parser token render socket".split(" ");
const word = (at: number): string => WORDS[(at * 31) % WORDS.length] ?? "";

const path = (at: number): string => `/srv/app/src/${word(at >> 5)}/${word(at >> 3)}-${at % 97}.ts`;
const match = (at: number): string =>
  `${path(at)}:${(at * 13) % 900}:  const ${word(at)} = await ${word(at + 3)}(${at});`;
const log = (at: number): string =>
  `2026-11-${10 + (at % 20)}T10:${10 + ((at >> 4) % 50)}:${10 + (at % 50)}Z INFO  [${word(at >> 4)}] ${word(at)} ${at} done in ${(at * 7) % 300} ms`;
const row = (at: number): string =>
  JSON.stringify({ id: at, name: `${word(at)}-${at}`, state: "open", size: (at * 37) % 5000 });

const KINDS = [path, match, log, row];
