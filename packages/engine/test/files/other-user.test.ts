// Root may do everything, so what an ordinary user meets is tried as one: in a child, by giving up root.
import { expect, test } from "bun:test";
import fs from "node:fs";
import path from "node:path";
import { asOther, hindrances, isRoot, OTHER, skipped } from "../other-user.ts";
import { Workspace } from "../workspace.ts";

const reasons = hindrances();

test.skipIf(reasons.length > 0)(
  `without permission, each thing says so and spoils nothing else${skipped(reasons)}`,
  async () => {
    using workspace = new Workspace({
      "closed/x": "hit",
      "closed-file": "hit",
      "open/y": "hit",
      "fixed/open-file": "the old text",
      "fixed/readme": "x",
      "mine/kept": "the old text",
    });
    if (isRoot) {
      fs.chmodSync(workspace.base, 0o755);
      for (const name of [".", "open", "open/y", "fixed"]) fs.chmodSync(workspace.at(name), 0o755);
    }
    fs.chmodSync(workspace.at("fixed/open-file"), 0o666);
    fs.chmodSync(workspace.at("mine"), 0o777);
    fs.chmodSync(workspace.at("mine/kept"), 0o444);
    fs.chmodSync(workspace.at("fixed"), 0o555);
    fs.chmodSync(workspace.at("closed-file"), 0);
    fs.chmodSync(workspace.at("closed"), 0);
    const script = path.join(import.meta.dir, "..", "fixtures", "other-user.ts");
    const words = [...asOther, process.execPath, "--no-env-file", "--config=/dev/null", script, workspace.root];
    const child = Bun.spawn(words, { stdout: "pipe", env: { PATH: process.env["PATH"] ?? "" } });
    const said = await child.stdout.text();
    fs.chmodSync(workspace.at("fixed"), 0o755);
    fs.chmodSync(workspace.at("closed"), 0o755);
    expect(JSON.parse(said)).toEqual({
      uid: isRoot ? OTHER : process.getuid?.(),
      tree: "w/\n├── closed/ [unreadable]\n├── closed-file\n├── fixed/\n│   ├── open-file\n│   └── readme\n├── mine/\n│   └── kept\n└── open/\n    └── y\n",
      unreadable: ["closed"],
      listClosed: "IO_ERROR EACCES",
      readClosed: "IO_ERROR EACCES",
      belowClosed: "IO_ERROR EACCES",
      search: ["open/y"],
      searchClosed: "IO_ERROR EACCES",
      editInPlace: "the new, longer text",
      editProtected: "IO_ERROR EACCES",
      overwriteProtected: "IO_ERROR EACCES",
      stillThere: "the old text",
      createFixed: "IO_ERROR EACCES",
      createBelowFixed: "IO_ERROR EACCES",
    });
  },
);
