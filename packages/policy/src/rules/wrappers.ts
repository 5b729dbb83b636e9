// Programs that run the words after their own: env, sudo, xargs, timeout … and where the command in them begins.
import { isLiteral, textOfWord, type SimpleCommand, type Word } from "./shell-text.ts";
import { evalInner, shellWord, valueOf, type Inner, type Unwrapped } from "./nested-command.ts";

export type Wrapper = {
  readonly transparent?: boolean;
  /** Options that take the next word. */
  readonly takesValue?: string;
  readonly longTakesValue?: readonly string[];
  /** Words of its own before the command (timeout 5 …). */
  readonly operands?: number;
  readonly assignments?: boolean;
  /** Its words are joined and given to a shell. */
  readonly joinsWords?: boolean;
  /** Its command gets further words at run time, and this in its words is replaced. */
  readonly replaces?: string;
  /** Options whose value is shell text. */
  readonly shellText?: readonly string[];
  /** These options only look something up (command -v). */
  readonly looksUp?: RegExp;
};

export const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  [
    "env",
    {
      transparent: true,
      takesValue: "uCa",
      longTakesValue: ["--unset", "--chdir", "--argv0"],
      assignments: true,
      shellText: ["-S", "--split-string"],
    },
  ],
  ["command", { transparent: true, looksUp: /^-[pvV]*[vV]/ }],
  ["builtin", { transparent: true }],
  ["exec", { transparent: true, takesValue: "a" }],
  ["nice", { transparent: true, takesValue: "n", longTakesValue: ["--adjustment"] }],
  ["nohup", { transparent: true }],
  ["time", { transparent: true, takesValue: "f", longTakesValue: ["--format"] }],
  ["timeout", { transparent: true, takesValue: "ks", longTakesValue: ["--kill-after", "--signal"], operands: 1 }],
  ["stdbuf", { transparent: true, takesValue: "ioe", longTakesValue: ["--input", "--output", "--error"] }],
  ["setsid", { transparent: true }],
  ["ionice", { transparent: true, takesValue: "cn", longTakesValue: ["--class", "--classdata"] }],
  ["chrt", { transparent: true, operands: 1 }],
  ["taskset", { transparent: true, operands: 1 }],
  ["caffeinate", { transparent: true, takesValue: "tw" }],
  ["chronic", { transparent: true }],
  ["unbuffer", { transparent: true }],
  [
    "sudo",
    {
      takesValue: "ugpCcDhRrtTU",
      longTakesValue: [
        "--user",
        "--group",
        "--prompt",
        "--chdir",
        "--chroot",
        "--host",
        "--close-from",
        "--command-timeout",
        "--role",
        "--type",
        "--other-user",
      ],
      assignments: true,
    },
  ],
  ["doas", { takesValue: "uC" }],
  ["pkexec", { longTakesValue: ["--user"] }],
  ["su", { takesValue: "sgGw", shellText: ["-c", "--command"], operands: 99 }],
  ["runuser", { takesValue: "usgGw", shellText: ["-c", "--command"] }],
  [
    "xargs",
    {
      replaces: "{}",
      takesValue: "EILnPsad",
      longTakesValue: [
        "--arg-file",
        "--delimiter",
        "--max-args",
        "--max-procs",
        "--max-chars",
        "--replace",
        "--max-lines",
        "--process-slot-var",
      ],
    },
  ],
  [
    "parallel",
    {
      joinsWords: true,
      replaces: "{}",
      takesValue: "jaCINS",
      longTakesValue: ["--jobs", "--arg-file", "--colsep", "--joblog", "--results"],
    },
  ],
  ["watch", { takesValue: "n", longTakesValue: ["--interval"], joinsWords: true }],
  ["strace", { takesValue: "eopsuaEIOPSX", longTakesValue: ["--output", "--trace"] }],
  ["ltrace", { takesValue: "eopsua" }],
  ["unshare", { longTakesValue: ["--map-user", "--map-group"] }],
  ["nsenter", { takesValue: "tSG" }],
  ["chroot", { operands: 1 }],
  ["flock", { takesValue: "wE", operands: 1, shellText: ["-c", "--command"] }],
  ["busybox", {}],
  ["toybox", {}],
  ["script", { takesValue: "IOBTm", shellText: ["-c", "--command"], operands: 99 }],
  ["entr", {}],
  ["systemd-run", { takesValue: "puEMHt", longTakesValue: ["--property", "--unit", "--setenv", "--uid", "--gid"] }],
  ["bwrap", {}],
  ["firejail", {}],
  ["proxychains", { takesValue: "f" }],
  ["proxychains4", { takesValue: "f" }],
  ["torsocks", {}],
  ["rlwrap", {}],
  ["dbus-run-session", {}],
  ["xvfb-run", { takesValue: "efnpsw" }],
  ["setpriv", { longTakesValue: ["--pdeathsig", "--reuid", "--regid"] }],
  ["prlimit", {}],
  ["coproc", {}],
]);

const STANDS_ALONE = new Set(
  "--ignore-environment --null --debug --foreground --preserve-status --verbose --preserve-env --non-interactive --stdin --login --shell --no-run-if-empty --interactive --open-tty --exit --wait --fork --help --version --quiet --color --beep --differences".split(
    " ",
  ),
);

