// Two texts as a unified diff for a person: what goes, what comes, three lines around each.

const CONTEXT = 3;
/** Longest common parts are found in a table of lines × lines: beyond this the whole middle is shown as changed. */
const MAX_CELLS = 4_000_000;

export function diffOf(before: string, after: string): string {
  const [left, right] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start += 1;
  let [leftEnd, rightEnd] = [left.length, right.length];
  while (leftEnd > start && rightEnd > start && left[leftEnd - 1] === right[rightEnd - 1]) {
    leftEnd -= 1;
    rightEnd -= 1;
  }
  const middle = changesOf(left.slice(start, leftEnd), right.slice(start, rightEnd));
  const marked = [
    ...left.slice(0, start).map((line) => ` ${line}`),
    ...middle,
    ...left.slice(leftEnd).map((line) => ` ${line}`),
  ];
  return withinContext(marked).join("\n");
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
}

function changesOf(left: readonly string[], right: readonly string[]): string[] {
  const removed = left.map((line) => `-${line}`);
  if (left.length * right.length > MAX_CELLS) return [...removed, ...right.map((line) => `+${line}`)];
  const width = right.length + 1;
  const common = new Uint32Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) {
      const below = common[(i + 1) * width + j] ?? 0;
      const beside = common[i * width + j + 1] ?? 0;
      common[i * width + j] =
        left[i] === right[j] ? 1 + (common[(i + 1) * width + j + 1] ?? 0) : Math.max(below, beside);
    }
  }
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      lines.push(` ${left[i]}`);
      i += 1;
      j += 1;
    } else if (
      i < left.length &&
      (j === right.length || (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0))
    ) {
      lines.push(`-${left[i]}`);
      i += 1;
    } else {
      lines.push(`+${right[j]}`);
      j += 1;
    }
  }
  return lines;
}

function withinContext(lines: readonly string[]): string[] {
  const near = new Uint8Array(lines.length);
  for (const [at, line] of lines.entries()) {
    if (!line.startsWith(" ")) near.fill(1, Math.max(0, at - CONTEXT), at + CONTEXT + 1);
  }
  const shown: string[] = [];
  for (const [at, line] of lines.entries()) {
    if (near[at] === 1) shown.push(line);
    else if (near[at - 1] === 1 || (at === 0 && near.includes(1))) shown.push("  ⋯");
  }
  return shown;
}
