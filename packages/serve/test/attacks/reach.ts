// S7 and S9: commands that reach for what lies outside. Only a sandbox can hold a command that runs, so nothing is
// claimed without one.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CANARY, must } from "./arena.ts";
import { DENIED_PLACES } from "./denied-places.ts";
import type { Arena, Attack, Variant } from "./arena.ts";

const OFF_REASON = "a running command has the rights of the server's user; the server says so at its start";

/** A line of /etc/shadow, not one of /etc/passwd. */
const SHADOW = /root:[*!$]/;

type Reach = readonly [name: string, command: (arena: Arena) => string, never?: RegExp];

const FILES: readonly Reach[] = [
  [
    "reads outside",
    (a) => `cat ${a.outside}/secret.txt; cat ${a.server.root}_evil/secret.txt; cat ${a.server.base}/home/.netrc`,
  ],
  ["reads through a link", () => "cat to-file to-dir/secret.txt to-root/etc/shadow", SHADOW],
  [
    "reads through its own root",
    (a) => `cat /proc/self/root${a.outside}/secret.txt /proc/1/root${a.outside}/secret.txt`,
  ],
  [
    "reads through its first process's directory",
    () => "cat /proc/1/cwd/../outside/secret.txt; ls /proc/1/fd | xargs -I% timeout 0.2 cat /proc/1/fd/%",
  ],
  [
    "reads through descriptors it inherited",
    () =>
      "for f in /proc/self/fd/*; do timeout 0.2 cat $f; done; for f in 3 4 5 6 7 8 9; do timeout 0.2 cat <&$f; done",
  ],
  ["climbs with ..", () => `cat ${"../".repeat(40)}etc/shadow; cat ../outside/secret.txt`, SHADOW],
  ["writes outside", (a) => `echo x > ${a.outside}/new; mkdir ${a.outside}/d; touch ${a.server.root}_evil/new`],
  ["deletes outside", (a) => `rm -rf ${a.outside} ${a.server.root}_evil`],
  ["moves outside in", (a) => `mv ${a.outside}/secret.txt . ; ln ${a.outside}/secret.txt hard; cat hard`],
  [
    "links the system's files in and writes through them",
    () => "ln /etc/passwd p && echo x >> p; ln /usr/bin/env e && : > e",
  ],
  ["writes to the system", () => "touch /usr/bin/evil /etc/evil /opt/evil /evil"],
  ["preloads a library into everybody", () => "echo /tmp/x.so > /etc/ld.so.preload"],
  ["reads a denied file", () => "cat dir/early.pem; cp dir/early.pem c; cat c; tar c dir | strings"],
  ["moves a denied file's folder", () => "mv dir dir2; cat dir2/early.pem; ls dir2 && mv dir2 dir"],
  [
    "reads the system's secrets",
    () => "cat /etc/shadow /etc/gshadow /etc/sudoers /etc/ssh/ssh_host_*_key",
    /root:[*!$]|PRIVATE KEY/,
  ],
  [
    "reads what runs on this machine",
    () => "cat /var/log/* /var/lib/*/* /run/* /srv/* /mnt/* /media/* 2>/dev/null | grep -ac canary",
  ],
  ["reads memory shared by others", () => "cat /dev/shm/*; ipcs -m | grep -c 0x"],
];

