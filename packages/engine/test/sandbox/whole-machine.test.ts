// A boundary around everything: without roots, or with `/` as one of them. Commands reach all but what is denied, and
// nothing of ours is left lying about on the machine.
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { ProcessHost } from "../../src/process/process-host.ts";
import { chooseSandbox } from "../../src/sandbox/select-mechanism.ts";
import { boundaryOf } from "../../src/sandbox/scope-boundary.ts";
import { CAP } from "../process/fixture.ts";
import { Workspace } from "../workspace.ts";

for (const mechanism of ["bubblewrap", "namespaces", "landlock"] as const) {
  using workspace = new Workspace({}, { roots: [] });
  const tried = await chooseSandbox(await around(workspace), { mode: "auto", mechanisms: [mechanism] });
  const works = tried.mechanism === mechanism;
  describe.skipIf(!works)(`${mechanism}${works ? "" : ` (skipped: ${tried.attempts[0]?.why})`}`, () => {
    test.each<[string, string[]]>([
      ["without roots", []],
      ["with / as a root", ["/"]],
      ["with / as one of several", ["/usr", "/"]],
    ])("%s", async (_, roots) => {
      using place = new Workspace({ "private/key": "SECRET" }, { roots, deny: ["private"] });
      const sandbox = await chooseSandbox(await around(place), { mode: "require", mechanisms: [mechanism] });
      const before = readdirSync("/");
      const host = new ProcessHost({ confinement: sandbox.confinement });
      const text = `cat ${place.outside}/secret.txt; echo new > ${place.outside}/made; cat private/key`;
      const run = await host.run({
        what: { kind: "shell", text },
        cwd: place.root,
        env: { PATH: process.env["PATH"] ?? "", HOME: place.base },
        tags: host.newSession(),
        nonce: "00000000",
        stdout: CAP,
        stderr: CAP,
      });
      await host.close();
      expect(run.stdout.text).toBe("secret\n");
      expect(await Bun.file(`${place.outside}/made`).text()).toBe("new\n");
      expect(readdirSync("/")).toEqual(before);
      expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`bosun-${process.pid}-`))).toEqual([]);
    });
  });
}

function around(workspace: Workspace) {
  return boundaryOf(workspace.scope, { network: false, home: workspace.base, path: process.env["PATH"] ?? "" });
}
