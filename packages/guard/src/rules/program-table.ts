// Facts only; acts.ts and inner-commands.ts read them. What well-known programs do with their words: which options write,
// connect or start something, which run another command. What is not here is taken as "runs itself".

export type ActKind = "read" | "write" | "network" | "execute";

export type OptionFact = {
  readonly act: ActKind;
  /** What the option's value is: a file, shell text, a program's name, an address, or nothing of interest. */
  readonly value?: "path" | "shell" | "program" | "host";
  /** The option changes the operands (sed -i) instead of taking a value. */
  readonly onOperands?: boolean;
};

export type ProgramFact = {
  /** What it does by being what it is. */
  readonly does?: readonly ActKind[];
  /** What happens to its operands. */
  readonly operands?: "read" | "write" | "last-written" | "all-but-first-read" | "hosts";
  /** Options that do more than the name says; "-o" also stands for -oFILE and for o in a cluster. */
  readonly options?: Readonly<Record<string, OptionFact>>;
  /** Options with a value that means nothing here, so that the value is not taken for an operand. */
  readonly takesValue?: readonly string[];
};

const writesTo: OptionFact = { act: "write", value: "path" };
const reads: OptionFact = { act: "read", value: "path" };
const inPlace: OptionFact = { act: "write", onOperands: true };
const runsText: OptionFact = { act: "execute", value: "shell" };
const runsProgram: OptionFact = { act: "execute", value: "program" };
const runsFile: OptionFact = { act: "execute", value: "path" };

const CURL: ProgramFact = {
  does: ["network"],
  operands: "hosts",
  options: {
    "-o": writesTo,
    "--output": writesTo,
    "-O": { act: "write" },
    "--remote-name": { act: "write" },
    "--remote-name-all": { act: "write" },
    "-J": { act: "write" },
    "--output-dir": writesTo,
    "-D": writesTo,
    "--dump-header": writesTo,
    "-c": writesTo,
    "--cookie-jar": writesTo,
    "--trace": writesTo,
    "--trace-ascii": writesTo,
    "--stderr": writesTo,
    "--etag-save": writesTo,
    "--hsts": writesTo,
    "--alt-svc": writesTo,
    "--libcurl": writesTo,
    "-T": reads,
    "--upload-file": reads,
    "-K": runsFile,
    "--config": runsFile,
  },
  takesValue: ["-H", "-d", "-X", "-u", "-A", "-e", "-b", "-F", "-m", "-x", "--data", "--header", "--request", "--user"],
};

const GIT: ProgramFact = {
  options: {
    "-c": { act: "execute" },
    "--config-env": { act: "execute" },
    "--exec-path": { act: "execute" },
    "--upload-pack": runsText,
    "--receive-pack": runsText,
    "--exec": runsText,
    "-x": runsText,
    "--extcmd": runsText,
    "--ext-diff": { act: "execute" },
    "--textconv": { act: "execute" },
    "--open-files-in-pager": runsText,
    "-O": runsText,
    "--output": writesTo,
    "--output-directory": writesTo,
    "-C": { act: "read", value: "path" },
    "--git-dir": { act: "execute", value: "path" },
    "--work-tree": { act: "write", value: "path" },
    "--template": { act: "execute", value: "path" },
    "--msg-filter": runsText,
    "--tree-filter": runsText,
    "--index-filter": runsText,
    "--env-filter": runsText,
    "--commit-filter": runsText,
    "--parent-filter": runsText,
    "--tag-name-filter": runsText,
    "--setup": runsText,
    "--remote": { act: "network", value: "host" },
  },
};

const TAR: ProgramFact = {
  options: {
    "--checkpoint-action": runsText,
    "--to-command": runsText,
    "-I": runsText,
    "--use-compress-program": runsText,
    "--rsh-command": runsText,
    "--rmt-command": runsText,
    "-F": runsText,
    "--info-script": runsText,
    "--new-volume-script": runsText,
    "-x": { act: "write" },
    "--extract": { act: "write" },
    "--get": { act: "write" },
    "-c": { act: "write" },
    "--create": { act: "write" },
    "-r": { act: "write" },
    "--append": { act: "write" },
    "-u": { act: "write" },
    "--update": { act: "write" },
    "--delete": { act: "write" },
    "--remove-files": { act: "write" },
    "--index-file": writesTo,
    "-C": { act: "write", value: "path" },
    "--directory": { act: "write", value: "path" },
  },
  takesValue: ["-f", "--file"],
};