const KERNEL: readonly Reach[] = [
  [
    "names a program for the kernel to run",
    () => 'v=$(cat /proc/sys/kernel/core_pattern); echo "$v" > /proc/sys/kernel/core_pattern && echo GOT-THROUGH',
  ],
  [
    "changes the kernel's settings",
    () => "v=$(cat /proc/sys/vm/swappiness); echo $v > /proc/sys/vm/swappiness && echo GOT-THROUGH",
  ],
  ["asks the kernel for what a keyboard may", () => "echo h > /proc/sysrq-trigger && echo GOT-THROUGH"],
  [
    "names a program for new devices",
    () => "cat /sys/kernel/uevent_helper; echo > /sys/kernel/uevent_helper && echo GOT-THROUGH",
  ],
  ["leaves a crash behind", () => "ulimit -c unlimited; sh -c 'kill -SEGV $$'; ls -d /core* /var/crash/* 2>/dev/null"],
  [
    "makes a device of its own",
    () =>
      "mknod d b 8 0 && head -c 1 d && echo GOT-THROUGH; mknod m c 1 1 && head -c 1 m && echo GOT-THROUGH; rm -f d m",
  ],
  [
    "opens the disks",
    () => "for d in /dev/vda /dev/sda /dev/nvme0n1 /dev/mem /dev/kmsg; do head -c 1 $d && echo GOT-THROUGH; done",
  ],
  [
    "mounts",
    () =>
      "mount -t tmpfs x /mnt && echo GOT-THROUGH; mount --bind / list && echo GOT-THROUGH; mount -o remount,rw /usr && echo GOT-THROUGH",
  ],
  ["unmounts what hides", () => "umount /proc && echo GOT-THROUGH; umount -l dir/early.pem && cat dir/early.pem"],
  [
    "mounts in a user namespace",
    () => "unshare -Urm sh -c 'mount -t tmpfs x /mnt && echo GOT-THROUGH; umount -l dir/early.pem; cat dir/early.pem'",
  ],
  ["mounts control groups in a namespace", () => "unshare -UrmC sh -c 'mount -t cgroup2 x /tmp && echo GOT-THROUGH'"],
  [
    "enters other namespaces",
    () => "nsenter -t 1 -m -n -p true && nsenter -t 1 -a cat to-file; chroot /proc/1/root cat /etc/shadow",
    SHADOW,
  ],
  [
    "makes a user namespace by clone3",
    () =>
      python(
        "import ctypes; r = ctypes.CDLL(None).syscall(435, (ctypes.c_uint64 * 11)(0x10000000), 88); r == 0 and __import__('os')._exit(0); r > 0 and print('GOT-THROUGH')",
      ),
  ],
  [
    "makes an io_uring",
    () =>
      python(
        "import ctypes; ctypes.CDLL(None).syscall(425, 4, ctypes.create_string_buffer(120)) >= 0 and print('GOT-THROUGH')",
      ),
  ],
  [
    "reads key rings",
    () =>
      python(
        `import ctypes; ctypes.CDLL(None).syscall(${process.arch === "arm64" ? 219 : 250}, 0, -4, 0) >= 0 and print('GOT-THROUGH')`,
      ),
  ],
  [
    "loads a program into the kernel",
    () =>
      python(
        `import ctypes; ctypes.CDLL(None).syscall(${process.arch === "arm64" ? 280 : 321}, 0, ctypes.create_string_buffer(72), 72) >= 0 and print('GOT-THROUGH')`,
      ),
  ],
  [
    "changes name, clock and users",
    () => "hostname evil && echo GOT-THROUGH; date -s 2001-01-01 && echo GOT-THROUGH; useradd evil && echo GOT-THROUGH",
  ],
  [
    "runs a program from memory",
    (a) =>
      python(
        `import os; f = os.memfd_create('x'); os.write(f, open('/bin/cat', 'rb').read()); os.execve(f, ['cat', '${a.outside}/secret.txt'], {})`,
      ),
  ],
  [
    "reads the kernel's messages",
    () => "dmesg 2>/dev/null | grep -q . && echo GOT-THROUGH; timeout 1 head -c 1 /proc/kmsg && echo GOT-THROUGH",
  ],
  [
    "reads memory as the kernel sees it",
    () => "head -c 1 /proc/kcore && echo GOT-THROUGH; head -c 1 /dev/core && echo GOT-THROUGH",
  ],
  [
    "watches every file of the machine",
    () => python("import ctypes; ctypes.CDLL(None).fanotify_init(0, 0) >= 0 and print('GOT-THROUGH')"),
  ],
  [
    "gives a program capabilities",
    () =>
      python(
        "import os, shutil, struct; shutil.copy('/bin/true', 'c'); os.setxattr('c', 'security.capability', struct.pack('<5I', 0x02000001, 0xffffffff, 0, 0, 0)); print('GOT-THROUGH')",
      ),
  ],
  [
    "gives files to another user",
    () => "touch g; chown 12345 g && echo GOT-THROUGH; chattr +i g && echo GOT-THROUGH; rm -f g c",
  ],
  [
    "leaves a set-user-id program behind",
    () =>
      "cp /bin/sh s; chmod u+s s; chmod 4755 s; install -m 4755 /bin/sh s2; [ -u s ] && echo GOT-THROUGH; [ -u s2 ] && echo GOT-THROUGH; rm -f s s2",
  ],
  [
    "becomes root by a set-user-id program",
    () => "su -c id; sudo -n id; pkexec id; cp /bin/sh s; chmod 4755 s; ./s -p -c 'cat /etc/shadow'; rm -f s",
    SHADOW,
  ],
];

