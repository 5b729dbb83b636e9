import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { EngineError } from "../../src/engine-error.ts";
import { unconfined } from "../../src/process/sandbox-words.ts";
import { parseStat } from "@bosun/platform/process-tree";
import { shellAt } from "../../src/process/shell-words.ts";
import { ENV, eventually, openDeck } from "./fixture.ts";
import type { Run } from "../../src/process/command-checks.ts";
import type { Deck } from "./fixture.ts";

let deck: Deck;
beforeAll(() => {
  deck = openDeck();
});
afterAll(() => deck.close());

async function failure(start: Promise<unknown>): Promise<EngineError> {
  const error = await start.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof EngineError) return error;
  throw new Error(`expected an EngineError, got ${String(error)}`);
}

describe("the exit status is the command's own", () => {
  test.each<[string, string, number | null, string | null]>([
    ["zero", "true", 0, null],
    ["a failing command without exit", "false", 1, null],
    ["exit n", "exit 42", 42, null],
    ["exit above 128 is no signal", "exit 143", 143, null],
    ["the last of several", "true; false; (exit 7)", 7, null],
    ["set -e", "set -e; (exit 9); echo no", 9, null],
    ["a pipeline", "true | (exit 4)", 4, null],
    ["a syntax error", "if then", 2, null],
    ["not found", "no-such-program-here", 127, null],
    ["not executable", "/etc/passwd", 126, null],
    ["SIGKILL of the shell", "kill -KILL $$", null, "SIGKILL"],
    ["SIGTERM of the shell", "kill -TERM $$", null, "SIGTERM"],
    ["a real-time signal is not success", "kill -40 $$", null, "SIGRTMIN+6"],
    ["exec", "exec sh -c 'exit 5'", 5, null],
    ["a killed child is a status", "sh -c 'kill -KILL $$'", 137, null],
  ])("%s", async (_, text, exitCode, signal) => {
    const run = await deck.host.run(deck.shell(text));
    expect({ exitCode: run.exitCode, signal: run.signal }).toEqual({ exitCode, signal });
    expect(run.timedOut || run.cancelled).toBe(false);
  });
});

