// Programs that run the words after their own: how to find where those begin.

/** A program that runs the words after its own. */
export type Wrapper = {
  /** Short options that take the next word when nothing is glued to them. */
  readonly values?: string;
  readonly longValues?: readonly string[];
  /** Own operands before the command: a duration, a lock file. */
  readonly operands?: number;
  /** NAME=value words come before the command. */
  readonly assignments?: boolean;
  /** Words are added at run time. */
  readonly appends?: string;
  /** An option whose value is shell text. */
  readonly shellText?: readonly string[];
};

export const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env: {
    values: "uCa",
    longValues: ["unset", "chdir", "argv0"],
    assignments: true,
    shellText: ["-S", "--split-string"],
  },
  command: {},
  builtin: {},
  exec: { values: "a" },
  nohup: {},
  sudo: {
    values: "ACDghpRrTtUu",
    longValues: [
      "user",
      "group",
      "host",
      "prompt",
      "chroot",
      "chdir",
      "role",
      "type",
      "close-from",
      "other-user",
      "command-timeout",
    ],
    assignments: true,
  },
  doas: { values: "uC" },
  timeout: { values: "ks", longValues: ["kill-after", "signal"], operands: 1 },
  nice: { values: "n", longValues: ["adjustment"] },
  ionice: { values: "cnpPu", longValues: ["class", "classdata"] },
  chrt: { values: "pTPD", operands: 1 },
  taskset: { operands: 1 },
  time: { values: "fo", longValues: ["format", "output"] },
  stdbuf: { values: "ioe", longValues: ["input", "output", "error"] },
  setsid: {},
  setarch: { operands: 1 },
  chroot: { longValues: ["userspec", "groups"], operands: 1 },
  unshare: { values: "SG", longValues: ["setuid", "setgid", "root", "wd"] },
  nsenter: { values: "tSGrw", longValues: ["target"] },
  setpriv: { longValues: ["reuid", "regid", "groups", "pdeathsig", "bounding-set", "inh-caps", "ambient-caps"] },
  prlimit: {},
  flock: { values: "wEc", longValues: ["timeout", "conflict-exit-code"], operands: 1, shellText: ["-c", "--command"] },
  xargs: {
    values: "adEILnPs",
    longValues: ["arg-file", "delimiter", "max-lines", "max-args", "max-procs", "max-chars", "process-slot-var"],
    appends: "words that xargs reads",
  },
  parallel: {
    values: "jSaNIC",
    longValues: ["jobs", "sshlogin", "arg-file", "colsep"],
    appends: "words that parallel reads",
  },
  watch: { values: "nd", longValues: ["interval"] },
  strace: { values: "oesPupaXbIO" },
  ltrace: { values: "oesup" },
  catchsegv: {},
  busybox: {},
  toybox: {},
  unbuffer: {},
  caffeinate: { values: "tw" },
};
