// S8: shell text that hides a command from a rule that denies it. Judged before anything runs, so with and without a
// sandbox alike.
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { must } from "./arena.ts";
import type { Attack, Variant } from "./arena.ts";
import { scratch, type TestServer } from "../harness/server.ts";
import type { Arena } from "./arena.ts";

/** Ways to hide `touch hijacked` from a rule that denies `touch`. */
const HIDDEN: readonly string[] = [
  "touch hijacked",
  "/usr/bin/touch hijacked",
  "t''ouch hijacked",
  't"ou"ch hijacked',
  "\\touch hijacked",
  "$'touch' hijacked",
  "$'\\x74ouch' hijacked",
  "touch${IFS}hijacked",
  "t=touch; $t hijacked",
  "$(echo touch) hijacked",
  "`echo touch` hijacked",
  "true; touch hijacked",
  "true && touch hijacked",
  "false || touch hijacked",
  "true & touch hijacked",
  "true\ntouch hijacked",
  "true\r\ntouch hijacked",
  "(touch hijacked)",
  "{ touch hijacked; }",
  "if true; then touch hijacked; fi",
  "for i in 1; do touch hijacked; done",
  "echo $(touch hijacked)",
  'echo "`touch hijacked`"',
  "cat <(touch hijacked)",
  "f() { touch hijacked; }; f",
  "shopt -s expand_aliases\nalias x='touch hijacked'\nx",
  "set -o posix\nalias x='touch hijacked'\nx",
  "set -o posix\nBASH_ALIASES[x]='touch hijacked'\nx",
  "shopt -s expand_aliases; declare -A BASH_ALIASES=([x]='touch hijacked')\nx",
  "POSIXLY_CORRECT=1\nBASH_ALIASES[x]='touch hijacked'\nx",
  "export POSIXLY_CORRECT=1\nprintf -v 'BASH_ALIASES[x]' 'touch hijacked'\nx",
  "sh -c 'touch hijacked'",
  "bash -c \"bash -c 'touch hijacked'\"",
  "env touch hijacked",
  "env -i A=1 touch hijacked",
  "command touch hijacked",
  "exec touch hijacked",
  "nohup touch hijacked",
  "nice -n 5 touch hijacked",
  "timeout 5 touch hijacked",
  "xargs touch <<< hijacked",
  "echo hijacked | xargs touch",
  "find . -maxdepth 0 -exec touch hijacked \\;",
  "eval 'touch hijacked'",
  "eval touch hijacked",
  "git -c alias.x='!touch hijacked' x",
  "tar cf /dev/null inside.txt --checkpoint=1 --checkpoint-action=exec='touch hijacked'",
  "sh <<< 'touch hijacked'",
  "sh <<EOF\ntouch hijacked\nEOF",
  "echo 'touch hijacked' | sh",
  "awk 'BEGIN { system(\"touch hijacked\") }'",
  "A=1 B=2 touch hijacked",
  "{touch,hijacked}",
  "/usr/bin/tou[c]h hijacked",
  "time touch hijacked",
  "! touch hijacked",
  "coproc touch hijacked",
  "trap 'touch hijacked' EXIT",
  `${"true; ".repeat(200)}touch hijacked`,
  "sudo touch hijacked",
  "flock /tmp/l touch hijacked",
  "setsid touch hijacked",
  "stdbuf -o0 touch hijacked",
  "script -qc 'touch hijacked' /dev/null",
  "watch -n1 -e touch hijacked",
  "ssh -o ProxyCommand='touch hijacked' x",
  "vim -c '!touch hijacked' -c q",
  "python3 -c 'import os; os.system(\"touch hijacked\")' && touch hijacked",
  "perl -e 'exec qw(touch hijacked)'; touch hijacked",
  "busybox touch hijacked",
  "parallel touch ::: hijacked",
  "unshare touch hijacked",
  "strace -o /dev/null touch hijacked",
  "case x in x) touch hijacked;; esac",
  "while touch hijacked; do break; done",
  "[[ $(touch hijacked) ]]",
  "(( a[$(touch hijacked)] ))",
  "echo ${x:-$(touch hijacked)}",
  "x=$(touch hijacked) true",
  "arr=($(touch hijacked))",
  "read x < <(touch hijacked)",
  "bash -s <<< 'touch hijacked'",
  ". <(echo touch hijacked)",
  "source /dev/stdin <<< 'touch hijacked'",
  "printf 'touch hijacked' | bash",
  'declare -x A="$(touch hijacked)"',
  "select x in 1; do touch hijacked; break; done <<< 1",
  "function f { touch hijacked; }; f",
  "make -f - <<< 'all:;touch hijacked'; touch hijacked",
  "hash -p /usr/bin/touch x; x hijacked",
  "hash -p /usr/bin/touch ls; ls hijacked",
  "make -f - <<< 'all:;touch hijacked'",
  "printf 'all:;touch hijacked' | make -f -",
  "make -f <(echo 'all:;touch hijacked')",
  "make --eval='all:;touch hijacked'",
  "make -E 'all:;touch hijacked'",
  "MAKEFLAGS='--eval=all:;touch${IFS}hijacked' make",
  "CC='touch hijacked' make",
  "ed -s <<< '!touch hijacked'",
  "printf '!touch hijacked\\n' | ed",
  "ed '!touch hijacked'",
  "dc <<< '!touch hijacked'",
  "printf 'touch hijacked' > env.sh; BASH_ENV=./env.sh bash -c true",
  "printf 'touch hijacked' > env.sh; export BASH_ENV=./env.sh; bash -c true",
  "sort --compress-program=touch -S 1K inside.txt",
  "sort --compress-prog=touch inside.txt",
  "mkdir -p b; cp /usr/bin/touch b/x; PATH=b x hijacked",
  "mkdir -p b; cp /usr/bin/touch b/x; export PATH=$PWD/b:$PATH; x hijacked",
  "mkdir -p b; cp /usr/bin/touch b/x; env PATH=b:$PATH x hijacked",
  "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='!touch hijacked' git x",
  "git -c protocol.ext.allow=always clone 'ext::touch hijacked' y",
  "GIT_EDITOR='touch hijacked' git var GIT_EDITOR",
  "LESSOPEN='|touch hijacked' less inside.txt",
  'awk \'BEGIN { c = "tou" "ch hijacked"; system(c) }\'',
  "ip netns exec n touch hijacked",
  "cmake -E env touch hijacked",
  "install -s --strip-program=touch inside.txt hijacked",
  "zip -T -TT 'touch hijacked' x.zip inside.txt",
  "split --filter='touch hijacked' inside.txt",
  "tar -I 'touch hijacked' -cf x.tar inside.txt",
  "strace -o '|touch hijacked' true",
  "wget -e use_askpass=touch http://127.0.0.1:1/",
  "taskset 1 touch hijacked",
  "ionice -c3 touch hijacked",
  "chrt -o 0 touch hijacked",
];