describe.each<[string, string, boolean]>([
  ["bash", "/bin/bash", false],
  ["a bash that was started ahead", "/bin/bash", true],
  ["sh", "/bin/sh", false],
])("the text reaches %s untouched", (_, file, ahead) => {
  let own: Deck;
  beforeAll(async () => {
    own = openDeck({ shell: shellAt(file), confinement: { ...unconfined, allowsPrestart: ahead } });
    await own.host.run(own.shell("true"));
  });
  afterAll(() => own.close());

  test.each<[string, string, string]>([
    ["a here-document that ends with its terminator", "cat <<X\nhello\nX", "hello\n"],
    ["a quoted here-document", "cat <<'X'\n$HOME `a`\nX", "$HOME `a`\n"],
    ["a trailing newline", "echo a\n", "a\n"],
    ["a trailing ampersand", "echo a &", "a\n"],
    ["a trailing comment", "echo a # and no more", "a\n"],
    ["a trailing backslash", "echo a\\", "a\\\n"],
    ["several lines", "echo a\necho b\n\n", "a\nb\n"],
    ["quotes of every kind", `echo 'a"b' "c'd" e\\ f`, `a"b c'd e f\n`],
    ["no positional parameters", 'echo "$#:$*:$1"', "0::\n"],
    ["stdin is at its end", "cat; echo done", "done\n"],
    ["stdin at its end for read", "read x || echo eof", "eof\n"],
    ["a carriage return is kept", "printf 'a\\r\\nb'", "a\r\nb"],
    ["blank lines and a missing final newline are kept", "printf '\\n\\na\\n\\n'", "\n\na\n\n"],
    ["dev stdout is a pipe", "echo x > /dev/stdout; test -p /dev/stdout && echo pipe", "x\npipe\n"],
    ["tee to dev stderr works", "echo x | tee /dev/stderr", "x\n"],
    [
      "the marker in output passes",
      "echo __BORIS_CWD__; echo __BORIS_CWD_c0ffee11__",
      "__BORIS_CWD__\n__BORIS_CWD_c0ffee11__\n",
    ],
    ["only three descriptors are inherited", "ls /proc/self/fd | wc -l", "4\n"], // and the one ls itself opens
    ["a subshell inherits none of ours either", "sh -c 'ls /proc/self/fd' | wc -l", "4\n"],
    ["tracing shows nothing of ours", "set -x; true", ""],
    ["no terminal", "test -t 0 || test -t 1 || echo none", "none\n"],
  ])("%s", async (_, text, stdout) => {
    const run = await own.host.run(own.shell(text));
    expect(run.stdout.text).toBe(stdout);
    if (text.startsWith("set -x")) expect(run.stderr.text).toMatch(/^\++ true\n$/);
  });

  test.each<[string, (folder: string) => string, (folder: string) => string | null]>([
    ["unchanged", () => "true", (f) => f],
    ["cd", () => "cd /usr", () => "/usr"],
    ["cd and exit n", () => "cd /usr; exit 3", () => "/usr"],
    ["cd and set -e abort", () => "set -e; cd /usr; false", () => "/usr"],
    ["cd and a failing last command", () => "cd /usr; false", () => "/usr"],
    ["cd and an unset variable", () => 'set -u; cd /usr; echo "$nope"', () => "/usr"],
    ["cd and trailing comment", () => "cd /usr # there", () => "/usr"],
    ["cd and a child in the background", () => "cd /usr; sleep 0.01 &", () => "/usr"],
    ["cd in a subshell does not count", () => "(cd /usr)", (f) => f],
    ["a syntax error", () => "cd /usr; if", (f) => f],
    ["exec leaves no record", () => "cd /usr; exec true", () => null],
    ["a killed shell leaves no record", () => "cd /usr; kill -KILL $$", () => null],
    ["own stdout redirected", () => "exec >/dev/null; cd /usr", () => "/usr"],
    ["a function called pwd", () => "pwd() { echo /lie; }; cd /usr", () => "/usr"],
    ["an exit trap of its own", () => "trap 'echo bye' EXIT; cd /usr", () => "/usr"],
    ["a name with newlines and blanks", (f) => `mkdir -p '${f}/a\n b '; cd '${f}/a\n b '`, (f) => `${f}/a\n b `],
    ["a name ending in a newline", (f) => `mkdir -p '${f}/e\n'; cd '${f}/e\n'`, (f) => `${f}/e\n`],
    [
      "the physical path of a link",
      (f) => `mkdir -p ${f}/real; ln -sfn real ${f}/link; cd ${f}/link`,
      (f) => `${f}/real`,
    ],
    // Where it was, so that the next command can say that it is gone.
    [
      "a directory that the command deletes",
      (f) => `mkdir ${f}/gone; cd ${f}/gone; rmdir ${f}/gone`,
      (f) => `${f}/gone`,
    ],
    ["a forged record", () => "cd /usr; printf '__BORIS_CWD_c0ffee11__\\n/etc\\n' >&3 2>/dev/null; true", () => "/usr"],
  ])("directory afterwards: %s", async (_, text, after) => {
    const run = await own.host.run(own.shell(text(own.folder)));
    expect(run.cwdAfter).toBe(after(own.folder));
  });

  test("a command longer than any argument runs from a script", async () => {
    const filler = `# ${"x".repeat(78)}\n`.repeat(4000);
    const run = await own.host.run(
      own.shell(`echo first\n${filler}cd /usr; echo "$#"; ls /proc/self/fd | wc -l; exit 6`),
    );
    expect(run).toMatchObject({ exitCode: 6, cwdAfter: "/usr", stdout: { text: "first\n0\n4\n" } });
  });

  test.each([131_070, 131_071, 131_072])("a command of %d bytes runs", async (bytes) => {
    const text = `echo ok #${"x".repeat(bytes - 9)}`;
    expect(Buffer.byteLength(text)).toBe(bytes);
    expect((await own.host.run(own.shell(text))).stdout.text).toBe("ok\n");
  });
});

