// Who waits for an answer goes before the threads that compile: they step behind, and nobody else does.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { constants, getPriority } from "node:os";
import { eventually, TestServer } from "./harness/server.ts";

type Thread = { name: string; priority: number };

function threadsOf(pid: number): Thread[] {
  return readdirSync(`/proc/${pid}/task`).map((id) => {
    const stat = readFileSync(`/proc/${pid}/task/${id}/stat`, "latin1");
    const end = stat.lastIndexOf(")");
    return { name: stat.slice(stat.indexOf("(") + 1, end), priority: Number(stat.slice(end + 2).split(" ")[16]) };
  });
}

const isCompiler = ({ name }: Thread): boolean => name === "JITWorker";

test.skipIf(process.platform !== "linux")(
  "compilers step behind whoever waits for an answer, and nobody else does",
  async () => {
    await using server = await TestServer.start({ files: { "a.txt": "one\n" } });
    const { pid } = server.process;
    const read = (): Promise<unknown> => server.call("view", { path: "a.txt" });
    const usual = getPriority();
    for (let i = 0; i < 200; i += 1) await read();
    await eventually("they have stepped behind", async () => {
      await read();
      const compilers = threadsOf(pid).filter(isCompiler);
      return compilers.length > 0 && compilers.every(({ priority }) => priority === constants.priority.PRIORITY_LOW);
    });
    const others = threadsOf(pid).filter((thread) => !isCompiler(thread));
    expect(others.filter(({ priority }) => priority !== usual)).toEqual([]);
    expect(await server.bash("nice")).toContain(`stdout:\n${usual}\n`);
  },
);
