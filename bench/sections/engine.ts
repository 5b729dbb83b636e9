// The engine beside the tools a shell user would take: sed, ripgrep, a bare spawn.
import { benchCommands } from "../../packages/engine/bench/process.ts";
import { benchRangeRead } from "../../packages/engine/bench/range-read.ts";
import { benchSearch } from "../../packages/engine/bench/search.ts";
import type { Row, Section } from "../report.ts";

export const engine: Section = {
  name: "engine",
  about: "range reads, searches and commands beside sed, ripgrep and a bare spawn",
  async run(progress) {
    progress("lines deep inside a large file");
    const reads = await benchRangeRead();
    progress("content search");
    const searches = await benchSearch();
    progress("commands");
    const commands = await benchCommands();
    const compared = [...reads, ...searches].map(({ what, oursMs, yardstick, yardstickMs, allowed }): Row => ({
      what,
      unit: "ms",
      ours: oursMs,
      theirs: { [yardstick]: yardstickMs },
      target: { text: `≤ ${allowed}×`, reached: oursMs <= allowed * yardstickMs },
    }));
    const growth = reads.flatMap(({ what, growthMb }): Row[] =>
      growthMb === undefined
        ? []
        : [
            {
              what: `${what}, memory growth`,
              unit: "MB",
              ours: Math.max(0, growthMb),
              theirs: {},
              target: { text: "≤ 32 MB", reached: growthMb <= 32 },
            },
          ],
    );
    // Goals for commands are those of the serve section, through the whole server.
    const measured = commands.map(({ name, value, unit }): Row => ({ what: name, unit, ours: value, theirs: {} }));
    return [...compared, ...growth, ...measured];
  },
};