const PROCESSES: readonly Reach[] = [
  ["reads other processes", () => "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline"],
  [
    "reads its server's environment and memory",
    (a) => `cat /proc/${a.server.process.pid}/environ; head -c 9 /proc/${a.server.process.pid}/mem`,
  ],
  ["holds on to its server", (a) => python(`import os; os.pidfd_open(${a.server.process.pid}); print('GOT-THROUGH')`)],
  [
    "attaches to its server",
    (a) =>
      python(
        `import ctypes; ctypes.CDLL(None).ptrace(16, ${a.server.process.pid}, 0, 0) == 0 and print('GOT-THROUGH')`,
      ),
  ],
  [
    "speaks in its server's name",
    (a) => `echo '{"jsonrpc":"2.0","method":"x"}' > /proc/${a.server.process.pid}/fd/1 && echo GOT-THROUGH`,
  ],
  ["reads along with its server", (a) => `timeout 1 head -c 1 /proc/${a.server.process.pid}/fd/0 && echo GOT-THROUGH`],
  [
    "limits its server",
    (a) =>
      `prlimit --pid ${a.server.process.pid} --nofile=3 && echo GOT-THROUGH; renice 19 ${a.server.process.pid} && echo GOT-THROUGH`,
  ],
  ["kills its server", (a) => `kill -9 ${a.server.process.pid}; kill -9 -1`],
  ["kills and stops whatever holds it", () => "kill -STOP $PPID; kill -9 $PPID; kill -9 1; kill -STOP -1"],
  [
    "types into its server's terminal",
    () =>
      python(
        "import fcntl, termios\nfor p in ('/dev/tty', '/dev/console', '/dev/pts/0'):\n  try:\n    fcntl.ioctl(open(p), termios.TIOCSTI, b'x'); print('GOT-THROUGH')\n  except OSError: pass",
      ),
  ],
];

const NETWORK: readonly Reach[] = [
  ["connects out", () => "exec 3<>/dev/tcp/1.1.1.1/80 && echo GOT-THROUGH"],
  ["sends out", () => "echo x > /dev/udp/1.1.1.1/53 && echo GOT-THROUGH"],
  [
    "asks for names",
    () =>
      python("import socket; socket.setdefaulttimeout(2); print(socket.gethostbyname('example.com'), 'GOT-THROUGH')"),
  ],
  ["speaks to the hypervisor", () => python("import socket; socket.socket(40, 1); print('GOT-THROUGH')")],
  [
    "opens raw and packet sockets",
    () =>
      python(
        "import socket\nfor f, t in ((2, 3), (17, 3), (38, 5)):\n  try:\n    socket.socket(f, t); print('GOT-THROUGH')\n  except OSError: pass",
      ),
  ],
  [
    "adds a way out",
    () => "ip link add evil type dummy && echo GOT-THROUGH; ip route add default via 127.0.0.1 && echo GOT-THROUGH",
  ],
  ["finds the cloud's secrets", () => "curl -s -m 2 http://169.254.169.254/ && echo GOT-THROUGH"],
];

