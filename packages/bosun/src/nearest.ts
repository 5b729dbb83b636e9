// The known word closest to a mistyped one, or none that is close enough to be meant.

export function nearest(word: string, known: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3));
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(word.toLowerCase(), candidate) }))
    .toSorted((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best && best.distance <= limit ? best.candidate : undefined;
}

function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [row, char] of [...a].entries()) {
    const line = [row + 1];
    for (let column = 0; column < b.length; column++) {
      const change = (above[column] ?? 0) + (char === b[column] ? 0 : 1);
      line.push(Math.min(change, (above[column + 1] ?? 0) + 1, (line[column] ?? 0) + 1));
    }
    above = line;
  }
  return above[b.length] ?? 0;
}