describe("streams", () => {
  test("are separate", async () => {
    const run = await deck.host.run(deck.shell("echo out; echo err >&2"));
    expect([run.stdout.text, run.stderr.text]).toEqual(["out\n", "err\n"]);
  });

  test("merge in the order they were written", async () => {
    const text = "for i in 1 2 3 4 5 6 7 8 9; do echo o$i; echo e$i >&2; done";
    const run = await deck.host.run(deck.shell(text, { merge: true }));
    const lines = Array.from({ length: 9 }, (_, i) => `o${i + 1}\ne${i + 1}\n`);
    expect([run.stdout.text, run.stderr.text]).toEqual([lines.join(""), ""]);
  });

  test("are handed on while the command runs", async () => {
    const seen: string[] = [];
    const onOutput = (stream: string, chunk: Uint8Array): void =>
      void seen.push(`${stream}:${Buffer.from(chunk).toString()}`);
    await deck.host.run(deck.shell("echo a; echo b >&2", { onOutput }));
    expect(seen.sort()).toEqual(["stderr:b\n", "stdout:a\n"]);
  });

  test("a line of many megabytes is like any output", async () => {
    const run = await deck.host.run(deck.shell("head -c 5000000 /dev/zero | tr '\\0' x"));
    expect(run.stdout).toMatchObject({ totalBytes: 5_000_000, totalChars: 5_000_000, cut: true, binary: false });
    expect(run.stdout.text).toBe("x".repeat(30_000));
  });

  test("characters split over chunks stay whole and are counted once", async () => {
    const run = await deck.host.run(
      deck.shell(String.raw`printf '\xf0\x9f'; sleep 0.05; printf '\x98\x80é'; printf '\xff\x00'`),
    );
    expect(run.stdout).toMatchObject({ text: "😀é\u{FFFD}\u{FFFD}", totalChars: 4, totalBytes: 8, binary: true });
  });

  test("nothing a shell wrote just before its end is lost", async () => {
    for (let i = 0; i < 40; i++) {
      const run = await deck.host.run(
        deck.shell("head -c 60000 /dev/zero | tr '\\0' y", { stdout: { cap: { max: 70_000, unit: "bytes" } } }),
      );
      expect(run.stdout.totalBytes).toBe(60_000);
    }
  });
});

describe("what cannot start says why and runs nothing", () => {
  test.each<[string, () => Promise<unknown>, string, string | undefined, RegExp]>([
    ["blank text", () => deck.host.run(deck.shell(" \n\t")), "EMPTY_COMMAND", undefined, /must not be empty/],
    ["no words", () => deck.host.run(deck.argv([])), "EMPTY_COMMAND", undefined, /must not be empty/],
    ["NUL in the text", () => deck.host.run(deck.shell("echo a\0b")), "START_FAILED", "argument", /NUL/],
    ["NUL in an argument", () => deck.host.run(deck.argv(["echo", "a\0"])), "START_FAILED", "argument", /NUL/],
    [
      "NUL in the environment",
      () => deck.host.run(deck.shell("true", { env: { ...ENV, X: "\0" } })),
      "START_FAILED",
      "argument",
      /NUL/,
    ],
    [
      "a missing directory",
      () => deck.host.run(deck.shell("touch x", { cwd: "/no/such" })),
      "START_FAILED",
      "cwd",
      /\/no\/such no longer exists/,
    ],
    [
      "a file as directory",
      () => deck.host.run(deck.shell("true", { cwd: "/etc/passwd" })),
      "START_FAILED",
      "cwd",
      /not a directory/,
    ],
    [
      "a missing program",
      () => deck.host.run(deck.argv(["no-such-program"])),
      "START_FAILED",
      "program",
      /not installed/,
    ],
    ["a program by relative path", () => deck.host.run(deck.argv(["./x"])), "START_FAILED", "program", /not installed/],
    [
      "arguments too large",
      () => deck.host.run(deck.argv(["echo", "x".repeat(200_000)])),
      "START_FAILED",
      "argument",
      /too large/,
    ],
  ])("%s", async (_, start, code, reason, message) => {
    const error = await failure(start());
    expect([error.code, error.details.reason]).toEqual([code as typeof error.code, reason]);
    expect(error.message).toMatch(message);
  });

  test.each([["/no/such/shell"], ["/etc/passwd"]])("shell %s", async (file) => {
    const own = openDeck({ shell: shellAt(file) });
    expect(await failure(own.host.run(own.shell("true")))).toMatchObject({
      code: "START_FAILED",
      details: { reason: "program" },
    });
    await own.close();
  });

  test("too many open files, and the host survives it", async () => {
    // In a process of its own: the limit is the process's.
    const script = path.join(import.meta.dir, "few-descriptors.ts");
    const child = Bun.spawn(["sh", "-c", 'ulimit -n 64; exec "$@"', "sh", process.execPath, script], {
      stdout: "pipe",
      stderr: "pipe",
    });
    const said = await new Response(child.stdout).text();
    expect({ said, errors: await new Response(child.stderr).text() }).toEqual({
      said: "refused then ran\n",
      errors: "",
    });
  });
});

