// S7: what a sandbox shows must not follow from what an agent can write: PATH folders inside the boundary, links on PATH,
// allowed folders that are replaced by links, names that are not UTF-8.
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { asOther, OTHER } from "../../../engine/test/other-user.ts";
import { scratch, type TestServer } from "../harness/server.ts";
import { CANARY, must } from "./arena.ts";
import type { Arena, Attack, Variant } from "./arena.ts";

const OFF_REASON = "a running command has the rights of the server's user; the server says so at its start";

/** The folder of the workspace, below which the server's PATH names `bin`. */
type OnPath = { readonly name: string; readonly bin: string };

const ON_PATH: readonly OnPath[] = [
  { name: "node_modules/.bin", bin: "node_modules/.bin" },
  { name: ".venv/bin", bin: ".venv/bin" },
  { name: "a nested venv", bin: "services/api/.venv/bin" },
];

export const MOUNTS: readonly Attack[] = [
  {
    row: "S7",
    title: "a folder on PATH that the agent can write",
    offReason: OFF_REASON,
    independent: true,
    variants: [
      ...ON_PATH.map(replacedOnPath),
      { name: "as another user", attempt: (arena) => replaceOnPath(arena, "node_modules/.bin", asOther) },
      { name: "absent at the start, made, then a restart", attempt: absentOnPath },
      { name: "a link on PATH into the workspace", attempt: linkOnPath },
      { name: "a Unix socket outside", attempt: socketOnPath },
    ],
  },
  {
    row: "S7",
    title: "what links on PATH bring with them",
    offReason: OFF_REASON,
    independent: true,
    variants: [
      {
        name: "a script among documents",
        attempt: (arena) => besideLink(arena, "Documents/tool.sh", "Documents/taxes"),
      },
      {
        name: "a program of a private project",
        attempt: (arena) => besideLink(arena, "dev/private/bin/x", "dev/private/.env"),
      },
      {
        name: "a private project's own folder on PATH",
        attempt: (arena) => besidePath(arena, "dev/private/bin", "dev/private/.env"),
      },
    ],
  },
  {
    row: "S7",
    title: "an allowed folder replaced by a link",
    offReason: OFF_REASON,
    independent: true,
    variants: [
      { name: "by the agent of a folder around it", attempt: nestedRoots },
      { name: "renamed, and a link left in its place", attempt: renamedRoot },
      { name: "again and again while commands start", attempt: swappedRoot },
    ],
  },
  {
    row: "S7",
    title: "denied names that are not UTF-8",
    offReason: OFF_REASON,
    independent: true,
    variants: [
      { name: "a folder", attempt: (arena) => denyBytes(arena, "caf\\351", ".env", "**/.env") },
      { name: "a file", attempt: (arena) => denyBytes(arena, "plain", "k\\377.pem", "**/*.pem") },
      { name: "a folder that is denied itself", attempt: (arena) => denyBytes(arena, "x/\\200\\201", "f", "**/x/*") },
    ],
  },
];

function replacedOnPath({ name, bin }: OnPath): Variant {
  return { name: `${name} becomes a link to ~/.ssh`, attempt: (arena) => replaceOnPath(arena, bin) };
}

/** Replaces the topmost folder of `bin` by one that leads to ~/.ssh; the next commands try to read there. */
async function replaceOnPath(arena: Arena, bin: string, as: readonly string[] = []): Promise<void> {
  const { base, root } = withHome();
  mkdirSync(path.join(root, bin), { recursive: true });
  if (as.length > 0) Bun.spawnSync(["chown", "-R", `${OTHER}:${OTHER}`, base]);
  chmodSync(base, 0o755);
  const server = await arena.own({ root, as, env: onPath(path.join(root, bin)) });
  const [parent, keys] = [path.dirname(bin), path.join(base, "home/.ssh")];
  const top = bin.split("/")[0];
  const read = `cat ${bin}/id_rsa ${parent}/id_rsa; ls -a ${bin}/ ${parent}/; cat ${keys}/id_rsa`;
  const said = [
    await readLater(server, `mv ${parent} away; mkdir -p ${parent}; ln -s ${keys} ${bin}`, read),
    await readLater(server, `mv ${top} away2; mkdir -p ${path.dirname(parent)}; ln -s ${keys} ${parent}`, read),
  ].join("\n");
  await finish(server, base);
  must(!said.includes(CANARY), `it was shown: ${said}`);
}

