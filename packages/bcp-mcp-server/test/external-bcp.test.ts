// BCP_CLI_PATH: another binary behind the same tools, whatever it does.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { bcpMain, bun, call, start } from "./reading.ts";

describe("BCP_CLI_PATH", () => {
  test("another binary answers the same", async () => {
    const program = at("bcp-wrapper");
    writeFileSync(program, `#!/bin/sh\nexec ${[...bun, bcpMain].map((word) => `'${word}'`).join(" ")} "$@"\n`);
    chmodSync(program, 0o755);
    const external = await start([], { BCP_CLI_PATH: program });
    const args = { path: at("made.bcp"), mode: "markdown" };
    expect(await call("read_bcp_file", args, external)).toEqual(await call("read_bcp_file", args));
    await external.close();
  });

  test("one that hangs is ended, and the call says so", async () => {
    const program = at("bcp-sleeps");
    writeFileSync(program, "#!/bin/sh\nexec sleep 60\n");
    chmodSync(program, 0o755);
    const external = await start([], { BCP_CLI_PATH: program, BCP_CLI_TIMEOUT_MS: "200" });
    const outcome = await call("read_bcp_file", { path: at("made.bcp") }, external);
    expect(outcome).toEqual({ failed: true, text: expect.stringContaining("timed out after 200 ms") });
    await external.close();
  });

  test("one that is not there is an answer, not a crash", async () => {
    const external = await start([], { BCP_CLI_PATH: at("no-such-binary") });
    expect(await call("read_bcp_file", { path: at("made.bcp") }, external)).toEqual({
      failed: true,
      text: expect.stringContaining("no-such-binary"),
    });
    expect((await external.listTools()).length).toBe(3);
    await external.close();
  });
});