describe("an argument vector", () => {
  test("meets no shell grammar", async () => {
    const run = await deck.host.run(deck.argv(["printf", "%s|", "$HOME", "`id`", "a b", "; echo x", "*"]));
    expect(run).toMatchObject({ exitCode: 0, cwdAfter: null, stdout: { text: "$HOME|`id`|a b|; echo x|*|" } });
  });

  test("reports status and signal", async () => {
    expect(await deck.host.run(deck.argv(["sh", "-c", "exit 3"]))).toMatchObject({ exitCode: 3, signal: null });
    expect(await deck.host.run(deck.argv(["sh", "-c", "kill -SEGV $$"]))).toMatchObject({
      exitCode: null,
      signal: "SIGSEGV",
    });
  });

  test("is not looked up beside the files it works on", async () => {
    writeFileSync(path.join(deck.folder, "evil-tool"), "#!/bin/sh\necho evil\n", { mode: 0o755 });
    const env = { ...ENV, PATH: `.::${path.relative("/", deck.folder)}:/usr/bin:/bin` };
    expect(await failure(deck.host.run(deck.argv(["evil-tool"], { env })))).toMatchObject({
      details: { reason: "program" },
    });
  });
});

test("the directory is entered, not spelled: odd names work", async () => {
  const odd = path.join(deck.folder, 'a\'b "c" $(x)\n;d');
  mkdirSync(odd);
  expect(await deck.host.run(deck.shell("pwd -P", { cwd: odd }))).toMatchObject({
    cwdAfter: odd,
    stdout: { text: `${odd}\n` },
  });
});

test("a directory that went away runs nothing, also not the later parts", async () => {
  const gone = realpathSync(mkdtempSync(path.join(tmpdir(), "gone-")));
  rmSync(gone, { recursive: true });
  const witness = path.join(deck.folder, "witness");
  await failure(deck.host.run(deck.shell(`true; touch ${witness}`, { cwd: gone })));
  expect(existsSync(witness)).toBe(false);
});

test("an unreadable directory is named as such", async () => {
  if (process.getuid?.() === 0) return; // root enters anything
  const closed = path.join(deck.folder, "closed");
  mkdirSync(closed, { mode: 0o000 });
  expect((await failure(deck.host.run(deck.shell("true", { cwd: closed })))).message).toContain("cannot be entered");
  chmodSync(closed, 0o700);
});

test("children see the listed environment and nothing of ours", async () => {
  process.env["BOSUN_TEST_SECRET"] = "sk-abcdef";
  const run = await deck.host.run(deck.shell("env; echo; tr '\\0' '\\n' < /proc/$$/environ"));
  delete process.env["BOSUN_TEST_SECRET"];
  expect(run.stdout.text).not.toContain("sk-abcdef");
  const names = run.stdout.text.split("\n").flatMap((line) => /^([A-Za-z_]+)=/.exec(line)?.[1] ?? []);
  expect([...new Set(names)].sort()).toEqual(["BOSUN_CALL", "HOME", "LANG", "PATH", "PWD", "SHLVL", "_"]);
});

test("resource use is reported", async () => {
  const run = await deck.host.run(deck.shell("i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done"));
  expect((run.usage?.userMs ?? 0) + (run.usage?.systemMs ?? 0)).toBeGreaterThan(0);
  expect(run.durationMs).toBeGreaterThan(0);
});

test("memory is reported when it is the command's own, not ours", async () => {
  expect((await deck.host.run(deck.shell("true"))).usage?.maxRssBytes).toBeUndefined();
  const bytes = process.resourceUsage().maxRSS * 1024 + 100 * 1024 * 1024;
  const run = await deck.host.run(deck.shell(`v=$(head -c ${bytes} /dev/zero | tr '\\0' x); echo \${#v}`));
  expect(Number(run.stdout.text)).toBe(bytes);
  expect(run.usage?.maxRssBytes).toBeGreaterThan(bytes);
});

test("two hundred commands at once each get their own answer", async () => {
  const runs = await Promise.all(
    Array.from({ length: 200 }, (_, i) =>
      deck.host.run(deck.shell(`cd /usr; sleep 0.2; echo out${i}; echo err${i} >&2; exit ${i % 50}`)),
    ),
  );
  runs.forEach((run, i) => {
    expect(run).toMatchObject({
      exitCode: i % 50,
      cwdAfter: "/usr",
      stdout: { text: `out${i}\n` },
      stderr: { text: `err${i}\n` },
    });
  });
});