const WRITES_OPERANDS: ProgramFact = { does: ["write"], operands: "write" };
const LAST_WRITTEN: ProgramFact = {
  does: ["write"],
  operands: "last-written",
  options: { "-t": writesTo, "--target-directory": writesTo },
};
const READS_OPERANDS: ProgramFact = { operands: "read" };
const SEARCH: ProgramFact = { operands: "all-but-first-read", takesValue: ["-e", "-A", "-B", "-C", "-m", "-g", "-t"] };
const RUNS_CODE: ProgramFact = { does: ["execute"] };
const NETWORK: ProgramFact = { does: ["network"], operands: "hosts" };
const PACKAGES: ProgramFact = {
  does: ["execute", "network", "write"],
  options: {
    "--script-shell": runsProgram,
    "--shell": runsProgram,
    "--git": runsProgram,
    "--node-options": { act: "execute" },
    "--prefix": { act: "execute", value: "path" },
    "--userconfig": runsFile,
    "--globalconfig": runsFile,
  },
};

export const PROGRAMS: ReadonlyMap<string, ProgramFact> = new Map<string, ProgramFact>([
  ...same(
    READS_OPERANDS,
    "cat head tail wc nl tac od xxd hexdump md5sum sha1sum sha256sum sha512sum cksum stat file strings cmp comm cut fold paste rev column zcat bzcat xzcat base64 readlink realpath diff",
  ),
  ["less", { operands: "read", options: { "-o": writesTo, "-O": writesTo, "--log-file": writesTo, "-k": runsFile } }],
  ["more", READS_OPERANDS],
  // What runs elsewhere may find other files there, a repository's settings for one.
  ["env", { options: { "-C": { act: "execute" }, "--chdir": { act: "execute" } }, takesValue: ["-u", "-S"] }],
  ["man", { options: { "-P": runsText, "--pager": runsText, "-H": runsText } }],
  ...same(SEARCH, "grep egrep fgrep zgrep ag ack"),
  [
    "rg",
    {
      ...SEARCH,
      options: {
        "--pre": runsProgram,
        "--hostname-bin": runsProgram,
        "-z": { act: "execute" },
        "--search-zip": { act: "execute" },
      },
    },
  ],
  [
    "sort",
    {
      operands: "read",
      options: {
        "-o": writesTo,
        "--output": writesTo,
        "-T": writesTo,
        "--temporary-directory": writesTo,
        "--compress-program": runsProgram,
        "--files0-from": reads,
      },
      takesValue: ["-k", "-t", "-S"],
    },
  ],
  ["uniq", { operands: "last-written" }],
  [
    "sed",
    {
      operands: "all-but-first-read",
      options: { "-i": inPlace, "--in-place": inPlace, "-f": runsFile, "--file": runsFile },
      takesValue: ["-e", "--expression", "-l"],
    },
  ],
  ...same(
    {
      operands: "all-but-first-read",
      options: {
        "-f": runsFile,
        "--file": runsFile,
        "-i": runsFile,
        "--include": runsFile,
        "-l": runsFile,
        "--load": runsFile,
        "-E": runsFile,
        "--exec": runsFile,
        "-o": writesTo,
        "--pretty-print": writesTo,
        "-d": writesTo,
        "--dump-variables": writesTo,
        "-p": writesTo,
        "--profile": writesTo,
      },
      takesValue: ["-F", "-v", "--assign", "--field-separator"],
    },
    "awk gawk mawk nawk",
  ),
  [
    "find",
    {
      operands: "read",
      options: {
        "-delete": { act: "write" },
        "-fprint": writesTo,
        "-fprint0": writesTo,
        "-fprintf": writesTo,
        "-fls": writesTo,
        "-exec": { act: "execute" },
        "-execdir": { act: "execute" },
        "-ok": { act: "execute" },
        "-okdir": { act: "execute" },
        "-files0-from": reads,
      },
    },
  ],
  [
    "fd",
    {
      operands: "read",
      options: {
        "-x": { act: "execute" },
        "--exec": { act: "execute" },
        "-X": { act: "execute" },
        "--exec-batch": { act: "execute" },
      },
    },
  ],
  [
    "fdfind",
    {
      operands: "read",
      options: {
        "-x": { act: "execute" },
        "--exec": { act: "execute" },
        "-X": { act: "execute" },
        "--exec-batch": { act: "execute" },
      },
    },
  ],
  ["tree", { operands: "read", options: { "-o": writesTo } }],
  ["date", { options: { "-s": { act: "write" }, "--set": { act: "write" }, "-f": reads } }],
  ["hostname", { options: { "-F": { act: "write" }, "-b": { act: "write" } } }],
  ["split", { does: ["write"], options: { "--filter": runsText } }],
  ["csplit", { does: ["write"] }],
  ["jq", { operands: "all-but-first-read", options: { "-f": reads, "--from-file": reads, "-L": reads } }],
  ["yq", { operands: "all-but-first-read", options: { "-i": inPlace, "--inplace": inPlace, "-s": { act: "write" } } }],
  ["xmllint", { operands: "read", options: { "--output": writesTo } }],
  ["tee", WRITES_OPERANDS],
  ["dd", { does: ["write"] }],
  ...same(
    WRITES_OPERANDS,
    "rm rmdir unlink shred truncate touch mkdir mkfifo mknod chmod chown chgrp chattr setfacl gzip gunzip bzip2 xz zstd patch mktemp sponge mkfs wipefs fallocate",
  ),
  ...same(LAST_WRITTEN, "cp mv ln install scp"),
  [
    "rsync",
    {
      does: ["write", "network"],
      operands: "last-written",
      options: { "-e": runsText, "--rsh": runsText, "--rsync-path": runsText, "--log-file": writesTo },
    },
  ],
  ["tar", TAR],
  ["bsdtar", TAR],
  ["zip", { does: ["write"], options: { "-TT": runsText, "--unzip-command": runsText } }],
  ["unzip", { does: ["write"], options: { "-d": writesTo } }],
  ["ar", { does: ["write"] }],
  ["cpio", { does: ["write"], options: { "--rsh-command": runsText } }],
  ["curl", CURL],
  [
    "wget",
    {
      does: ["network", "write"],
      operands: "hosts",
      options: {
        "-O": writesTo,
        "--output-document": writesTo,
        "-P": writesTo,
        "-o": writesTo,
        "-a": writesTo,
        "--use-askpass": runsProgram,
        "-e": { act: "execute" },
        "--execute": { act: "execute" },
        "--post-file": reads,
        "--body-file": reads,
        "-i": reads,
      },
    },
  ],
  ...same(
    NETWORK,
    "nc ncat netcat socat telnet ftp tftp ping ping6 dig host nslookup whois traceroute http https xh aria2c lynx w3m openssl nmap mosh rclone s3cmd aws gcloud az gh glab",
  ),
  [
    "ssh",
    {
      does: ["network", "execute"],
      operands: "hosts",
      options: { "-o": { act: "execute" }, "-F": runsFile, "-E": writesTo, "-S": reads },
    },
  ],
  ["sftp", { does: ["network", "write"], options: { "-o": { act: "execute" }, "-S": runsProgram, "-b": runsFile } }],
  ["tcpdump", { does: ["network"], options: { "-w": writesTo, "-z": runsProgram, "-W": { act: "write" } } }],
  ["git", GIT],
  ["make", { does: ["execute"], options: { "--eval": runsText, "-f": runsFile } }],
  [
    "go",
    {
      does: ["execute"],
      options: {
        "-toolexec": runsText,
        "-exec": runsText,
        "-o": writesTo,
        "-vettool": runsProgram,
        "-ldflags": { act: "execute" },
        "-gccgoflags": { act: "execute" },
        "-modfile": reads,
        "-C": reads,
        "-overlay": reads,
      },
    },
  ],
  ["cargo", { does: ["execute"], options: { "--config": { act: "execute" } } }],
  ...same(
    RUNS_CODE,
    "python python2 python3 node deno bun ruby perl php lua luajit Rscript tclsh osascript java ant gradle mvn cmake ninja meson pytest jest vitest mocha tox nox rake gmake gdb lldb expect ed ex vi vim nvim emacs nano sqlite3 psql mysql docker podman kubectl terraform ansible crontab at batch",
  ),
  ...same(
    PACKAGES,
    "npm npx pnpm yarn bunx pip pip3 pipx uv uvx poetry gem bundle composer brew apt apt-get dnf yum pacman apk snap",
  ),
  ["tsc", { does: ["write"], options: { "--outDir": writesTo, "--outFile": writesTo } }],
  ...same(
    {
      does: ["execute"],
      options: { "-o": writesTo, "-B": runsFile, "-wrapper": runsText, "-fplugin": runsFile, "-specs": runsFile },
    },
    "gcc g++ cc c++ clang clang++ ld as",
  ),
  ["kill", { does: ["execute"] }],
  ["ip", { does: ["network"] }],
  ["systemctl", { does: ["execute"] }],
  ["xdg-open", { does: ["execute"] }],
  ["open", { does: ["execute"] }],
]);

function same(fact: ProgramFact, names: string): [string, ProgramFact][] {
  return names.split(" ").map((name) => [name, fact]);
}
