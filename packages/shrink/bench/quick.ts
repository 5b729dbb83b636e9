import { countTokens } from "../src/tokens/count.ts";
import { readCorpus, textOf } from "../test/corpus.ts";
import { compactJson, jsonNotation } from "../src/folds/json.ts";
import { directoryTree } from "../src/folds/tree.ts";
import { pathList } from "../src/folds/paths.ts";
import { grepByFile } from "../src/folds/grep.ts";
import { folderListing } from "../src/folds/listing.ts";
import { recursiveListing } from "../src/folds/ls-recursive.ts";
import { abbreviations } from "../src/folds/abbreviations.ts";
const sums: Record<string, number[]> = {};
let shown = 0;
const per: Record<string, [number, number]> = {};
const want = process.argv[2];
const list: any[] = [];
const times: number[] = [];
for (const r of readCorpus()) {
  const t = textOf(r);
  const n = countTokens(t);
  let best = n, bn = "", bt = t;
  const t0 = performance.now();
  const tryOne = (f: any, src: string, base?: any) => {
    const x = f.fold(src);
    if (!x) return undefined;
    let back; try { back = f.unfold(x) } catch (e) { back = String(e) }
    if (back !== src) { if (shown++ < 5) console.log("BAD", f.name, r.id, "\n" + x.text.slice(0, 600), "\n", String(back).slice(0, 200)); return }
    const k = countTokens(x.text);
    if (k < best) { best = k; bn = (base ?? "") + f.name; bt = x.text }
    return x;
  };
  for (const f of [compactJson, jsonNotation, directoryTree, pathList, grepByFile, folderListing, recursiveListing]) {
    const x = tryOne(f, t);
  }
  tryOne(abbreviations, bt, bn + "+");
  if (bn && !bn.endsWith("abbr")) 0; else if (bt !== t && bn !== "+abbr") 0;
  times.push(performance.now() - t0);
  for (const key of [r.class+" "+r.source, r.class]) { const s = (sums[key] ??= [0,0,0]); s[0]!++; s[1]! += n; s[2]! += best; }
  per[bn] ??= [0,0]; per[bn]![0]++; per[bn]![1] += n - best;
  list.push({ id: r.id, cls: r.class, n, best, bn, bt, t });
}
for (const [k, [c, n, a]] of Object.entries(sums).sort() as any) console.log(k.padEnd(30), c, n, (100 - a / n * 100).toFixed(1));
console.table(per);
times.sort((a, b) => a - b); console.log("p50", times[times.length >> 1], "p99", times[Math.floor(times.length * .99)]);
if (want) for (const x of list.filter((x) => x.cls === want || x.id.includes(want)).sort((a, b) => b.best - a.best).slice(0, +(process.argv[3] ?? 20))) console.log(`### ${x.id} ${x.n} -> ${x.best} ${(100 - x.best / x.n * 100).toFixed(0)}% ${x.bn}\n` + x.bt.slice(0, +(process.argv[4] ?? 0)));
{
  const fs = new Set(["directory_tree","list_directory","list_directory_with_sizes","search_files","get_file_info","read_text_file","read_multiple_files","list_allowed_directories"]);
  const g: any = {}; let N = 0, B = 0;
  const rec = readCorpus();
  list.forEach((x, i) => { const tool = rec[i]!.tool; if (fs.has(tool)) { (g[tool] ??= [0,0]); g[tool][0] += x.n; g[tool][1] += x.best; N += x.n; B += x.best } });
  for (const k in g) console.log("fs", k.padEnd(28), g[k][0], (100 - g[k][1] / g[k][0] * 100).toFixed(1));
  console.log("fs mix", N, (100 - B / N * 100).toFixed(1));
  const pl = list.filter((x, i) => x.cls === "paths" && x.bn.includes("paths")); console.log("true path lists", pl.reduce((a, x) => a + x.n, 0), (100 - 100 * pl.reduce((a, x) => a + x.best, 0) / pl.reduce((a, x) => a + x.n, 0)).toFixed(1));
}
