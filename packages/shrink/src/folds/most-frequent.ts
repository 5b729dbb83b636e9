// What occurs most often in a list, and how often; the first of them where several do.

export function mostFrequent(items: readonly string[]): { item: string; times: number } {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  let best = { item: "", times: 0 };
  for (const [item, times] of counts) if (times > best.times) best = { item, times };
  return best;
}
