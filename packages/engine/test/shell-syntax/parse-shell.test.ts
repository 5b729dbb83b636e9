import { describe, expect, test } from "bun:test";
import { parseShell } from "../../src/shell-syntax/grammar.ts";
import { HIDDEN_RM } from "./hidden-commands.ts";
import type { ShellSyntax, SimpleCommand } from "../../src/shell-syntax/simple-command.ts";

function commandsOf(syntax: ShellSyntax): readonly SimpleCommand[] {
  if (syntax.kind === "unparsable") throw new Error(`unparsable: ${syntax.reason}`);
  return syntax.commands;
}

/** Programs by static name, without their folder; "?" for one that only the shell will know. */
function programs(text: string): string[] {
  return commandsOf(parseShell(text)).flatMap(({ words: [program] }) =>
    program === undefined ? [] : [typeof program === "string" ? program.slice(program.lastIndexOf("/") + 1) : "?"],
  );
}

function writes(text: string): string[] {
  return commandsOf(parseShell(text)).flatMap(({ redirects }) =>
    redirects.flatMap(({ access, target }) => (access === "write" ? [typeof target === "string" ? target : "?"] : [])),
  );
}

describe("a hidden rm is found", () => {
  test.each(HIDDEN_RM)("%s", (_, text) => {
    expect(programs(text)).toContain("rm");
  });
});

describe("what only the shell will know is marked", () => {
  test.each<[string, string]>([
    ["a variable as program", "$x -rf /"],
    ["a quoted variable as program", '"$x" -rf /'],
    ["part of a program", "r$x -rf /"],
    ["field splitting", "X=$IFS; rm${IFS}-rf${IFS}/"],
    ["a glob as program", "/bin/r? -rf /"],
    ["a bracket glob as program", "/bin/[r]m -rf /"],
    ["braces as program", "{rm,-rf,/}"],
    ["a substitution as program", "$(echo rm) -rf /"],
    ["a translated string", '$"rm" -rf /'],
    ["a home folder as program", "~/rm -rf /"],
    ["positional parameters", "set -- rm -rf /; $@"],
    ["indirect expansion", "x=rm; ${!y} -rf /"],
    ["a loop variable", "for c in rm; do $c -rf /; done"],
  ])("%s", (_, text) => {
    expect(programs(text)).toContain("?");
  });
});

describe("what cannot be understood is unparsable, never empty", () => {
  test.each<[string, string]>([
    ["an open quote", 'echo "a'],
    ["an open single quote", "echo 'a"],
    ["an open substitution", "echo $(rm"],
    ["an open backtick", "echo `rm"],
    ["an open group", "{ rm"],
    ["an open if", "if true; then rm"],
    ["a stray done", "done"],
    ["a stray bracket", "rm )"],
    ["two separators", "a ;; b"],
    ["a redirect to nothing", "echo >"],
    ["NUL", "echo a\0b"],
    ["too long", `echo ${"x".repeat(140_000)}`],
    ["too many commands", "a;".repeat(5000)],
    ["nested too deeply", `${"$(".repeat(400)}rm${")".repeat(400)}`],
    ["a test on code in quotes", "[[ -v 'a[$(rm)]' ]]"],
    ["a comparison of code in quotes", "[[ 'a[$(rm)]' -eq 1 ]]"],
    ["arithmetic on stored code", "x='a[$(rm -rf /)]'; ((x))"],
    ["a test on stored code", "x='a[$(rm -rf /)]'; [[ $x -eq 1 ]]"],
  ])("%s", (_, text) => {
    expect(parseShell(text)).toMatchObject({ kind: "unparsable", reason: expect.any(String) });
  });
});

describe("a redirect is a write", () => {
  test.each<[string, string, string[]]>([
    ["truncating", "echo x > f", ["f"]],
    ["appending", "echo x >> f", ["f"]],
    ["forcing", "echo x >| f", ["f"]],
    ["both streams", "echo x &> f", ["f"]],
    ["both, appended", "echo x &>> f", ["f"]],
    ["both, old form", "echo x >& f", ["f"]],
    ["a numbered stream", "echo x 2> f", ["f"]],
    ["a named descriptor", "exec {fd}> f", ["f"]],
    ["reading and writing", "cat <> f", ["f"]],
    ["before the command", "> f echo x", ["f"]],
    ["without a command", "> f", ["f"]],
    ["of a group", "{ echo x; } > f", ["f"]],
    ["of a subshell", "(echo x) > f", ["f"]],
    ["of a loop", "while read x; do :; done < a > f", ["f"]],
    ["of a condition", "if a; then b; fi > f", ["f"]],
    ["of a function", "f() { :; } > g", ["g"]],
    ["quoted", "echo x > 'a b'", ["a b"]],
    ["to a variable", "echo x > $f", ["?"]],
    ["to a glob", "echo x > *.txt", ["?"]],
    ["inside a substitution", "echo $(echo x > f)", ["f"]],
    ["shuffling descriptors is none", "echo x 2>&1 >&2 3>&- <&0", []],
    ["reading is none", "cat < f", []],
    ["a here-document is none", "cat <<X\n> f\nX", []],
    ["a sign inside quotes is none", "echo 'a > b' \"c > d\" e\\>f", []],
    ["a sign in a test is none", "[[ a > b ]]; (( a > b ))", []],
  ])("%s", (_, text, expected) => {
    expect(writes(text)).toEqual(expected);
  });
});