/** Things that listen outside, and a command that calls them. */
const LISTENERS: readonly Variant[] = [
  {
    name: "calls a server of this machine",
    attempt: (arena) =>
      withListener(
        { hostname: "127.0.0.1", port: 0 },
        arena,
        (port) => `exec 5<>/dev/tcp/127.0.0.1/${port} && cat <&5; curl -s -m 2 http://127.0.0.1:${port}`,
      ),
  },
  {
    name: "calls a socket file outside",
    attempt: (arena) => {
      const file = path.join(arena.server.base, "home/agent.sock");
      return withListener({ unix: file }, arena, () => connectUnix(file));
    },
  },
  {
    name: "calls a socket without a file",
    attempt: (arena) => {
      const name = `bosun-attack-${process.pid}-${arena.mode}`;
      return withListener({ unix: `\0${name}` }, arena, () => connectUnix(`\\0${name}`));
    },
  },
];

/** Traps laid for a later call: by then the environment, the home folder and the start-up files are fresh. */
const LATER: readonly (readonly [name: string, trap: string, look: string, never: RegExp])[] = [
  [
    "leaves a variable",
    "export LD_PRELOAD=/tmp/x.so BASH_ENV=/tmp/x NODE_OPTIONS=--bad",
    "env",
    /LD_PRELOAD|BASH_ENV|NODE_OPTIONS/,
  ],
  [
    "leaves a start-up file",
    "for f in .bashrc .profile .bash_profile .gitconfig .npmrc; do echo 'echo TRAPPED' > ~/$f; done",
    "ls -A ~; bash -lic true",
    /TRAPPED|bashrc/,
  ],
  [
    "leaves a function and an alias",
    "ls() { echo TRAPPED; }; export -f ls; alias cat='echo TRAPPED'",
    "ls; cat inside.txt",
    /TRAPPED/,
  ],
  [
    "leaves a process",
    "setsid sleep 333.7 & (setsid sh -c 'sleep 333.7 &' &); sleep 0.1",
    "pgrep -f 'sleep 333[.]7'",
    /stdout:\\n\d/,
  ],
];

export const REACH: readonly Attack[] = [
  {
    row: "S7",
    title: "a command reaches for files",
    offReason: OFF_REASON,
    variants: [...FILES.map(variantOf), lateKey(), ...DENIED_PLACES],
  },
  { row: "S7", title: "a command reaches for the kernel", offReason: OFF_REASON, variants: KERNEL.map(variantOf) },
  { row: "S7", title: "a command reaches for processes", offReason: OFF_REASON, variants: PROCESSES.map(variantOf) },
  {
    row: "S7",
    title: "a command reaches for the network",
    offReason: OFF_REASON,
    variants: [...NETWORK.map(variantOf), ...LISTENERS],
  },
  { row: "S7", title: "a command lays a trap for the next", offReason: OFF_REASON, variants: LATER.map(trapOf) },
  { row: "S9", title: "redirects and writing builtins", offReason: OFF_REASON, variants: writers() },
];

function variantOf([name, command, never]: Reach): Variant {
  return {
    name,
    async attempt(arena) {
      const said = await arena.commands(command(arena));
      arena.unharmed(said);
      must(!said.includes("GOT-THROUGH\\n"), `it got through: ${said.slice(0, 400)}`);
      must(never === undefined || !never.test(said), `it saw what it must not: ${said.slice(0, 400)}`);
      for (const file of ["/etc/evil", "/usr/bin/evil", "/opt/evil", "/evil", "/etc/ld.so.preload"])
        must(!existsSync(file) || !readFileSync(file, "utf8").includes("/tmp/x"), `${file} was made`);
      must((await arena.server.text("view", { path: "inside.txt" })).includes("inside"), "the server is gone");
    },
  };
}

