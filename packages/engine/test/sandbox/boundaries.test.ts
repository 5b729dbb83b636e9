// Boundaries as each mechanism translates them: profiles, grants, views and words, without running anything; and the
// boundaries that are easier to see by running one mechanism.
import { afterAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ProcessHost } from "../../src/process/process-host.ts";
import { holds } from "../../src/sandbox/boundary.ts";
import { chooseSandbox } from "../../src/sandbox/select-mechanism.ts";
import { describeSandbox, sandboxInstructions } from "../../src/sandbox/describe.ts";
import { grantsOf } from "../../src/sandbox/landlock.ts";
import { seatbeltConfinement, seatbeltProfile } from "../../src/sandbox/seatbelt.ts";
import { findToolchains } from "../../src/sandbox/toolchains.ts";
import { MountPlan } from "../../src/sandbox/mount-plan.ts";
import { MountpointLocks } from "../../src/sandbox/mountpoint-locks.ts";
import { CAP, eventually } from "../process/fixture.ts";
import type { Boundary, HeldPlace } from "../../src/sandbox/boundary.ts";
import type { Mechanism } from "../../src/sandbox/describe.ts";

const base = realpathSync(mkdtempSync(path.join(tmpdir(), "boundary-")));
const home = path.join(base, "home");
const work = path.join(base, "work");
afterAll(() => rmSync(base, { recursive: true, force: true }));
for (const folder of [
  ".cargo/bin",
  ".rustup/toolchains",
  ".local/bin",
  ".local/lib",
  ".local/share/keyrings",
  ".ssh",
  "bin",
  ".pyenv/shims",
  "opt/tool-1/bin",
]) {
  mkdirSync(path.join(home, folder), { recursive: true });
}
mkdirSync(path.join(work, "secret"), { recursive: true });
for (const file of [".cargo/credentials.toml", "opt/tool-1/bin/tool"])
  writeFileSync(path.join(home, file), "x", { mode: 0o755 });
for (const file of [".env", "a.txt", "secret/key"]) writeFileSync(path.join(work, file), "x");
symlinkSync(path.join(home, "opt/tool-1/bin/tool"), path.join(home, ".local/bin/tool"));
symlinkSync("/etc", path.join(work, "way-out"));

const boundary: Boundary = { writable: [work], readOnly: [], denied: [], network: false, home, path: "/usr/bin:/bin" };

describe("toolchains", () => {
  const inHome = (searchPath: string): string[] =>
    findToolchains({ ...boundary, path: searchPath })
      .visible.filter((file) => holds(home, file))
      .map((file) => path.relative(home, file));

  test.each<[string, string, string[]]>([
    ["a bin folder brings its toolchain", ".pyenv/shims", [".pyenv"]],
    ["cargo brings rustup", ".cargo/bin", [".cargo", ".rustup"]],
    ["a bin folder of the home itself brings nothing else", "bin", ["bin"]],
    [
      ".local brings programs and libraries, no data, and what its links point to",
      ".local/bin",
      [".local/bin", ".local/lib", "opt/tool-1/bin/tool"],
    ],
    ["what does not exist brings nothing", "nowhere/bin", []],
  ])("%s", (_, folder, expected) => {
    expect(inHome(`/usr/bin:${path.join(home, folder)}`).sort()).toEqual(expected.sort());
  });

  test.each([["the home folder"], ["a folder above it"], ["a relative entry"]])("%s on PATH shows nothing", (what) => {
    const entry = what === "the home folder" ? home : what === "a folder above it" ? base : "bin";
    expect(inHome(`${entry}:/usr/bin`)).toEqual([]);
  });

  test("credentials in a toolchain stay hidden", () => {
    expect(findToolchains({ ...boundary, path: path.join(home, ".cargo/bin") }).secrets).toContain(
      path.join(home, ".cargo/credentials.toml"),
    );
  });

  test("a git configuration is shown unless it holds a secret", () => {
    const file = path.join(home, ".gitconfig");
    writeFileSync(file, "[user]\n\tname = A\n");
    expect(inHome("/usr/bin")).toEqual([".gitconfig"]);
    writeFileSync(file, '[url "https://me:secret@example.com"]\n');
    expect(inHome("/usr/bin")).toEqual([]);
    rmSync(file);
  });
});