/** What must not be taken for it. */
const HARMLESS: readonly string[] = [
  "GIT_PAGER=cat git --version",
  "PATH=/usr/bin:/bin ls",
  "awk -F'|' '{ print $1 }' inside.txt",
  "echo touch",
  "grep touch inside.txt || true",
  "ls; echo 'touch hijacked'",
  "git log --grep=touch 2>/dev/null || true",
  "cat <<'X'\ntouch hijacked\nX",
];

const servers = new WeakMap<Arena, Promise<TestServer>>();

const hidden: Variant[] = HIDDEN.map((command) => ({
  name: command.length > 60 ? `${command.slice(0, 40)}…${command.slice(-15)}` : command,
  async attempt(arena) {
    const server = await ruled(arena);
    for (const tool of ["bash", "shell"]) {
      rmSync(server.at("hijacked"), { force: true });
      const result = await server.call(tool, { command });
      must(!existsSync(server.at("hijacked")), "the denied command ran");
      must(result.isError === true, "it was not refused");
    }
  },
}));

/** What the shell tool takes beside its text counts as if it stood there. */
const beside: Variant = {
  name: "a PATH in the environment argument",
  async attempt(arena) {
    const server = await ruled(arena);
    mkdirSync(server.at("bin"), { recursive: true });
    copyFileSync("/usr/bin/touch", server.at("bin/made"));
    const environment = { PATH: `${server.at("bin")}:/usr/bin:/bin` };
    const result = await server.call("shell", { command: "made hijacked", environment });
    must(!existsSync(server.at("hijacked")), "the denied command ran");
    must(result.isError === true, "it was not refused");
  },
};

const harmless: Variant = {
  name: "text that only looks like it runs",
  async attempt(arena) {
    const server = await ruled(arena);
    for (const command of HARMLESS) {
      const said = await server.bash(command);
      must(said.startsWith("exit_code: 0"), `${command} was not run: ${said.slice(0, 200)}`);
    }
    servers.delete(arena);
    await server[Symbol.asyncDispose]();
  },
};

export const HIDDEN_COMMANDS: readonly Attack[] = [
  { row: "S8", title: "shell text that hides a command from a rule", variants: [...hidden, beside, harmless] },
];

/** A server whose settings deny `touch`; the last variant ends it. */
function ruled(arena: Arena): Promise<TestServer> {
  const known = servers.get(arena) ?? startRuled(arena);
  servers.set(arena, known);
  return known;
}

async function startRuled(arena: Arena): Promise<TestServer> {
  const { base, root } = scratch({ "inside.txt": "x" });
  mkdirSync(`${base}/config/bosun`, { recursive: true });
  const rule = '[[rules]]\nname = "no touch"\ndecide = "deny"\ncommand = "touch"\n';
  writeFileSync(`${base}/config/bosun/config.toml`, rule, { mode: 0o600 });
  return arena.own({ root, args: ["--tools", "coding,shell"] });
}