test("descriptors do not pile up", async () => {
  const count = (): number => readdirSync("/proc/self/fd").length;
  await Promise.all(Array.from({ length: 30 }, () => deck.host.run(deck.shell("true"))));
  // Shells that wait hold descriptors, too: all three are there at the first count.
  expect(await eventually(() => childrenOf(process.pid).filter(isWaiting).length >= 3)).toBe(true);
  const before = count();
  for (let i = 0; i < 60; i++) await deck.host.run(deck.shell("echo x; echo y >&2"));
  expect(await eventually(() => count() <= before + 4)).toBe(true);
});

test("what a burst of commands held is given back", async () => {
  const own = openDeck();
  const count = (): number => readdirSync("/proc/self/fd").length;
  const burst = (size: number) => Promise.all(Array.from({ length: size }, () => own.host.run(own.shell("sleep 0.2"))));
  await burst(20);
  const before = count();
  await burst(120);
  // Forty idle pipes at most, of the 240 that were needed.
  expect(await eventually(() => count() <= before + 40)).toBe(true);
  await own.close();
});

test("the host's folder is gone when it is closed, also while sessions end", async () => {
  for (let round = 0; round < 10; round += 1) {
    const own = openDeck({ confinement: { ...unconfined } });
    const sessions = Array.from({ length: 6 }, () => own.host.newSession());
    const fill = 'for one in "$HOST"/tmp-*; do mkdir -p "$one/a/b/c/d"; touch "$one/1" "$one/2" "$one/a/3"; done';
    await Promise.all(sessions.map((tags) => own.host.run(own.shell("true", { tags }))));
    await own.host.run(own.shell(fill, { env: { ...ENV, HOST: own.host.folder } }));
    const ending = sessions.map((tags) => own.host.endSession(tags));
    await own.host.close();
    expect(existsSync(own.host.folder)).toBe(false);
    await Promise.all(ending);
    await own.close();
  }
});