async function absentOnPath(arena: Arena): Promise<void> {
  const { base, root } = withHome();
  const env = onPath(path.join(root, ".venv/bin"));
  const first = await arena.own({ root, env });
  await first.bash("ln -s ../home/.ssh .venv");
  await first.close();
  const second = await arena.own({ root, env });
  const said = await readLater(second, "true", `cat .venv/id_rsa; cat ${base}/home/.ssh/id_rsa`);
  await finish(second, base);
  must(!said.includes(CANARY), `it was shown: ${said}`);
}

async function linkOnPath(arena: Arena): Promise<void> {
  const { base, root } = withHome();
  mkdirSync(path.join(root, "deep/tools"), { recursive: true });
  symlinkSync(path.join(root, "deep/tools"), path.join(base, "home/tools"));
  const server = await arena.own({ root, env: onPath(path.join(base, "home/tools")) });
  const said = await readLater(
    server,
    "mv deep away; mkdir deep; ln -s ../../home/.ssh deep/tools",
    `cat ${base}/home/.ssh/id_rsa`,
  );
  await finish(server, base);
  must(!said.includes(CANARY), `it was shown: ${said}`);
}

async function socketOnPath(arena: Arena): Promise<void> {
  const { base, root } = withHome();
  mkdirSync(path.join(base, "run"));
  mkdirSync(path.join(root, "node_modules/.bin"), { recursive: true });
  let reached = false;
  const listening = Bun.listen({
    unix: path.join(base, "run/agent.sock"),
    socket: { open: () => void (reached = true), data: () => undefined },
  });
  const server = await arena.own({ root, env: onPath(path.join(root, "node_modules/.bin")) });
  const connect = `python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("node_modules/.bin/agent.sock")'`;
  await readLater(server, "mv node_modules away; mkdir node_modules; ln -s ../../run node_modules/.bin", connect);
  await finish(server, base);
  listening.stop(true);
  must(!reached, "a socket outside was reached");
}

/** A link in ~/.local/bin to a program: what lies beside the program is not its business. */
async function besideLink(arena: Arena, program: string, secret: string): Promise<void> {
  const { base, root } = withHome();
  const home = path.join(base, "home");
  plantProgram(home, program, secret);
  mkdirSync(path.join(home, ".local/bin"), { recursive: true });
  symlinkSync(path.join(home, program), path.join(home, ".local/bin/linked"));
  const server = await arena.own({ root, env: onPath(path.join(home, ".local/bin")) });
  const said = await server.bash(`linked; cat ${home}/${secret}; ls -a ${path.dirname(`${home}/${secret}`)}`);
  await finish(server, base);
  must(said.includes("program runs"), `the program does not run: ${said}`);
  must(!said.includes(CANARY), `it was shown: ${said}`);
}

async function besidePath(arena: Arena, folder: string, secret: string): Promise<void> {
  const { base, root } = withHome();
  const home = path.join(base, "home");
  plantProgram(home, `${folder}/linked`, secret);
  const server = await arena.own({ root, env: onPath(path.join(home, folder)) });
  const said = await server.bash(`linked; cat ${home}/${secret}`);
  await finish(server, base);
  must(said.includes("program runs"), `the program does not run: ${said}`);
  must(!said.includes(CANARY), `it was shown: ${said}`);
}

function plantProgram(home: string, program: string, secret: string): void {
  mkdirSync(path.dirname(path.join(home, program)), { recursive: true });
  writeFileSync(path.join(home, program), "#!/bin/sh\necho program runs\n", { mode: 0o755 });
  writeFileSync(path.join(home, secret), CANARY);
}

