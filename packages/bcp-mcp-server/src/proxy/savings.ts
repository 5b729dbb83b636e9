// What was saved, honestly: retrievals and our own tools are counted against us.
import { countToolTokens } from "@bosun/shrink";
import type { Shrunk, ToolDefinition } from "@bosun/shrink";

type Sum = { results: number; changed: number; before: number; after: number };

export class Savings {
  private readonly byTool = new Map<string, Sum>();
  private readonly byFold = new Map<string, Sum>();
  private lists: { before: number; after: number } | undefined;
  private retrievals = 0;

  result(server: string, tool: string, shrunk: Shrunk): void {
    add(this.byTool, `${server}.${tool}`, shrunk);
    for (const fold of shrunk.folds) add(this.byFold, fold, shrunk);
  }

  tools(_server: string, before: readonly ToolDefinition[], after: readonly ToolDefinition[]): void {
    this.lists ??= { before: countToolTokens(before), after: countToolTokens(after) };
  }

  retrieved(_server: string): void {
    this.retrievals++;
  }

  report(): string {
    const lines = [...this.byTool].map(([tool, sum]) => `  ${tool}: ${described(sum)}`);
    const folds = [...this.byFold].map(([fold, sum]) => `  ${fold}: ${described(sum)}`);
    const lists = this.lists ? [`tool list: ${this.lists.before} → ${this.lists.after} tokens`] : [];
    return ["per tool:", ...lines, "per fold:", ...folds, ...lists, `originals fetched back: ${this.retrievals}`].join(
      "\n",
    );
  }
}

function add(sums: Map<string, Sum>, key: string, { changed, tokensBefore, tokensAfter }: Shrunk): void {
  const sum = sums.get(key) ?? { results: 0, changed: 0, before: 0, after: 0 };
  sum.results++;
  sum.changed += changed ? 1 : 0;
  sum.before += tokensBefore;
  sum.after += changed ? tokensAfter : tokensBefore;
  sums.set(key, sum);
}

function described({ results, changed, before, after }: Sum): string {
  const saved = before === 0 ? 0 : Math.round((1 - after / before) * 100);
  return `${results} results, ${changed} smaller, ${before} → ${after} tokens (−${saved} %)`;
}