function trapOf([name, trap, look, never]: (typeof LATER)[number]): Variant {
  return {
    name,
    async attempt(arena) {
      for (const tool of ["bash", "shell"]) {
        await arena.server.call(tool, { command: trap });
        const said = JSON.stringify(await arena.server.call(tool, { command: look }));
        must(!never.test(said), `the next command met it: ${said.slice(0, 300)}`);
      }
    },
  };
}

/** Rules with wildcards are applied anew every two seconds. */
function lateKey(): Variant {
  return {
    name: "reads a denied file that came later",
    async attempt(arena) {
      writeFileSync(arena.server.at("late.pem"), CANARY);
      await Bun.sleep(2200);
      arena.unharmed(await arena.commands("cat late.pem"));
    },
  };
}

function writers(): Variant[] {
  const forms: readonly (readonly [name: string, command: (out: string) => string])[] = [
    ["a redirect", (out) => `echo x > ${out}/new`],
    ["a redirect that appends", (out) => `echo x >> ${out}/secret.txt`],
    ["a redirect both ways", (out) => `: <> ${out}/new`],
    ["a redirect of a group", (out) => `{ echo x; } >| ${out}/new`],
    ["a redirect of nothing", (out) => `> ${out}/new`],
    ["sort -o", (out) => `sort -o ${out}/new inside.txt`],
    ["sed -i", (out) => `sed -i s/c/d/ ${out}/secret.txt`],
    ["sed w", (out) => `sed 'w ${out}/new' inside.txt`],
    ["tee", (out) => `echo x | tee ${out}/new`],
    ["awk", (out) => `awk '{print > "${out}/new"}' inside.txt`],
    ["cp", (out) => `cp inside.txt ${out}/new`],
    ["dd", (out) => `dd if=inside.txt of=${out}/new`],
    ["tar", (out) => `tar c inside.txt | tar x -C ${out}`],
    ["git", (out) => `git init ${out}/repo; git --git-dir=${out}/g init`],
    ["find -fprint", (out) => `find . -maxdepth 0 -fprint ${out}/new`],
    ["printf through a link", (out) => `ln -sfn ${out} way; printf x > way/new; rm -f way`],
    ["a here-document", (out) => `cat > ${out}/new <<X\nx\nX`],
    [
      "split, csplit, install, rsync",
      (out) => `split inside.txt ${out}/s; install inside.txt ${out}/new; truncate -s 0 ${out}/secret.txt`,
    ],
  ];
  return forms.map(([name, command]) => ({
    name,
    attempt: async (arena) => arena.unharmed(await arena.commands(command(arena.outside))),
  }));
}

async function withListener(
  where: { hostname: string; port: number } | { unix: string },
  arena: Arena,
  command: (port: number) => string,
): Promise<void> {
  let called = 0;
  const socket = {
    data() {},
    open(one: { end(text: string): unknown }) {
      called += 1;
      one.end("GOT-THROUGH\n");
    },
  };
  const listener = "unix" in where ? Bun.listen({ ...where, socket }) : Bun.listen({ ...where, socket });
  try {
    const said = await arena.commands(command("port" in listener ? Number(listener.port) : 0));
    must(called === 0 && !said.includes("GOT-THROUGH"), `it was answered: ${said.slice(0, 300)}`);
  } finally {
    listener.stop(true);
  }
}

function connectUnix(name: string): string {
  return python(`import socket; s = socket.socket(1, 1); s.connect('${name}'); print(s.recv(99))`);
}

function python(program: string): string {
  return `python3 - 2>/dev/null <<'PROGRAM'\n${program}\nPROGRAM`;
}