export function unwrapWrapper(command: SimpleCommand, wrapper: Wrapper): Unwrapped {
  const { words } = command;
  const assignments: { name: string; value: Word }[] = [];
  const inner: Inner[] = [];
  let operands = wrapper.operands ?? 0;
  let at = 1;
  let uncertain = false;
  for (; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined) break;
    if (!isLiteral(word)) {
      if (!uncertain && operands <= 0) break; // an unknown program: judged as one
      operands -= 1;
      continue;
    }
    if (word === "--") {
      at += 1;
      break;
    }
    if (wrapper.looksUp?.test(word)) return { inner: [], transparent: false };
    const text = shellTextOption(words, at, wrapper);
    if (text !== undefined) {
      inner.push(text.inner);
      at += text.words - 1;
    } else if (word.startsWith("-") && word !== "-") {
      const kind = optionKind(word, wrapper);
      if (kind === "takes-next") at += 1;
      uncertain ||= kind === "unsure";
    } else if (wrapper.assignments && /^[A-Za-z_][A-Za-z0-9_]*=/.test(word)) {
      const sign = word.indexOf("=");
      assignments.push({ name: word.slice(0, sign), value: word.slice(sign + 1) });
    } else if (operands > 0) operands -= 1;
    else break;
  }
  const rest = replaced(words, at, wrapper);
  const [program] = rest;
  if (program !== undefined) {
    const outer = { ...command, assignments: [...command.assignments, ...assignments] };
    inner.push({ kind: "command", at, command: { ...outer, words: rest } });
    // An option we do not know may have taken the first word: then the command begins one word later.
    if (uncertain && rest.length > 1)
      inner.push({ kind: "command", at: at + 1, command: { ...outer, words: rest.slice(1) } });
    // "rm -rf x" as one word is no program's name: somebody gives it to a shell (sudo -s, watch, parallel).
    const written = words.slice(at);
    if (wrapper.joinsWords || (isLiteral(written[0]) && /\s/.test(written[0]))) inner.push(evalInner(written));
  }
  if (program === undefined && wrapper.joinsWords && wrapper.replaces !== undefined)
    inner.push({ kind: "unknown", why: "dynamic", reason: "runs the lines that it reads" });
  // env -C: what runs elsewhere may find other files there, a repository's settings for one.
  const moves = words.slice(1, at).some((word) => isLiteral(word) && /^(?:-[A-Za-z]*C|--chdir)/.test(word));
  return { inner, transparent: (wrapper.transparent ?? false) && !uncertain && !moves };
}

// What xargs and parallel add or put in is known to nobody: it may be an option, or text for a shell.
function replaced(words: readonly Word[], from: number, wrapper: Wrapper): readonly Word[] {
  const rest = words.slice(from);
  if (wrapper.replaces === undefined || rest.length === 0) return rest;
  const marks = [wrapper.replaces];
  for (let at = 1; at < from; at += 1) {
    const value = valueOf(words, at, "-I") ?? valueOf(words, at, "--replace");
    if (isLiteral(value) && value !== "") marks.push(value);
  }
  const isMarked = (word: Word): boolean => isLiteral(word) && marks.some((mark) => word.includes(mark));
  return [
    ...rest.map((word) => (isMarked(word) ? { dynamic: `$(${textOfWord(word)})` } : word)),
    { dynamic: "$(words read)" },
  ];
}

function optionKind(word: string, wrapper: Wrapper): "alone" | "takes-next" | "unsure" {
  if (word.startsWith("--")) {
    if (word.includes("=")) return "alone";
    if (wrapper.longTakesValue?.includes(word)) return "takes-next";
    return STANDS_ALONE.has(word) ? "alone" : "unsure";
  }
  const letters = wrapper.takesValue ?? "";
  for (let i = 1; i < word.length; i += 1) {
    if (letters.includes(word.charAt(i))) return i === word.length - 1 ? "takes-next" : "alone";
  }
  return wrapper.takesValue === undefined && /^-[A-Za-z]$/.test(word) ? "unsure" : "alone";
}

function shellTextOption(
  words: readonly Word[],
  at: number,
  wrapper: Wrapper,
): { inner: Inner; words: number } | undefined {
  const word = words[at];
  if (!isLiteral(word)) return undefined;
  for (const option of wrapper.shellText ?? []) {
    if (word === option) return { inner: shellWord(words[at + 1]), words: 2 };
    if (option.startsWith("--") && word.startsWith(`${option}=`))
      return { inner: { kind: "shell", text: word.slice(option.length + 1) }, words: 1 };
    const glued = option.startsWith("--") ? undefined : afterLetter(word, option.charAt(1), wrapper);
    if (glued === "") return { inner: shellWord(words[at + 1]), words: 2 };
    if (glued !== undefined) return { inner: { kind: "shell", text: glued }, words: 1 };
  }
  return undefined;
}

/** What follows a letter in a cluster: nothing in -qc, `text` in -ctext; undefined when it is not one of the options. */
function afterLetter(word: string, letter: string, wrapper: Wrapper): string | undefined {
  if (!/^-[A-Za-z]/.test(word)) return undefined;
  for (let i = 1; i < word.length; i += 1) {
    if (word.charAt(i) === letter) return word.slice(i + 1);
    // The rest is another option's value, or no options at all.
    if (wrapper.takesValue?.includes(word.charAt(i)) || !/[A-Za-z]/.test(word.charAt(i))) return undefined;
  }
  return undefined;
}
