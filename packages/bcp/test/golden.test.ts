import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { findGolden, runConformance } from "./conformance.ts";

// Some take more than five seconds on a busy machine. Said in each file: a preload reaches only the first one.
setDefaultTimeout(60_000);

const folder = findGolden();

if (folder === undefined) {
  test.skip("conformance data: not on this machine (set BOSUN_SHARED to the folder that has bcp-golden)", () => {});
} else {
  const groups = Map.groupBy(await runConformance(folder), ({ group }) => group);
  describe.each([...groups])("%s", (_, checks) => {
    test.each(checks.map((check) => [check.name, check] as const))("%s", (_, { problem }) => {
      expect(problem).toBeUndefined();
    });
  });
}
