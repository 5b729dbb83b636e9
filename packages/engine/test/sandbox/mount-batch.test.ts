// As many denied files as a large repository has: each is kept in as one alone is, and a command still starts.
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { ProcessHost } from "../../src/process/process-host.ts";
import { chooseSandbox } from "../../src/sandbox/select-mechanism.ts";
import { boundaryOf } from "../../src/sandbox/scope-boundary.ts";
import { CAP } from "../process/fixture.ts";
import { Workspace } from "../workspace.ts";

const FOLDERS = Array.from({ length: 300 }, (_, i) => `part ${i}`);
const files = Object.fromEntries(
  FOLDERS.flatMap((folder) => [
    [`${folder}/.env`, "SECRET\n"],
    [`${folder}/open.txt`, "open\n"],
  ]),
);
const rules = { deny: ["**/.env", "private"], readOnly: ["*/open.txt"] };

for (const mechanism of ["bubblewrap", "namespaces"] as const) {
  using workspace = new Workspace({ ...files, "private/key": "SECRET\n" }, rules);
  const boundary = await boundaryOf(workspace.scope, {
    network: false,
    home: path.join(workspace.base, "home"),
    path: process.env["PATH"] ?? "",
  });
  const sandbox = await chooseSandbox(boundary, { mode: "auto", mechanisms: [mechanism] });
  const works = sandbox.mechanism === mechanism;
  const title = `${mechanism}: 300 denied files, 300 that cannot be changed, a denied folder`;
  test.skipIf(!works)(works ? title : `${title} (skipped: ${sandbox.attempts[0]?.why})`, async () => {
    using place = new Workspace({ ...files, "private/key": "SECRET\n" }, rules);
    const around = await boundaryOf(place.scope, { ...boundary, home: path.join(place.base, "home") });
    const { confinement } = await chooseSandbox(around, { mode: "require", mechanisms: [mechanism] });
    const host = new ProcessHost({ confinement });
    const tags = host.newSession();
    const run = async (text: string): Promise<string> => {
      const what = { kind: "shell", text } as const;
      const env = { PATH: boundary.path, HOME: place.base };
      const command = { what, cwd: place.root, env, tags, nonce: "00000000", stdout: CAP, stderr: CAP };
      return (await host.run(command)).stdout.text;
    };
    expect(await run("cat */.env private/key; cat */open.txt | sort | uniq -c")).toMatch(/^ *300 open\n$/);
    expect(await run(`echo x > "part 7/open.txt"; mv "part 7" gone; echo y > "part 7/new"; cat "part 7/new"`)).toBe(
      "y\n",
    );
    if (mechanism === "bubblewrap") expect(await run("id -u")).toBe(`${process.getuid?.()}\n`);
    expect(readFileSync(place.at("part 7/open.txt"), "utf8")).toBe("open\n");
    expect(existsSync(place.at("part 7/new"))).toBe(true);
    await host.close();
  });
}
