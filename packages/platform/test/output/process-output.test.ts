// What is written reaches a reader that takes its time, and one that leaves or stops reading does not keep the process.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const MODULE = path.resolve(import.meta.dir, "../../src/output/index.ts");
const MANY = 10_000_000;

/** A program of these lines, with `out` on its stdout, in front of a shell command that reads it. */
async function piped(lines: string, reader: string): Promise<{ read: string; code: number }> {
  const program = `import { ProcessOutput } from ${JSON.stringify(MODULE)};
    const out = new ProcessOutput(process.stdout);\n${lines}\nprocess.exit(7);`;
  const bun = [process.execPath, "--no-env-file", "--config=/dev/null", "-e", program];
  // Between two other programs, because Bun reads ahead what its children say.
  const child = Bun.spawn(["bash", "-c", `"$@" | { ${reader}; }; echo " \${PIPESTATUS[0]}"`, "bash", ...bun], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const [read = "", code = ""] = (await new Response(child.stdout).text()).trim().split(/\s+/);
  return { read, code: Number(code) };
}

test.each([
  ["in one piece", `out.write("x".repeat(${MANY}));`],
  ["in many pieces", `for (let n = 0; n < 1000; n += 1) out.write("x".repeat(${MANY / 1000}));`],
  ["with an empty piece at the end", `out.write("x".repeat(${MANY})); out.write("");`],
  ["as bytes", `out.write(new Uint8Array(${MANY}));`],
])("10 MB %s reach a reader that starts late", async (_, lines) => {
  expect(await piped(`${lines}\nawait out.drained();`, "sleep 0.5; wc -c")).toEqual({ read: String(MANY), code: 7 });
});

test("a reader that leaves ends the waiting", async () => {
  const lines = `out.write("x".repeat(${MANY}));\nawait out.drained();`;
  expect((await piped(lines, "head -c 5")).code).toBe(7);
});

test("a reader that stops reading does not hold up an end that was ordered", async () => {
  // The reader waits for the program and the program would wait for the reader, if it waited for as long as it takes.
  const ended = path.join(mkdtempSync(path.join(tmpdir(), "bosun-output-")), "ended");
  const lines = `out.write("x".repeat(${MANY}));\nawait out.drained(50);\nrequire("node:fs").writeFileSync("${ended}", "");`;
  expect(await piped(lines, `until [ -e ${ended} ]; do sleep 0.05; done; echo ended`)).toEqual({
    read: "ended",
    code: 7,
  });
  rmSync(path.dirname(ended), { recursive: true });
});
