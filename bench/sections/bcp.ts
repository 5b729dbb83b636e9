// The BCP codec: megabytes a second on a large payload, and one small call in the library beside a process for it.
import { benchBcp } from "../../packages/bcp/bench/bench.ts";
import type { Row, Section } from "../report.ts";

const AT_LEAST_MB_S: { [start: string]: number } = {
  "decode + render xml": 100,
  "decode + render minimal": 100,
  encode: 100,
};

export const bcp: Section = {
  name: "bcp",
  about: "encode, decode and render in the process, beside a bcp process per call",
  async run(progress) {
    progress("encode, decode and render");
    const rows = await benchBcp();
    const process = rows.find(({ name }) => name.includes("by a bcp process"))?.value ?? Number.NaN;
    return rows.flatMap(({ name, value, unit }): Row[] => {
      if (name.includes("by a bcp process")) return [];
      const floor = AT_LEAST_MB_S[name];
      if (floor !== undefined) {
        return [
          { what: name, unit, ours: value, theirs: {}, target: { text: `≥ ${floor} MB/s`, reached: value >= floor } },
        ];
      }
      if (!name.startsWith("decode + render,")) return [{ what: name, unit, ours: value, theirs: {} }];
      const target = { text: "≤ 0.2 ms, ≤ 1/50 of a process", reached: value <= 0.2 && process / value >= 50 };
      return [{ what: name, unit, ours: value, theirs: { "a bcp process": process }, target }];
    });
  },
};
