// Ordinary work that must look the same inside the sandbox and outside it, as commands with the same output each time.
// Knows no test runner: the table is also printed by a script.

export type Work = {
  readonly name: string;
  /** Programs without which it cannot be tried. */
  readonly needs: readonly string[];
  readonly command: string;
  /** What must be in the output in any case: the same failure on both sides is no success. */
  readonly says: string;
  /** It has a folder and a server of its own, and this is done in the folder before the server starts. */
  readonly before?: string;
  /** What is said inside may differ, and must be this: a person's own places are not changed without being asked. */
  readonly inside?: RegExp;
};

const GIT = "git -c user.name=A -c user.email=a@b.c -c init.defaultBranch=main -c commit.gpgsign=false";
const PACKAGE =
  '{"name":"x","version":"1.0.0","scripts":{"test":"node --test --test-reporter=tap t.mjs | grep -c ^ok"}}';
const TEST = 'import test from "node:test"; test("a", () => {}); test("b", () => {});';
const DEV_SERVER = `
import { createServer } from "node:http";
const server = createServer((_, answer) => answer.end("served")).listen(0, "127.0.0.1", async () => {
  const answer = await fetch("http://127.0.0.1:" + server.address().port);
  console.log(answer.status, await answer.text());
  server.close();
});`;
const WATCH = `
import { watch, writeFileSync } from "node:fs";
const watcher = watch(".", (_, name) => { if (name === "seen") { console.log("saw", name); watcher.close(); process.exit(0); } });
setTimeout(() => writeFileSync("seen", "x"), 50);
setTimeout(() => process.exit(1), 8000);`;

/** Makes a package without anything from outside. */
const WHEEL = Buffer.from(
  `import zipfile
with zipfile.ZipFile("demo-1.0-py3-none-any.whl", "w") as z:
    z.writestr("demo.py", 'said = "from a wheel"')
    z.writestr("demo-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: demo\\nVersion: 1.0\\n")
    z.writestr("demo-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    z.writestr("demo-1.0.dist-info/RECORD", "")
`,
).toString("base64");
/** What refuses to make a project where there is something. */
const SCAFFOLD = `#!/usr/bin/env node
const fs = require("fs");
if (fs.readdirSync(".").length > 0) { console.log("not empty:", fs.readdirSync(".").join()); process.exit(1); }
fs.writeFileSync("index.js", "");
console.log("scaffolded");`;

