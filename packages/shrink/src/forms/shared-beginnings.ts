// Neighbours that begin alike: the beginning once, on a line that ends in "…", and the rest of each indented below it.
//
//   [bosun: indented lines continue the last line that ends in "…"]
//   net.ipv4.conf.all.…
//    accept_local = 0
//    accept_redirects = 1
import { MAX_UNFOLDED_CHARS, UnfoldError } from "./form.ts";
import type { Form } from "./form.ts";

const PHRASE = 'indented lines continue the last line that ends in "…"';
const MIN_LINES = 4;
/** What a heading costs beside its own text, in characters of ordinary text. */
const HEADING_CHARS = 8;
const MIN_PREFIX = 4;
const MAX_PREFIX = 200;

export const sharedBeginnings: Form = {
  name: "beginnings",
  fold(text) {
    const lines = text.split("\n");
    if (lines.length < MIN_LINES || text.includes("\r")) return undefined;
    const out: string[] = [];
    let isFolded = false;
    for (const { from, to, prefix } of groupsOf(lines)) {
      if (prefix === 0) {
        for (let i = from; i < to; i++) {
          const line = lines[i] ?? "";
          if (line.startsWith(" ") || line.endsWith("…")) return undefined;
          out.push(line);
        }
        continue;
      }
      isFolded = true;
      out.push(`${(lines[from] ?? "").slice(0, prefix)}…`);
      for (let i = from; i < to; i++) out.push(` ${(lines[i] ?? "").slice(prefix)}`);
    }
    return isFolded ? { phrase: PHRASE, body: out.join("\n") } : undefined;
  },
  unfold({ body }) {
    let heading: string | undefined;
    let chars = 0;
    const out: string[] = [];
    for (const line of body.split("\n")) {
      if (line.startsWith(" ")) {
        if (heading === undefined) throw new UnfoldError("nothing to continue");
        chars += heading.length + line.length;
        if (chars > MAX_UNFOLDED_CHARS) throw new UnfoldError("the lines would unfold to too much");
        out.push(heading + line.slice(1));
      } else if (line.endsWith("…")) heading = line.slice(0, -1);
      else out.push(line);
    }
    return out.join("\n");
  },
};

type Group = { from: number; to: number; prefix: number };

// Neighbours share at least what each pair shares; a stretch is worth its shortest pair. From the inside out: a stretch is
// taken whole, or as the stretches it is made of, whichever saves more.
function groupsOf(lines: readonly string[]): Group[] {
  const shared = lines.slice(1).map((line, i) => sharedPrefix(lines[i] ?? "", line));
  const open: Stretch[] = [];
  const top: Stretch = { prefix: 0, from: 0, to: lines.length, inner: [] };
  const close = (stretch: Stretch, to: number): void => {
    stretch.to = to;
    (open.at(-1) ?? top).inner.push(stretch);
  };
  shared.forEach((prefix, i) => {
    let from = i;
    const done: Stretch[] = [];
    while ((open.at(-1)?.prefix ?? 0) > prefix) {
      const stretch = open.pop() as Stretch;
      stretch.to = i + 1;
      ({ from } = stretch);
      const outer = open.at(-1);
      if ((outer?.prefix ?? 0) >= prefix) (outer ?? top).inner.push(stretch);
      else done.push(stretch);
    }
    if (prefix > (open.at(-1)?.prefix ?? 0)) open.push({ prefix, from, to: 0, inner: done });
    else for (const stretch of done) (open.at(-1) ?? top).inner.push(stretch);
  });
  while (open.length > 0) close(open.pop() as Stretch, lines.length);
  const groups = top.inner.flatMap((stretch) => chosen(stretch).groups);
  const all: Group[] = [];
  let at = 0;
  for (const group of groups) {
    if (group.from > at) all.push({ from: at, to: group.from, prefix: 0 });
    all.push(group);
    at = group.to;
  }
  if (at < lines.length) all.push({ from: at, to: lines.length, prefix: 0 });
  return all;
}

type Stretch = { prefix: number; from: number; to: number; inner: Stretch[] };

function chosen({ prefix, from, to, inner }: Stretch, depth = 0): { saved: number; groups: Group[] } {
  const whole = (to - from - 1) * prefix - HEADING_CHARS - (to - from);
  if (depth > 300) return { saved: Math.max(0, whole), groups: whole > 0 ? [{ from, to, prefix }] : [] };
  const parts = inner.map((stretch) => chosen(stretch, depth + 1));
  const saved = parts.reduce((sum, part) => sum + part.saved, 0);
  if (whole >= saved && whole > 0) return { saved: whole, groups: [{ from, to, prefix }] };
  return { saved, groups: parts.flatMap(({ groups }) => groups) };
}

// Up to a sign or a blank, so that no word, number or name is cut; something must be left of both.
function sharedPrefix(left: string, right: string): number {
  const most = Math.min(left.length, right.length, MAX_PREFIX) - 1;
  let length = 0;
  while (length < most && left.charCodeAt(length) === right.charCodeAt(length)) length++;
  while (length > 0 && !/[\s/\\.:=,;([{"'|>-]/.test(left[length - 1] ?? "")) length--;
  if (length < MIN_PREFIX || left.slice(0, length).trim() === "" || left.startsWith(" ")) return 0;
  return left[length - 1] === "…" ? 0 : length;
}