describe("harmless text stays what it is", () => {
  test.each<[string, string, string[]]>([
    ["git add", "git add rm.txt", ["git"]],
    ["a word in a path", "cat /srv/dd/rm", ["cat"]],
    ["npm run format", "npm run format", ["npm"]],
    ["quoted text", "echo 'rm -rf /'", ["echo"]],
    ["double-quoted text", 'echo "please do not rm -rf /"', ["echo"]],
    ["text with a separator in quotes", "echo 'a; rm -rf /'", ["echo"]],
    ["text with a newline in quotes", "echo 'a\nrm -rf /'", ["echo"]],
    ["a commit message", `git commit -m "rm old files && dd cleanup"`, ["git"]],
    ["a comment", "ls # rm -rf /", ["ls"]],
    ["an escaped separator", "echo a\\; rm", ["echo"]],
    ["a here-document of text", "cat <<'X'\nrm -rf /\nX", ["cat"]],
    ["a here-document to a file", "cat > notes <<X\nrm -rf /\nX", ["cat"]],
    ["grep for a word", "grep -rn 'rm -rf' src", ["grep"]],
    ["a pipeline", "ls -la | grep foo | wc -l", ["ls", "grep", "wc"]],
    ["a list", "make && make test || echo failed", ["make", "make", "echo"]],
    ["variables as arguments", 'ls "$HOME" $x', ["ls"]],
    ["globs as arguments", "ls *.ts", ["ls"]],
    ["an assignment", "X=1", []],
    ["export", "export PATH=/bin", ["export"]],
    ["a test", "[ -f package.json ] && npm ci", ["[", "npm"]],
    ["a bracket test", "[[ -d src && ! -e dist ]]", []],
    ["arithmetic", "echo $((1 + 2))", ["echo"]],
    ["a loop", "for f in a b; do cat $f; done", ["cat"]],
    ["a case", "case $1 in start) npm start;; esac", ["npm"]],
    ["a function", "build() { make; }; build", ["make", "build"]],
    ["sh -c", "sh -c 'ls -la'", ["sh"]],
    ["a script file", "bash build.sh --fast", ["bash"]],
    ["a script by path", "./build.sh", ["build.sh"]],
    ["sudo", "sudo apt-get update", ["sudo"]],
    ["timeout", "timeout 5 npm test", ["timeout"]],
    ["env with assignments only", "env FOO=1", ["env"]],
    ["command -v", "command -v rm", ["command"]],
    ["find without exec", "find . -name '*.rm'", ["find"]],
    ["xargs without a command", "ls | xargs", ["ls", "xargs"]],
    ["git -c user.name", "git -c user.name='A B' commit -m x", ["git"]],
    ["git with a pager off", "git -c core.pager=cat log", ["git"]],
    ["git push -u", "git push -u origin main", ["git"]],
    ["tar", "tar czf out.tgz src", ["tar"]],
    ["ssh", "ssh -o StrictHostKeyChecking=no host uptime", ["ssh"]],
    ["node -e", `node -e 'console.log("rm")'`, ["node"]],
    ["awk", "awk '{ print $1 }' file", ["awk"]],
    ["sed", "sed -n '1,5p' file", ["sed"]],
    ["a URL with an ampersand in quotes", "curl 'http://x/?a=1&b=2'", ["curl"]],
    ["trap reset", "trap - EXIT", ["trap"]],
    ["nothing but a comment", "# only words", []],
    ["python here-document", "python3 - <<'X'\nimport os\nX", ["python3"]],
    ["colours", "printf '\\033[31mred\\033[0m\\n'", ["printf"]],
  ])("%s", (_, text, expected) => {
    expect(programs(text)).toEqual(expected);
  });
});

test("words, redirects and assignments come as data", () => {
  expect(parseShell(`A=1 B=$x grep -n "a b" $'t\\t' *.c "$y" < in 2> err`)).toEqual({
    kind: "parsed",
    defines: [],
    commands: [
      {
        kind: "command",
        words: ["grep", "-n", "a b", "t\t", { dynamic: "*.c" }, { dynamic: '"$y"' }],
        redirects: [
          { op: "<", target: "in", access: "read" },
          { op: ">", target: "err", access: "write" },
        ],
        assignments: [
          { name: "A", value: "1" },
          { name: "B", value: { dynamic: "$x" } },
        ],
      },
    ],
  });
});

test("functions are named, wherever they are defined", () => {
  expect(parseShell("ls() { :; }; (git() { :; }); { rm() { :; }; }")).toMatchObject({ defines: ["ls", "git", "rm"] });
});

test("a carriage return is part of a word, as it is for the shell", () => {
  expect(commandsOf(parseShell("echo a\rrm -rf /"))[0]?.words[1]).toBe("a\rrm");
  expect(commandsOf(parseShell("rm\r -rf /"))[0]?.words[0]).toBe("rm\r");
});

test("the grammar alone leaves the inside of arguments to the caller", () => {
  expect(commandsOf(parseShell("sudo sh -c 'rm -rf /'")).map(({ words }) => words[0])).toEqual(["sudo"]);
});

test("any text at all gives an answer, in linear time", () => {
  const pieces = [
    "'",
    '"',
    "`",
    "$(",
    ")",
    "{",
    "}",
    "<<X",
    "\n",
    ";",
    "|",
    "&",
    "rm",
    " ",
    "\\",
    "((",
    "))",
    "[[",
    "]]",
    "$'",
    "${",
    "#",
    "case",
    "in",
    "esac",
    "if",
    "<(",
    "é",
    "sh -c",
    "eval",
  ];
  let seed = 11;
  const next = (): number => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) >> 8;
  for (let round = 0; round < 3000; round++) {
    const text = Array.from({ length: 1 + (next() % 30) }, () => pieces[next() % pieces.length] ?? "").join(
      next() % 2 === 0 ? " " : "",
    );
    expect(["parsed", "unparsable"]).toContain(parseShell(text).kind);
  }
});
