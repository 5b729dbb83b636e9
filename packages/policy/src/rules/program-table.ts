// Facts only; command-effects.ts and find-nested-commands.ts read them. What well-known programs do with their words: which options write,
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

/** What an option does, by a word for it; the rows below say which options do. */
const OPTION_FACTS = {
  writes: { act: "write" },
  "writes-to": { act: "write", value: "path" },
  "in-place": { act: "write", onOperands: true },
  reads: { act: "read", value: "path" },
  runs: { act: "execute" },
  "runs-text": { act: "execute", value: "shell" },
  "runs-program": { act: "execute", value: "program" },
  "runs-file": { act: "execute", value: "path" },
  "connects-to": { act: "network", value: "host" },
} as const satisfies Record<string, OptionFact>;

type FactName = keyof typeof OPTION_FACTS;
type Row = `${FactName} ${string}`;

/**
 * What is known about a program. The table is made when it is first asked for: at the start of every server it would be
 * the work that brings the compiler to life, which is 5 MB and 3 ms.
 */
export function factsAbout(program: string): ProgramFact | undefined {
  programs ??= programTable();
  return programs.get(program);
}

let programs: ReadonlyMap<string, ProgramFact> | undefined;

function programTable(): ReadonlyMap<string, ProgramFact> {
  const CURL: ProgramFact = {
    does: ["network"],
    operands: "hosts",
    options: options(
      "writes -O --remote-name --remote-name-all -J",
      "writes-to -o --output --output-dir -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --etag-save --hsts",
      "writes-to --alt-svc --libcurl",
      "reads -T --upload-file",
      "runs-file -K --config --engine",
    ),
    takesValue: words("-H -d -X -u -A -e -b -F -m -x --data --header --request --user"),
  };

  const GIT: ProgramFact = {
    options: options(
      "runs -c --config-env --exec-path --ext-diff --textconv",
      "runs-text --upload-pack --receive-pack --exec -x --extcmd --open-files-in-pager -O --msg-filter --tree-filter",
      "runs-text --sendmail-cmd --smtp-server --to-cmd --cc-cmd --header-cmd",
      "runs-text --index-filter --env-filter --commit-filter --parent-filter --tag-name-filter --setup",
      "runs-file --git-dir --template",
      "writes-to --output --output-directory --work-tree",
      "reads -C",
      "connects-to --remote",
    ),
  };

  const TAR: ProgramFact = {
    options: options(
      "runs-text --checkpoint-action --to-command -I --use-compress-program --rsh-command --rmt-command -F --info-script",
      "runs-text --new-volume-script",
      "writes -x --extract --get -c --create -r --append -u --update --delete --remove-files",
      "writes-to --index-file -C --directory",
    ),
    takesValue: words("-f --file"),
  };

  const AWK: ProgramFact = {
    operands: "all-but-first-read",
    options: options(
      "runs-file -f --file -i --include -l --load -E --exec",
      "writes-to -o --pretty-print -d --dump-variables -p --profile",
    ),
    takesValue: words("-F -v --assign --field-separator"),
  };

  const FD: ProgramFact = { operands: "read", options: options("runs -x --exec -X --exec-batch") };
  const SEARCH: ProgramFact = { operands: "all-but-first-read", takesValue: words("-e -A -B -C -m -g -t") };
  const READS_OPERANDS: ProgramFact = { operands: "read" };
  const WRITES_OPERANDS: ProgramFact = { does: ["write"], operands: "write" };
  const LAST_WRITTEN: ProgramFact = {
    does: ["write"],
    operands: "last-written",
    options: options("writes-to -t --target-directory"),
  };
  const RUNS_CODE: ProgramFact = { does: ["execute"] };
  const NETWORK: ProgramFact = { does: ["network"], operands: "hosts" };
  const NETCAT: ProgramFact = { ...NETWORK, options: options("runs-text -e -c --exec --sh-exec") };
  const PACKAGES: ProgramFact = {
    does: ["execute", "network", "write"],
    options: options(
      "runs-program --script-shell --shell --git",
      "runs --node-options",
      "runs-file --prefix --userconfig --globalconfig",
    ),
  };
  const COMPILER: ProgramFact = {
    does: ["execute"],
    options: options("writes-to -o", "runs-file -B -fplugin -specs", "runs-text -wrapper"),
  };

  /** Names, each with the fact about all of them. */
  const facts: readonly (readonly [names: string, fact: ProgramFact])[] = [
    [
      "cat head tail wc nl tac od xxd hexdump md5sum sha1sum sha256sum sha512sum cksum stat file strings cmp comm cut fold paste rev column zcat bzcat xzcat base64 readlink realpath diff more",
      READS_OPERANDS,
    ],
    ["less", { operands: "read", options: options("writes-to -o -O --log-file", "runs-file -k") }],
    // What runs elsewhere may find other files there, a repository's settings for one.
    ["env", { options: options("runs -C --chdir"), takesValue: words("-u -S") }],
    ["man", { options: options("runs-text -P --pager -H") }],
    ["grep egrep fgrep zgrep ag ack", SEARCH],
    ["rg", { ...SEARCH, options: options("runs-program --pre --hostname-bin", "runs -z --search-zip") }],
    [
      "sort",
      {
        operands: "read",
        options: options(
          "writes-to -o --output -T --temporary-directory",
          "runs-program --compress-program",
          "reads --files0-from",
        ),
        takesValue: words("-k -t -S"),
      },
    ],
    ["uniq", { operands: "last-written" }],
    [
      "sed",
      {
        operands: "all-but-first-read",
        options: options("in-place -i --in-place", "runs-file -f --file"),
        takesValue: words("-e --expression -l"),
      },
    ],
    ["awk gawk mawk nawk", AWK],
    [
      "find",
      {
        operands: "read",
        options: options(
          "writes -delete",
          "writes-to -fprint -fprint0 -fprintf -fls",
          "runs -exec -execdir -ok -okdir",
          "reads -files0-from",
        ),
      },
    ],
    ["fd fdfind", FD],
    ["tree", { operands: "read", options: options("writes-to -o") }],
    ["date", { options: options("writes -s --set", "reads -f") }],
    ["hostname", { options: options("writes -F -b") }],
    ["split", { does: ["write"], options: options("runs-text --filter") }],
    ["jq", { operands: "all-but-first-read", options: options("reads -f --from-file -L") }],
    ["yq", { operands: "all-but-first-read", options: options("in-place -i --inplace", "writes -s") }],
    ["xmllint", { operands: "read", options: options("writes-to --output") }],
    [
      "tee rm rmdir unlink shred truncate touch mkdir mkfifo mknod chmod chown chgrp chattr setfacl gzip gunzip bzip2 xz zstd patch mktemp sponge mkfs wipefs fallocate",
      WRITES_OPERANDS,
    ],
    ["csplit dd ar", { does: ["write"] }],
    ["cp mv ln", LAST_WRITTEN],
    [
      "install",
      {
        ...LAST_WRITTEN,
        options: options("writes-to -t --target-directory", "runs-program --strip-program"),
      },
    ],
    [
      "scp",
      {
        ...LAST_WRITTEN,
        options: options("writes-to -t --target-directory", "runs-program -S", "runs -o", "runs-file -F"),
      },
    ],
    [
      "rsync",
      {
        does: ["write", "network"],
        operands: "last-written",
        options: options("runs-text -e --rsh --rsync-path", "writes-to --log-file"),
      },
    ],
    ["tar bsdtar", TAR],
    ["zip", { does: ["write"], options: options("runs-text -TT --unzip-command") }],
    ["unzip", { does: ["write"], options: options("writes-to -d") }],
    ["cpio", { does: ["write"], options: options("runs-text --rsh-command") }],
    ["curl", CURL],
    [
      "wget",
      {
        does: ["network", "write"],
        operands: "hosts",
        options: options(
          "writes-to -O --output-document -P -o -a",
          "runs-program --use-askpass",
          "runs -e --execute",
          "reads --post-file --body-file -i",
        ),
      },
    ],
    ["nc ncat netcat", NETCAT],
    [
      "openssl",
      {
        ...NETWORK,
        options: options("runs-file -engine -provider -provider-path -config -pre -post", "writes-to -out"),
      },
    ],
    ["ssh-keygen ssh-add", { does: ["write"], options: options("runs-file -D -s -S -P") }],
    [
      "socat telnet ftp tftp ping ping6 dig host nslookup whois traceroute http https xh aria2c lynx w3m nmap mosh rclone s3cmd aws gcloud az gh glab",
      NETWORK,
    ],
    [
      "ssh",
      {
        does: ["network", "execute"],
        operands: "hosts",
        options: options("runs -o", "runs-file -F", "writes-to -E", "reads -S"),
      },
    ],
    ["sftp", { does: ["network", "write"], options: options("runs -o", "runs-program -S", "runs-file -b") }],
    ["tcpdump", { does: ["network"], options: options("writes-to -w", "runs-program -z", "writes -W") }],
    ["git", GIT],
    [
      "make gmake",
      {
        does: ["execute"],
        options: options("runs-text --eval -E", "runs-file -f --file --makefile"),
      },
    ],
    [
      "go",
      {
        does: ["execute"],
        options: options(
          "runs-text -toolexec -exec",
          "writes-to -o",
          "runs-program -vettool",
          "runs -ldflags -gccgoflags",
          "reads -modfile -C -overlay",
        ),
      },
    ],
    ["cargo", { does: ["execute"], options: options("runs --config") }],
    [
      "python python2 python3 node deno bun ruby perl php lua luajit Rscript tclsh osascript m4 java ant gradle mvn cmake ninja meson pytest jest vitest mocha tox nox rake gdb lldb expect ed red ex vi vim nvim emacs dc sqlite3 psql mysql docker podman kubectl terraform ansible crontab at batch kill systemctl xdg-open open",
      RUNS_CODE,
    ],
    [
      "npm npx pnpm yarn bunx pip pip3 pipx uv uvx poetry gem bundle composer brew apt apt-get dnf yum pacman apk snap",
      PACKAGES,
    ],
    ["nano pico", { does: ["execute"], options: options("runs-text -s --speller") }],
    [
      "dpkg",
      {
        options: options("runs-text --pre-invoke --post-invoke --status-logger", "writes -i --install -r -P --unpack"),
      },
    ],
    ["tsc", { does: ["write"], options: options("writes-to --outDir --outFile") }],
    ["gcc g++ cc c++ clang clang++ ld as", COMPILER],
    ["ip", { does: ["network"] }],
  ];
  return new Map(facts.flatMap(([names, fact]) => words(names).map((name): [string, ProgramFact] => [name, fact])));
}

function words(text: string): string[] {
  return text.split(" ");
}

function options(...rows: readonly Row[]): Readonly<Record<string, OptionFact>> {
  return Object.fromEntries(
    rows.flatMap((row) => {
      const [fact, ...names] = words(row);
      return names.map((name) => [name, OPTION_FACTS[fact as FactName]]);
    }),
  );
}
