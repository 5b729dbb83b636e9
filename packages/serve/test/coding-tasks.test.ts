// Background tasks and task_output as the contract has them, and what is ours beyond it: wait, tail, offset, stop.
import { afterAll, beforeAll, expect } from "bun:test";
import { existsSync } from "node:fs";
import { announceRows, row, together } from "./harness/contract.ts";
import { eventually, processesWith, TestServer } from "./harness/server.ts";

announceRows();

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ args: ["--sandbox", "off"] });
});
afterAll(async () => server[Symbol.asyncDispose]());

async function start(command: string, at = server): Promise<string> {
  const said = await at.bash(command, { run_in_background: true });
  const id = /^task_id: ([0-9a-f]{16})\nCommand started in background\.$/.exec(said)?.[1];
  if (id === undefined) throw new Error(said);
  return id;
}

row("coding", "a task starts at once, runs, completes, and can be read once", async () => {
  const id = await start("echo out; echo err >&2; sleep 0.3; exit 5");
  await eventually("it printed", async () => (await server.text("task_output", { task_id: id })).includes("out"));
  const done = await server.text("task_output", { task_id: id, wait: 10_000 });
  expect(done).toBe("status: completed\nexit_code: 5\n\nstderr:\nerr\n\nstdout:\nout\n");
  expect(await server.text("task_output", { task_id: id })).toBe(`[BASH_TASK_NOT_FOUND] task not found: ${id}`);
});

row("coding", "a running task shows what it has printed so far", async () => {
  const id = await start("echo first; sleep 30");
  await eventually("it printed", async () => (await server.text("task_output", { task_id: id })).includes("first"));
  expect(await server.text("task_output", { task_id: id })).toBe("status: running\n\nstdout:\nfirst\n");
  expect(await server.text("task_output", { task_id: id, stop: true })).toMatch(
    /^status: completed \(stopped\)\nexit_code: -1\n/,
  );
});

row("coding", "an id nobody issued is not found", async () => {
  const result = await server.call("task_output", { task_id: "0123456789abcdef" });
  expect(result.isError).toBe(true);
  expect(result.content[0]?.text).toBe("[BASH_TASK_NOT_FOUND] task not found: 0123456789abcdef");
});

row("coding", "the timeout is ignored, the directory is not changed, standard input is at its end", async () => {
  const id = await start("cd /; cat; sleep 0.4; echo lived");
  const said = await server.bash("cd /; cat; sleep 0.4; echo lived", { run_in_background: true, timeout: 1 });
  const second = /task_id: (\w+)/.exec(said)?.[1] ?? "";
  for (const task_id of [id, second])
    expect(await server.text("task_output", { task_id, wait: 10_000 })).toContain("lived");
  expect(await server.bash("pwd")).toContain(server.root);
});

row("coding", "the eleventh is refused before it does anything; finished ones do not count", async () => {
  await using own = await TestServer.start({ args: ["--sandbox", "off"] });
  for (let i = 0; i < 3; i += 1)
    await own.call("task_output", { task_id: await start("true", own), wait: 5000, tail: 1 });
  const ids = await Promise.all(Array.from({ length: 10 }, () => start("sleep 60", own)));
  expect(await own.bash("touch eleventh", { run_in_background: true })).toBe(
    "[BASH_TASK_LIMIT] could not add background task: maximum concurrent background task limit (10) reached",
  );
  expect(existsSync(own.at("eleventh"))).toBe(false);
  await own.call("task_output", { task_id: ids[0], stop: true });
  await start("true", own);
});

row("coding", "the newest output of a long task is visible: tail and offset", async () => {
  const id = await start("seq 1 20000; echo END; sleep 60");
  await eventually("all is printed", async () =>
    (await server.text("task_output", { task_id: id, tail: 10 })).includes("END"),
  );
  expect(await server.text("task_output", { task_id: id, tail: 10 })).toBe("status: running\n\nstdout:\n20000\nEND\n");
  const head = await server.text("task_output", { task_id: id });
  expect(head).toContain("[Truncated: output was 108898 characters, showing first 30000]");
  const piece = await server.text("task_output", { task_id: id, offset: 108_888 });
  expect(piece).toBe("status: running\nnext_offset: 108898\n\nstdout:\n20000\nEND\n");
  await server.call("task_output", { task_id: id, stop: true });
});

row("coding", "a tail of nothing is a question for the status alone; a stream that is none is refused", async () => {
  const id = await start("echo out; echo err >&2");
  expect(await server.text("task_output", { task_id: id, wait: 10_000, tail: 0 })).toBe(
    "status: completed\nexit_code: 0\n",
  );
  const refused = await server.call("task_output", { task_id: id, offset: 0, stream: "both" });
  expect(refused.isError).toBe(true);
  expect(refused.content[0]?.text).toBe('[INVALID_INPUT] stream must be one of stdout, stderr; got "both"');
  expect(await server.text("task_output", { task_id: id })).toContain("stdout:\nout\n");
});

row("coding", "a task that was read to its end can still be read by position when its output was cut", async () => {
  const id = await start("seq 1 20000");
  await server.call("task_output", { task_id: id, wait: 10_000, tail: 1 });
  const { content } = await server.call("task_output", { task_id: id });
  expect(content[0]?.text).toContain("[Truncated: output was 108894 characters");
  expect(content).toHaveLength(1);
  expect(content[0]?.text).toEndWith('\nFull stdout: the same task_id with an offset and stream "stdout".');
  expect(await server.text("task_output", { task_id: id })).toBe(`[BASH_TASK_NOT_FOUND] task not found: ${id}`);
  expect(await server.text("task_output", { task_id: id, offset: 108_888 })).toContain("20000\n");
});

row("coding", "status follows the shell's exit, not a daemon that holds the pipe", async () => {
  const id = await start("setsid sleep 603 & echo gone");
  const said = await server.text("task_output", { task_id: id, wait: 10_000 });
  expect(said).toBe("status: completed\nexit_code: 0\n\nstdout:\ngone\n");
});

together(() => {
  row("coding", "the safety net ends a task and says so", async () => {
    await using own = await TestServer.start({ args: ["--sandbox", "off", "--background-task-timeout", "1"] });
    const id = await start("echo begun; sleep 60", own);
    const said = await own.text("task_output", { task_id: id, wait: 20_000 });
    expect(said).toBe("status: completed (killed by background task timeout)\nexit_code: -1\n\nstdout:\nbegun\n");
  });

  row("coding", "a timeout beyond what a timer holds does not fire at once", async () => {
    await using own = await TestServer.start({ args: ["--sandbox", "off", "--background-task-timeout", "9000000"] });
    const id = await start("sleep 0.3; echo whole", own);
    expect(await own.text("task_output", { task_id: id, wait: 10_000 })).toContain("whole");
  });

  row("coding", "the end of the session ends every task at once, stubborn ones too", async () => {
    const own = await TestServer.start({ args: ["--sandbox", "off"] });
    const mark = `604.${process.pid}`;
    for (let i = 0; i < 10; i += 1)
      await start(`trap '' TERM; setsid sleep ${mark} & sleep ${mark}; sleep ${mark}`, own);
    await eventually("they run", () => processesWith(`sleep ${mark}`).length >= 20);
    const startedAt = performance.now();
    expect(await own.close()).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(40_000); // one after another would be more
    await eventually("none is left", () => processesWith(`sleep ${mark}`).length === 0);
  });
});