describe("mount plans", () => {
  const planOf = (changes: Partial<Boundary>): MountPlan => {
    const changed = { ...boundary, ...changes };
    const plan = new MountPlan(changed, changed.held ?? [], findToolchains(changed), new MountpointLocks());
    plan[Symbol.dispose]();
    return plan;
  };
  const mountsAt = (changes: Partial<Boundary>): Map<string, string> =>
    new Map(planOf(changes).mounts.map(({ at, kind }) => [at, kind]));

  test("allowed folders are writable, the home folder is empty, the rest is not there", () => {
    const mounts = mountsAt({});
    expect([mounts.get(work), mounts.get(home), mounts.get("/usr"), mounts.get("/tmp")]).toEqual([
      "writable",
      "fresh",
      "readable",
      "scratch",
    ]);
    for (const place of ["/", "/home", "/root", "/var", "/run", "/mnt", "/srv", base])
      expect(mounts.has(place)).toBe(false);
  });

  test("denied places are hidden, as what they are", () => {
    const mounts = mountsAt({ denied: [path.join(work, ".env"), path.join(work, "secret")] });
    expect([mounts.get(path.join(work, ".env")), mounts.get(path.join(work, "secret"))]).toEqual([
      "hidden-file",
      "hidden-folder",
    ]);
  });

  test("an exception inside a hidden folder stays hidden", () => {
    const mounts = mountsAt({ denied: [path.join(work, "secret")], readOnly: [path.join(work, "secret/key")] });
    expect(mounts.has(path.join(work, "secret/key"))).toBe(false);
  });

  test("what is absent is held at its first missing component, and only where it could be made", () => {
    const { mountpoints } = planOf({
      readOnly: [path.join(work, "x/y/z.toml"), path.join(base, "elsewhere/p.toml")],
    });
    expect(mountpoints).toEqual([{ path: path.join(work, "x"), content: undefined }]);
  });

  test("parents come before what lies in them", () => {
    const { mounts } = planOf({ denied: [path.join(work, "secret")] });
    for (const [index, mount] of mounts.entries()) {
      for (const later of mounts.slice(index + 1))
        expect(holds(later.at, mount.at) && later.at !== mount.at).toBe(false);
    }
  });

  test("a home folder that is allowed is not emptied", () => {
    expect(mountsAt({ writable: [home] }).get(home)).toBe("writable");
  });
});

describe("grants", () => {
  test("a folder without exceptions is granted whole", () => {
    expect(grantsOf(boundary).write).toContain(work);
  });

  test("a folder with one is granted entry by entry, links never", () => {
    const { write, read, list } = grantsOf({
      ...boundary,
      denied: [path.join(work, "secret/key")],
      readOnly: [path.join(work, "a.txt")],
    });
    expect(write.filter((file) => holds(work, file))).toEqual([path.join(work, ".env")]);
    expect(read).toContain(path.join(work, "a.txt"));
    expect(list.filter((file) => holds(work, file)).sort()).toEqual([work, path.join(work, "secret")].sort());
  });
});

describe("a Seatbelt profile", () => {
  const profile = seatbeltProfile(
    { ...boundary, denied: [path.join(work, 'a "quoted" \\ name')], readOnly: [path.join(work, "p.toml")] },
    "/private/tmp/s",
  );

  test("denies by default and allows what the boundary allows", () => {
    expect(profile).toStartWith("(version 1)\n(deny default)\n");
    expect(profile).toContain(`(allow file-write* (subpath "${work}") (subpath "/private/tmp/s"))`);
    expect(profile).not.toContain(`(subpath "${home}")`);
  });

  test("denies last, so that it wins", () => {
    expect(profile.indexOf("(deny file-write*")).toBeGreaterThan(profile.indexOf("(allow file-write*"));
    expect(profile.indexOf("(deny file-read*")).toBeGreaterThan(profile.indexOf("(allow file-read*"));
  });

  test("quotes what is special in its strings", () => {
    expect(profile).toContain(`(subpath "${work}/a \\"quoted\\" \\\\ name")`);
    expect([...profile].filter((char) => char === "(").length).toBe([...profile].filter((char) => char === ")").length);
  });

  test("opens the network only when asked to", () => {
    expect(profile).not.toContain("(allow network*)");
    expect(seatbeltProfile({ ...boundary, network: true }, "/s")).toContain("(allow network*)");
  });

  test("of each command denies writing what is held by then, and moving the folders above away", async () => {
    let held: readonly HeldPlace[] = [];
    const confinement = seatbeltConfinement(boundary, () => held);
    const profileOf = (open: readonly string[] = []): string => {
      const { argv } = confinement.wrap(["true"], { cwd: work, env: {}, scratch: "/s", firstFd: 3, open });
      return argv[2] ?? "";
    };
    expect(profileOf()).not.toContain(".git");
    const before = confinement.state?.();
    held = [{ path: path.join(work, "sub/.git/hooks"), absent: "folder" }];
    await confinement.prepare?.();
    expect(confinement.state?.()).not.toBe(before);
    expect(profileOf()).toContain(`(deny file-write* (subpath "${work}/sub/.git/hooks"))`);
    expect(profileOf()).toContain(
      `(deny file-write-unlink (literal "${work}/sub/.git") (literal "${work}/sub") (literal "${work}"))`,
    );
    expect(profileOf([path.join(work, "sub/.git/hooks")])).not.toContain(".git");
  });

  test("an unscoped one allows everything that is not denied", () => {
    expect(seatbeltProfile({ ...boundary, writable: [] }, "/s")).toContain('(allow file-write* (subpath "/"))');
  });
});

