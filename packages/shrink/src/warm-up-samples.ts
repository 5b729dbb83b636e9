// Texts to warm up with: of each kind of result one, in any length, and never twice the same, because a text that was
// sent before takes a short cut.

/** `round` makes it another text, `count` says how long it is, in lines or so. */
export type Sample = (round: number, count: number) => string;

/** What is most usual first: whoever is interrupted has warmed that. */
export const SAMPLES: readonly Sample[] = [
  (round, count) => JSON.stringify(rowsOf(round, count), undefined, 2),
  lines((i) => `/home/dev/work/project/src/part${i % 7}/file${i}.ts`),
  lines((i) => `2026-11-15T12:00:${i % 60}.123Z INFO [worker] job ${i} finished in ${i * 3} ms`),
  lines((i) => `src/commands/file${(i % 7) >> 1}.ts:${i}:  const value${i} = compute(${i});`),
  lines((i) => `  ${`name${i}.service`.padEnd(60)} ${String(i * 37).padStart(8)}  running  The part number ${i}`),
  lines((i) => `  const part${i} = { name: '${i % 3}', ...options };\n  if (!part${i}.ok) throw new Error('no ${i}');`),
  (round, count) => JSON.stringify(treeOf(round, count), undefined, 2),
  lines((i) => `The ${i}th sentence of a text that says something else ${i * 7} each time.`),
  lines((i) => `${String(i).padStart(5)}  sudo tool${i % 9} -vL -t filter | jq --raw /tmp/name${i % 4}.out > x${i}`),
  (round, count) => JSON.stringify(orderOf(round, count)),
  lines((i) => `${i % 3 === 0 ? "[DIR]" : "[FILE]"} name${i}${i % 3 === 0 ? "" : ".md"}`),
  lines((i) => `${digestOf(i)}\trefs/pull/${i}/head`),
  patch,
  (round, count) => `Found these:\n\n\`\`\`json\n${JSON.stringify(rowsOf(round, count), undefined, 2)}\n\`\`\`\n`,
  (round, count) => `.\n${lines(branch)(round, count)}\n└── last${round}.md\n`,
  lines((i) => `\u001B[32m✓\u001B[39m test ${i % 3} passes \u001B[2m(${i} ms)\u001B[22m`),
];

function lines(line: (i: number) => string): Sample {
  return (round, count) => Array.from({ length: count }, (_, i) => line(i + round * 100)).join("\n");
}

function rowsOf(round: number, count: number): object[] {
  return Array.from({ length: count / 2 }, (_, i) => ({
    id: i + round,
    name: `user ${i}`,
    tags: ["a", `t${round}`],
    ok: i % 2 === 0,
  }));
}

function treeOf(round: number, count: number): object[] {
  const files = [1, 2, 3, 4].map((i) => ({ name: `a${i + round}.ts`, type: "file" }));
  return Array.from({ length: count / 6 }, (_, i) => ({ name: `f${round}-${i}`, type: "directory", children: files }));
}

function orderOf(round: number, count: number): object {
  const items = Array.from({ length: count / 3 }, (_, i) => ({
    name: `Item ${i}`,
    price: i * 1.25 + round,
    options: { color: i % 2 === 0 ? "red" : "blue", size: null },
  }));
  return { order_id: `#W${round}4237`, user_id: "ann_lee_12", address: { city: "Bonn", zip: "5311" }, items };
}

function patch(round: number, count: number): string {
  const changed = lines((i) => `${i % 3 === 0 ? "-" : i % 3 === 1 ? "+" : " "}  const value${i} = ${i};`)(round, count);
  const file = `src/file${round}.ts`;
  return `diff --git a/${file} b/${file}\nindex 1a2b3c4..5d6e7f8 100644\n--- a/${file}\n+++ b/${file}\n@@ -1,9 +1,9 @@\n${changed}\n`;
}

function branch(i: number): string {
  return i % 4 === 0 ? `├── folder${i}` : `│   ${i % 4 === 3 ? "└" : "├"}── name${i}.ts`;
}

function digestOf(i: number): string {
  let digits = "";
  for (let n = 0; n < 5; n++) digits += (Math.imul(i * 5 + n + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0");
  return digits;
}