describe("a shell that is started ahead", () => {
  let own: Deck;
  beforeAll(() => {
    own = openDeck({ confinement: { ...unconfined, allowsPrestart: true } });
  });
  afterAll(() => own.close());
  test("is used by the next command, and looks like a fresh one to it", async () => {
    const look =
      'echo "$#|$0|$PWD|${OLDPWD-none}|$SECONDS|$-|$SHLVL"; set | grep -c bosun; trap -p DEBUG; env | sort | cut -d= -f1 | tr "\\n" " "; ls /proc/self/fd | wc -l; ulimit -a | grep -v locks';
    const cold = await own.host.run(own.shell(look));
    await Bun.sleep(100); // shells are started ahead in this time, unseen from here
    const waiting = childrenOf(process.pid).filter(isWaiting);
    const used = await own.host.run(own.shell("echo $$"));
    expect(waiting).toContain(Number(used.stdout.text));
    const warm = await own.host.run(own.shell(look));
    expect(warm.stdout.text.replace(/\n\d+\n/, "\n")).toBe(cold.stdout.text.replace(/\n\d+\n/, "\n"));
  });

  test("is not used by a command that has a protected place opened", async () => {
    await own.host.run(own.shell("true"));
    let waiting: number[] = [];
    expect(await eventually(() => (waiting = childrenOf(process.pid).filter(isWaiting)).length > 0)).toBe(true);
    const cold = await own.host.run(own.shell("echo $$", { open: ["/w/.git/config"] }));
    expect(waiting).not.toContain(Number(cold.stdout.text));
    const warm = await own.host.run(own.shell("echo $$", { open: [] }));
    expect(waiting).toContain(Number(warm.stdout.text));
  });

  test.each([
    ["a command that is not found", "no-such-command-here; echo $?"],
    ["a syntax error", "echo a; if"],
    ["an unset variable", 'set -u; echo "$nope"'],
    [
      "options, parameters, variables of the shell",
      'echo "$-|$#|$0|$_|$!|$BASH_SUBSHELL|$SHLVL|$LINENO|${FUNCNAME-}"; shopt',
    ],
    ["traps, functions and jobs", "trap | wc -l; declare -F; jobs; set -o"],
    ["a status of its own", "(exit 7)"],
    ["a signal", "kill -TERM $$"],
    ["reading what is not there", "read -r x; echo $?; cat"],
    ["characters of every kind", "printf '%s' 'ä\u{1f600}\\ $x `y` \t'; printf '\n\n'"],
  ])("says the same as one from nothing: %s", async (_, text) => {
    const cold = await own.host.run(own.shell(text, { tags: own.host.newSession() }));
    await own.host.run(own.shell("true"));
    await eventually(() => childrenOf(process.pid).some(isWaiting));
    const warm = await own.host.run(own.shell(text));
    const facts = ({ exitCode, signal, stdout, stderr, cwdAfter }: Run) => ({
      exitCode,
      signal,
      cwdAfter,
      stdout,
      stderr,
    });
    expect(facts(warm)).toEqual(facts(cold));
  });

  test("has the limits of its command", async () => {
    const limits = { fileBytes: 4096 };
    const session = own.host.newSession();
    for (let i = 0; i < 2; i++) {
      const run = await own.host.run(own.shell("ulimit -f", { tags: session, limits }));
      expect(run.stdout.text).toBe("4\n");
      await Bun.sleep(100); // shells are started ahead in this time, unseen from here
    }
    expect((await own.host.run(own.shell("ulimit -f", { tags: session }))).stdout.text).toBe("unlimited\n");
  });

  test("is not told more than it can read at once", async () => {
    await own.host.run(own.shell("true"));
    await eventually(() => childrenOf(process.pid).some(isWaiting));
    for (const bytes of [1000, 16_000, 17_000, 70_000]) {
      const text = `echo ${"x".repeat(bytes)} | wc -c`;
      expect((await own.host.run(own.shell(text))).stdout.text.trim()).toBe(String(bytes + 1));
    }
  });

  test("is not used for another environment, other streams, or a vector", async () => {
    await own.host.run(own.shell("true"));
    expect((await own.host.run(own.shell('echo "$OWN"', { env: { ...ENV, OWN: "1" } }))).stdout.text).toBe("1\n");
    await own.host.run(own.shell("true"));
    expect((await own.host.run(own.shell("echo a; echo b >&2", { merge: true }))).stdout.text).toBe("a\nb\n");
    await own.host.run(own.shell("true"));
    expect((await own.host.run(own.argv(["echo", "v"]))).stdout.text).toBe("v\n");
  });

  test("that died while it waited is not missed", async () => {
    await own.host.run(own.shell("true"));
    // Again and again: some may still be on their way.
    const areDead = (): boolean => {
      const waiting = childrenOf(process.pid).filter(isWaiting);
      for (const pid of waiting) process.kill(pid, "SIGKILL");
      return waiting.length === 0;
    };
    expect(await eventually(areDead)).toBe(true);
    expect(await own.host.run(own.shell("exit 5"))).toMatchObject({ exitCode: 5, signal: null });
  });

  test("ends with its session and with the host", async () => {
    // By a variable of their own: the shells of other hosts may still be on their way.
    const env = { ...ENV, OWN: "ends-with-its-session" };
    const isOwn = (pid: number): boolean => isWaiting(pid) && environOf(pid).includes("OWN=ends-with-its-session");
    const own = (): number[] => childrenOf(process.pid).filter(isOwn);
    const more = openDeck({ confinement: { ...unconfined, allowsPrestart: true } });
    const tags = more.host.newSession();
    await more.host.run(more.shell("true", { tags, env }));
    await more.host.run(more.shell("true", { env }));
    expect(await eventually(() => own().length === 6)).toBe(true); // three each
    await more.host.endSession(tags);
    expect(await eventually(() => own().length === 3)).toBe(true);
    await more.close();
    expect(own()).toEqual([]);
  });

  test("is not started for a session that ended at once", async () => {
    const others = new Set(childrenOf(process.pid).filter(isWaiting));
    const tags = own.host.newSession();
    const run = own.host.run(own.shell("true", { tags }));
    await Promise.all([run, own.host.endSession(tags)]);
    await Bun.sleep(100); // shells are started ahead in this time, unseen from here
    expect(childrenOf(process.pid).filter((pid) => isWaiting(pid) && !others.has(pid))).toEqual([]);
  });
});

function childrenOf(pid: number): number[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${Number(name)}/stat`, "latin1");
      return parseStat(Number(name), stat)?.parent === pid ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

function environOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return "";
  }
}

function isWaiting(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("__bosun <&4");
  } catch {
    return false;
  }
}
