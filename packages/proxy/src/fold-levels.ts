// How far results are shortened: one level for all, and others for single servers and tools.
import { UsageError } from "@bosun/platform/flags";
import type { FoldLevel } from "@bosun/shrink";

const LEVELS: readonly FoldLevel[] = ["plain", "dense", "off"];

export class FoldLevels {
  private readonly byName: ReadonlyMap<string, FoldLevel>;
  private readonly usual: FoldLevel;

  private constructor(usual: FoldLevel, byName: ReadonlyMap<string, FoldLevel>) {
    this.usual = usual;
    this.byName = byName;
  }

  /** Words of `--fold`: a level, or `server=level`, or `server.tool=level`; the last one of each counts. */
  static of(words: readonly string[]): FoldLevels {
    let usual: FoldLevel = "plain";
    const byName = new Map<string, FoldLevel>();
    for (const word of words) {
      const at = word.lastIndexOf("=");
      const level = LEVELS.find((known) => known === word.slice(at + 1));
      if (level === undefined || at === 0)
        throw new UsageError(`--fold must be plain, dense or off, got ${JSON.stringify(word)}`);
      if (at === -1) usual = level;
      else byName.set(word.slice(0, at), level);
    }
    return new FoldLevels(usual, byName);
  }

  /** Throws UsageError for a server that is not there: it would be folded after all. */
  check(servers: readonly { name: string }[]): void {
    for (const name of this.byName.keys())
      if (!servers.some((server) => name === server.name || name.startsWith(`${server.name}.`)))
        throw new UsageError(
          `--fold ${name}=…: there is no such server; there are: ${servers.map((server) => server.name).join(", ")}`,
        );
  }

  levelOf(server: string, tool: string): FoldLevel {
    return this.byName.get(`${server}.${tool}`) ?? this.byName.get(server) ?? this.usual;
  }

  has(level: FoldLevel): boolean {
    return this.usual === level || [...this.byName.values()].includes(level);
  }
}