async function nestedRoots(arena: Arena): Promise<void> {
  const { base, root } = withHome();
  const inner = path.join(root, "inner");
  mkdirSync(inner);
  const outerServer = await arena.own({ root });
  const innerServer = await arena.own({ root: inner, env: homeOf(base) });
  await innerServer.bash("true");
  await outerServer.bash("mv inner inner-away; ln -s ../home/.ssh inner");
  const said = await tryLinkedRoot(innerServer);
  await outerServer.close();
  await finish(innerServer, base);
  must(!said.includes(CANARY), `it was shown: ${said}`);
}

async function renamedRoot(arena: Arena): Promise<void> {
  const { base, root } = withHome();
  const server = await arena.own({ root });
  await server.bash("true");
  renameSync(root, `${root}-away`);
  symlinkSync(path.join(base, "home/.ssh"), root);
  const said = await tryLinkedRoot(server);
  const key = readFileSync(path.join(base, "home/.ssh/id_rsa"), "utf8");
  await finish(server, base);
  must(!said.includes(CANARY), `it was shown: ${said}`);
  must(key === CANARY, "it was changed");
}

async function tryLinkedRoot(server: TestServer): Promise<string> {
  const said: string[] = [];
  for (let i = 0; i < 3; i += 1) said.push(await server.bash("cat id_rsa; ls -a; echo planted > id_rsa; echo x > new"));
  said.push(JSON.stringify(await server.call("view", { path: "id_rsa" })));
  return said.join("\n");
}

async function swappedRoot(arena: Arena): Promise<void> {
  const { base, root } = withHome();
  const server = await arena.own({ root });
  const swapper = Bun.spawn([
    "sh",
    "-c",
    `while :; do mv ${root} ${root}-away; ln -s ${base}/home/.ssh ${root}; rm ${root}; mv ${root}-away ${root}; done 2>/dev/null`,
  ]);
  const said: string[] = [];
  for (let i = 0; i < 60; i += 1) said.push(await server.bash("cat id_rsa; ls -a; echo planted > id_rsa"));
  swapper.kill("SIGKILL");
  await swapper.exited;
  const key = readFileSync(path.join(base, "home/.ssh/id_rsa"), "utf8");
  await finish(server, base);
  must(!said.join("").includes(CANARY), `it was shown: ${said.find((one) => one.includes(CANARY))}`);
  must(key === CANARY, "it was changed");
}

/** `folder` and `file` as printf writes them: with octal escapes. */
async function denyBytes(arena: Arena, folder: string, file: string, glob: string): Promise<void> {
  const { base, root } = scratch();
  const make = `d=$(printf '${folder}'); mkdir -p "$d"; printf ${CANARY} > "$d/$(printf '${file}')"`;
  must(Bun.spawnSync(["bash", "-c", make], { cwd: root }).success, "it could not be made");
  const server = await arena.own({ root, args: ["--deny-dir", glob] });
  const read = `cat "$(printf '${folder}')/$(printf '${file}')"; grep -r ${CANARY.slice(0, 6)} . ; tar c . | strings`;
  const said = await readLater(server, "true", read);
  const searched = JSON.stringify(await server.call("grep", { pattern: CANARY.slice(0, 6) }));
  await finish(server, base);
  must(!said.includes(CANARY), `it was shown: ${said}`);
  must(!searched.includes(CANARY), `it was found: ${searched}`);
}

/** A shell that waits may have been started before the change: the later commands have one of their own. */
async function readLater(server: TestServer, first: string, then: string): Promise<string> {
  const said = [await server.bash(first)];
  for (let i = 0; i < 3; i += 1) said.push(await server.bash(then));
  return said.join("\n");
}

function withHome(): { base: string; root: string } {
  const made = scratch();
  mkdirSync(path.join(made.base, "home/.ssh"), { recursive: true });
  writeFileSync(path.join(made.base, "home/.ssh/id_rsa"), CANARY);
  return made;
}

/** Of a server whose folder lies deeper than the one everything is made in. */
function homeOf(base: string): Record<string, string> {
  return { HOME: path.join(base, "home"), XDG_STATE_HOME: path.join(base, "state") };
}

function onPath(folder: string): Record<string, string> {
  return { PATH: `${folder}:${process.env["PATH"] ?? "/usr/bin:/bin"}` };
}

async function finish(server: TestServer, base: string): Promise<void> {
  await server.close();
  rmSync(base, { recursive: true, force: true });
}