describe("descriptions", () => {
  test.each<[Mechanism]>([["bubblewrap"], ["namespaces"], ["landlock"], ["seatbelt"], ["none"]])(
    "%s says what holds and what does not",
    (mechanism) => {
      const description = describeSandbox(mechanism, boundary);
      expect(description.mechanism).toBe(mechanism);
      expect(description.enforces.length).toBeGreaterThan(0);
      const text = sandboxInstructions(description, boundary);
      expect(text.includes(work)).toBe(mechanism !== "none");
      expect(text.includes("network is off")).toBe(mechanism !== "none");
      expect(
        sandboxInstructions(describeSandbox(mechanism, { ...boundary, network: true }), { ...boundary, network: true }),
      ).not.toContain("network is off");
    },
  );

  test("a model is told only what it has", () => {
    const description = describeSandbox("bubblewrap", boundary);
    expect(sandboxInstructions(description, boundary)).toContain("run_in_background");
    expect(sandboxInstructions(description, boundary, { hasTasks: false })).not.toContain("run_in_background");
    const everything = sandboxInstructions(description, { ...boundary, writable: [] });
    expect(everything).toContain("read and write everything that is not denied");
    expect(everything).not.toContain("nothing else");
  });
});

const probe = await chooseSandbox(boundary, { mode: "auto", mechanisms: ["bubblewrap"] });
describe.skipIf(probe.mechanism === "none")(
  `in bubblewrap${probe.mechanism === "none" ? ` (skipped: ${probe.attempts[0]?.why})` : ""}`,
  () => {
    async function runIn(
      changes: Partial<Boundary>,
      texts: readonly string[],
      between: (index: number) => void | Promise<void> = () => undefined,
    ): Promise<string[]> {
      const changed = { ...boundary, ...changes };
      const sandbox = await chooseSandbox(changed, { mode: "require", mechanisms: ["bubblewrap"] });
      const host = new ProcessHost({ confinement: sandbox.confinement });
      const tags = host.newSession();
      const said: string[] = [];
      for (const [index, text] of texts.entries()) {
        await between(index);
        const command = {
          what: { kind: "shell", text },
          cwd: work,
          env: { PATH: changed.path, HOME: home },
          tags,
          nonce: "00000000",
          stdout: CAP,
          stderr: CAP,
        } as const;
        said.push((await host.run(command)).stdout.text);
      }
      await host.close();
      return said;
    }

    test("the network is there when it is allowed", async () => {
      using server = Bun.listen({
        hostname: "127.0.0.1",
        port: 0,
        socket: { data() {}, open: (socket) => void socket.end("hello") },
      });
      const text = `exec 5<>/dev/tcp/127.0.0.1/${server.port} && cat <&5`;
      expect(await runIn({ network: true }, [text])).toEqual(["hello"]);
      expect(await runIn({}, [text])).toEqual([""]);
    });

    test("unscoped, everything is there except what is denied", async () => {
      const outside = path.join(base, "outside.txt");
      const said = await runIn({ writable: [], denied: [path.join(work, ".env")] }, [
        `echo x > ${outside}; cat ${outside}; cat ${work}/.env; ps ax | wc -l`,
      ]);
      expect(said[0]).toMatch(/^x\n\s*[3-6]\n$/);
    });

    test("several folders, one inside the other, each as it should be", async () => {
      const inner = path.join(work, "secret");
      const said = await runIn({ readOnly: [inner] }, [
        "echo x > secret/new; echo y > own; cat own; ls secret; rm own",
      ]);
      expect(said).toEqual(["y\nkey\n"]);
    });

    test("a denied file that goes and comes back is denied all the time, and none is made in its place", async () => {
      const file = path.join(work, "goes");
      writeFileSync(file, "SECRET");
      const said = await runIn(
        { denied: [file] },
        ["cat goes", "cat goes; echo x > goes; true", "cat goes"],
        async (index) => {
          if (index === 1) rmSync(file);
          if (index === 2) {
            // What was mounted over goes when the last process of the command is gone, a moment after its answer.
            expect(await eventually(() => !existsSync(file))).toBe(true);
            writeFileSync(file, "SECRET");
          }
        },
      );
      expect(said).toEqual(["", "", ""]);
      rmSync(file);
    });

    test("a folder that was allowed and is gone does not stop commands elsewhere", async () => {
      const second = path.join(base, "second");
      mkdirSync(second);
      const said = await runIn({ writable: [work, second] }, ["echo 1", "echo 2"], (index) => {
        if (index === 1) rmSync(second, { recursive: true });
      });
      expect(said).toEqual(["1\n", "2\n"]);
    });

    test("names that look like options or hold blanks are paths", async () => {
      const odd = path.join(work, "--ro-bind a 'b' \"c\"\n");
      mkdirSync(odd);
      writeFileSync(path.join(odd, "f"), "SECRET");
      chmodSync(path.join(odd, "f"), 0o644);
      expect(await runIn({ denied: [path.join(odd, "f")], writable: [work, odd] }, ["cat -- */f"])).toEqual([""]);
      rmSync(odd, { recursive: true });
    });
  },
);