export const WORK: readonly Work[] = [
  {
    name: "git add -A at the top of the folder",
    needs: ["git"],
    command: `cd .. && touch top && ${GIT} init -q . && git add -A && git status --short && ${GIT} commit -qm top && ${GIT} stash -u && git clean -qn; t=$(mktemp -d) && cp -r . $t/copy && tar cf $t/t.tar . && find . -type f | grep -v '/[.]git/'; rm -rf .git top $t`,
    says: "A  top",
  },
  {
    name: "git: init, add, commit, branch, merge, log",
    needs: ["git"],
    command: `${GIT} init -q . && echo a > f && git add f && ${GIT} commit -qm one && git switch -qc side && echo b >> f && ${GIT} commit -qam two && git switch -q main && ${GIT} merge -q side && git log --format=%s && git status --short`,
    says: "two\none",
  },
  {
    name: "git: stash, worktree, hooks, diff",
    needs: ["git"],
    command: `${GIT} init -q . && echo a > f && git add f && printf '#!/bin/sh\\necho hook ran\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit && ${GIT} commit -qm one 2>&1 && echo b >> f && ${GIT} stash -q && git diff --stat && git worktree add -q tree 2>&1 && ls tree`,
    says: "hook ran",
  },
  {
    name: "npm test",
    needs: ["npm", "node"],
    command: `printf '%s' '${PACKAGE}' > package.json && printf '%s' '${TEST}' > t.mjs && npm test --silent`,
    says: "2",
  },
  {
    name: "npm install of a local package, and its program",
    needs: ["npm", "node"],
    command: `mkdir dep && printf '%s' '{"name":"dep","version":"1.0.0","bin":"b.js"}' > dep/package.json && printf '#!/usr/bin/env node\\nconsole.log("dep runs")' > dep/b.js && printf '%s' '{"name":"x","version":"1.0.0"}' > package.json && npm install --offline --no-audit --no-fund --silent ./dep && npx --offline dep && ls node_modules`,
    says: "dep runs\ndep",
  },
  {
    name: "python venv",
    needs: ["python3"],
    command: `python3 -m venv --without-pip .venv && . .venv/bin/activate && python -c 'import sys; print(sys.prefix != sys.base_prefix)' && python -c 'import json; print(json.dumps([1]))'`,
    says: "True",
  },
  {
    name: "python: processes and shared memory",
    needs: ["python3"],
    command: `printf 'from multiprocessing import Pool\\ndef f(x): return x * x\\nif __name__ == "__main__":\\n  with Pool(2) as p: print(p.map(f, [1, 2, 3]))\\n' > p.py && python3 p.py`,
    says: "[1, 4, 9]",
  },
  {
    name: "make with a compiler",
    needs: ["make", "gcc"],
    command: `printf '#include <stdio.h>\\nint main(void){puts("built");return 0;}' > m.c && printf 'm: m.c\\n\\tgcc -O1 m.c -o m\\n' > Makefile && make -s -j2 m && ./m && make -s m && make -q m && echo fresh`,
    says: "built\nfresh",
  },
  {
    name: "a dev server on loopback, inside one call",
    needs: ["node"],
    command: `printf '%s' '${DEV_SERVER}' > s.mjs && node s.mjs`,
    says: "200 served",
  },
  {
    name: "a dev server in the background of one call",
    needs: ["python3"],
    command: `echo hello > page && python3 -m http.server 8437 --bind 127.0.0.1 >/dev/null 2>&1 & sleep 0.2; for i in $(seq 50); do python3 -c 'import urllib.request as u; print(u.urlopen("http://127.0.0.1:8437/page").read().decode().strip())' 2>/dev/null && break; sleep 0.2; done; kill %1`,
    says: "hello",
  },
  {
    name: "temporary files, by shell, node and python",
    needs: ["node", "python3"],
    command: `f=$(mktemp) && echo t > "$f" && cat "$f" && rm "$f" && d=$(mktemp -d) && touch "$d/x" && ls "$d" && node -p 'const fs = require("fs"), p = fs.mkdtempSync(require("os").tmpdir() + "/n-"); fs.existsSync(p)' && python3 -c 'import tempfile; print(tempfile.TemporaryFile().write(b"abc"))'; f=/tmp/named-$$; echo z > $f && cat $f && rm $f`,
    says: "t\nx\ntrue\n3\nz",
  },
  {
    name: "colour",
    needs: ["git"],
    command: `printf '\\033[31mred\\033[0m\\n' && mkdir d && ls --color=always -d d | od -c | head -1 && ${GIT} init -q . && git -c color.ui=always status --short && echo x | grep --color=always x | od -c | head -1`,
    says: "\u001b[31mred\u001b[0m",
  },
  {
    name: "a tool under the home folder",
    needs: [],
    command: "home-tool && command -v home-tool | sed 's/.*home/home/'",
    says: "tool of the home",
  },
  {
    name: "who and where one is",
    needs: [],
    command: `id -un; [ -d "$HOME" ] && echo home; pwd | grep -c /; date -u -d @0 +%Y; locale 2>/dev/null | head -1`,
    says: "home\n1\n1970",
  },
  {
    name: "editing in place, archives, searching",
    needs: ["tar", "gzip"],
    command:
      "seq 5 > f && sed -i 's/3/three/' f && sort -r f > g && tar czf a.tgz f g && rm f g && tar xzf a.tgz && grep -n three f g && find . -name '*.tgz' | xargs ls",
    says: "f:3:three",
  },
  {
    name: "links, modes, odd names",
    needs: [],
    command: `echo x > 'a b é' && ln -s 'a b é' l && ln 'a b é' h && chmod 640 h && stat -c '%a %h' h && cat l && readlink l && mkdir -p deep/er && mv h deep/er/ && ls -R deep`,
    says: "640 2\nx\na b é",
  },
  {
    name: "pipes, jobs, signals, locks",
    needs: ["flock"],
    command: `(sleep 0.1; echo b) & echo a; wait; trap 'echo term' TERM; kill -TERM $$; flock l echo locked; mkfifo p; (echo through > p &) ; cat p; echo x > /dev/stdout; echo e > /dev/stderr; cat <(echo sub) <<< here; timeout 0.1 sleep 5; echo $?`,
    says: "a\nb\nterm\nlocked\nthrough\nx\nsub\n124",
  },
  {
    name: "a terminal of its own",
    needs: ["python3"],
    command: `python3 -c 'import pty; pty.spawn(["sh", "-c", "test -t 1 && echo terminal; stty size >/dev/null && echo sized"])' < /dev/null`,
    says: "terminal",
  },
  {
    name: "a socket in the folder",
    needs: ["python3"],
    command: `python3 -c 'import socket, threading\ns = socket.socket(1); s.bind("u.sock"); s.listen()\nthreading.Thread(target=lambda: s.accept()[0].send(b"pong")).start()\nc = socket.socket(1); c.connect("u.sock"); print(c.recv(9).decode())'`,
    says: "pong",
  },
  {
    name: "watching files",
    needs: ["node"],
    command: `printf '%s' '${WATCH}' > w.mjs && node w.mjs`,
    says: "saw seen",
  },
  {
    name: "databases in a file",
    needs: ["python3"],
    command: `python3 -c 'import sqlite3; c = sqlite3.connect("d.db"); c.execute("create table t(x)"); c.execute("insert into t values (7)"); c.commit(); print(c.execute("select x from t").fetchall())'`,
    says: "[(7,)]",
  },
  {
    name: "its own processes",
    needs: ["ps"],
    command: `sleep 5 & p=$!; sleep 0.3; ps -p $p -o comm= ; kill $p; wait $p 2>/dev/null; echo $?; nproc | grep -c '[0-9]'; ulimit -n | grep -c '[0-9u]'`,
    says: "sleep\n143\n1\n1",
  },
  {
    name: "random numbers, zeros, nothing",
    needs: [],
    command:
      "head -c 8 /dev/urandom | wc -c; head -c 3 /dev/zero | od -An -tx1; cat /dev/null | wc -c; : > /dev/full || echo full; echo x > /dev/full 2>/dev/null || echo full",
    says: "8\n 00 00 00\n0",
  },
  {
    name: "git commit with hooks present, branch, merge, tag, gc",
    needs: ["git"],
    before: `${GIT} init -q . && printf '#!/bin/sh\necho hook ran\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit`,
    command: `echo a > f && git add f && ${GIT} commit -qm one 2>&1 && git switch -qc side && echo b >> f && ${GIT} commit -qam two 2>&1 && git switch -q main && ${GIT} merge -q side && git tag v1 && git gc -q && git log --format=%s && git status --short`,
    says: "hook ran\nhook ran\ntwo\none",
  },
  {
    name: "git clone X . at the top of the folder",
    needs: ["git"],
    before: "true",
    command: `t=$(mktemp -d) && ${GIT} init -q $t/src && echo a > $t/src/f && git -C $t/src add f && ${GIT} -C $t/src commit -qm one && git clone -q $t/src . && ls -A && git log --format=%s`,
    says: ".git\nf\none",
  },
  {
    name: "git clean -fdx, and removing everything",
    needs: ["git"],
    before: `${GIT} init -q . && echo x > .gitignore && ${GIT} add . && ${GIT} commit -qm one`,
    command: "mkdir -p d/e && touch x d/e/f && git clean -fdxq && ls -A && rm -rf ./* .gitignore && ls -A",
    says: ".git\n.gitignore\n.git",
  },
  {
    name: "an empty folder looks empty, and can be emptied again",
    needs: [],
    before: "true",
    command: "ls -A | wc -l; mkdir d; touch a .b d/c; rm -rf ./* ./.b; ls -A | wc -l",
    says: "0\n0",
  },
  {
    name: "python -m venv && pip install, with .venv/bin on PATH",
    needs: ["python3"],
    before: "mkdir -p .venv/bin node_modules/.bin",
    command: `python3 -m venv .venv && echo ${WHEEL} | base64 -d | python3 - && pip install --quiet --no-index --disable-pip-version-check ./demo-1.0-py3-none-any.whl && python -c 'import demo; print(demo.said)' && command -v pip | sed 's/.*work/work/'`,
    says: "from a wheel\nwork/.venv/bin/pip",
  },
  {
    name: "npm install with husky",
    needs: ["git", "npm", "node"],
    before: `${GIT} init -q . && mkdir vendor && cp -r "$HUSKY" vendor/husky && printf '%s' '{"name":"x","version":"1.0.0","scripts":{"prepare":"husky"},"devDependencies":{"husky":"file:vendor/husky"}}' > package.json`,
    command:
      "npm install --offline --no-audit --no-fund --no-update-notifier --loglevel=error --foreground-scripts 2>&1 | grep -v '^$' | tail -4; echo status $?; ls node_modules/.bin",
    says: "status 0\nhusky",
    inside: /could not write config file \S*\.git\/config[^]*status 0\nhusky/,
  },
  {
    name: "npm create in an empty folder (npm exec create-demo)",
    needs: ["npm", "node"],
    before: "true",
    command: `t=$(mktemp -d)/create-demo && mkdir $t && printf '%s' '{"name":"create-demo","version":"1.0.0","bin":"c.js"}' > $t/package.json && printf '%s' '${SCAFFOLD}' > $t/c.js && chmod +x $t/c.js && npm exec --yes --offline --no-update-notifier --loglevel=error --package="file:$t" -- create-demo 2>&1 | tail -2 && ls -A`,
    says: "scaffolded\nindex.js",
  },
];

/** Root inside is no root: it must be said, at once, whatever it is outside. */
export const SUDO =
  "if command -v sudo >/dev/null; then timeout 5 sudo -n true 2>/dev/null; else false; fi; echo status $?";
