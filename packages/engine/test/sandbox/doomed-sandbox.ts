// A confined host that will be killed from outside: it starts a tree that tries to get away, says so, and waits.
import { ProcessHost } from "../../src/process/process-host.ts";
import { chooseSandbox } from "../../src/sandbox/select-mechanism.ts";
import { CAP, runawayTree } from "../process/fixture.ts";
import type { Mechanism } from "../../src/sandbox/describe.ts";

const [, , mechanism = "", work = "", home = "", seconds = ""] = process.argv;
const boundary = { writable: [work], readOnly: [], denied: [], network: false, home, path: process.env["PATH"] ?? "" };
const sandbox = await chooseSandbox(boundary, {
  mode: "require",
  mechanisms: [mechanism as Exclude<Mechanism, "none">],
});
const host = new ProcessHost({ confinement: sandbox.confinement });
const env = { PATH: boundary.path, HOME: home };
const text = `${runawayTree(seconds)}\nsleep ${seconds}`;
await host.start({
  what: { kind: "shell", text },
  cwd: work,
  env,
  tags: host.newSession(),
  nonce: "00000000",
  stdout: CAP,
  stderr: CAP,
});
console.log("started");
await Bun.sleep(600_000);
