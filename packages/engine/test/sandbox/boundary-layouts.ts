// Generated layouts for `same-boundary`: folders on PATH, links, nested allowed folders, denied names, and agents that move
// things about. For each, where what a command can do differs from what the file tools can.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openForReading } from "../../src/files/open-file.ts";
import { bubblewrapConfinement } from "../../src/sandbox/bubblewrap.ts";
import { MountpointLocks } from "../../src/sandbox/mountpoint-locks.ts";
import { namespaceConfinement } from "../../src/sandbox/namespaces.ts";
import { refreshedConfinement } from "../../src/sandbox/refreshed-confinement.ts";
import { boundaryOf } from "../../src/sandbox/scope-boundary.ts";
import { findNamespaceTools, findSystemProgram } from "../../src/sandbox/system-programs.ts";
import { resolveInScope } from "../../src/scope/resolve-path.ts";
import { closeScope, openScope } from "../../src/scope/scope.ts";
import type { Confinement } from "../../src/process/sandbox-words.ts";
import type { Boundary } from "../../src/sandbox/boundary.ts";
import type { Scope } from "../../src/scope/scope.ts";

/** So many there are; the test takes a share of them, the script of that name all. */
export const LAYOUTS = 2000;
const SEED = 20_261_118;

const base = realpathSync(mkdtempSync(path.join(tmpdir(), "same-boundary-")));
const locks = new MountpointLocks(path.join(base, "locks"));

const bwrap = findSystemProgram("bwrap");
const tools = findNamespaceTools();

/** Why no layout can be tried here; undefined: they can. */
export const missing = bwrap === null || tools === undefined ? "bwrap or util-linux is not installed" : undefined;

export function removeLayouts(): void {
  rmSync(base, { recursive: true, force: true });
}

/** What differs, in words. Empty: nothing. */
export async function differences(number: number): Promise<string[]> {
  const layout = new Layout(number);
  const opened: Confinement[] = [];
  try {
    const scope = openScope({ workdir: layout.work, roots: layout.roots, deny: layout.deny });
    try {
      const reread = (): Promise<Boundary> =>
        boundaryOf(scope, { network: false, home: layout.home, path: layout.searchPath });
      const build = (boundary: Boundary): Confinement => confinementFor(number, boundary);
      const start = await reread();
      const confinement = refreshedConfinement(build(start), start, build, reread);
      opened.push(confinement);
      await inSandbox(confinement, layout, layout.agentActs());
      layout.othersAct();
      // Rules with wildcards are looked at again every two seconds: a fresh confinement does it now.
      const now = await reread();
      const fresh = refreshedConfinement(build(now), now, build, reread);
      opened.push(fresh);
      return await compare(scope, layout, layout.deny.length === 0 ? [confinement, fresh] : [fresh]);
    } finally {
      closeScope(scope);
    }
  } finally {
    for (const confinement of opened) confinement.close?.();
    layout.remove();
  }
}

function confinementFor(number: number, boundary: Boundary): Confinement {
  if (number % 10 === 9 && tools !== undefined) return namespaceConfinement(tools, boundary, { locks });
  return bubblewrapConfinement(bwrap ?? "bwrap", boundary, { locks, bindsDescriptors: true });
}

/**
 * A command must not read or write more than the tools do. By a name without links it must not do less, either; by a link
 * it may: one that leads through a part of the machine that is not there leads nowhere.
 */
async function compare(scope: Scope, layout: Layout, confinements: readonly Confinement[]): Promise<string[]> {
  const found: string[] = [];
  for (const confinement of confinements) {
    const paths = layout.allPaths();
    const before = layout.outside();
    writeFileSync(path.join(layout.scratch, "paths"), paths.map((file) => `${file}\n`).join(""));
    const said = (await inSandbox(confinement, layout, PROBE)).trimEnd().split("\n");
    if (said.length !== paths.length) return [`the command said ${said.length} lines for ${paths.length} paths`];
    if (layout.outside() !== before) found.push(`#${layout.number}: something outside was changed`);
    for (const [index, file] of paths.entries()) {
      const [read, write] = (said[index] ?? "").split(" ").map((word) => word === "yes");
      const may = { read: mayRead(scope, file), write: mayWrite(scope, file) };
      const isPlain = realpathSync(file) === file;
      const isProgram = read === true && !may.read && layout.isProgram(file);
      const differs = (can: boolean | undefined, allowed: boolean): boolean =>
        isPlain ? can !== allowed : can === true && !allowed;
      if (!isProgram && differs(read, may.read))
        found.push(`#${layout.number} ${layout.tell(file)}: the command reads: ${read}, the tools: ${may.read}`);
      if (differs(write, may.write))
        found.push(`#${layout.number} ${layout.tell(file)}: the command writes: ${write}, the tools: ${may.write}`);
    }
  }
  return found;
}

// For each path: whether its real content can be read, and whether what was read can be written. What is not there can be
// made in the command's own home folder: that is no writing outside.
const PROBE = `while IFS= read -r p; do r=no; w=no
  { IFS= read -r line < "$p"; } 2>/dev/null && [ "$line" != planted ] && r=yes && { : >> "$p"; } 2>/dev/null && w=yes
  [ $r = yes ] || { echo planted >> "$p"; } 2>/dev/null
  echo "$r $w $p"; done < /tmp/paths`;

function mayRead(scope: Scope, file: string): boolean {
  try {
    using place = resolveInScope(scope, file);
    openForReading(place)[Symbol.dispose]();
    return true;
  } catch {
    return false; // which refusal it is does not matter here
  }
}

function mayWrite(scope: Scope, file: string): boolean {
  try {
    using place = resolveInScope(scope, file, { writing: true });
    return place.entry?.kind === "file";
  } catch {
    return false; // as above
  }
}

async function inSandbox(confinement: Confinement, layout: Layout, script: string): Promise<string> {
  await confinement.prepare?.();
  const leave = confinement.enter?.();
  const env = { PATH: layout.searchPath, HOME: layout.home, W: layout.work, B: layout.base };
  const options = { cwd: "/", env, scratch: layout.scratch, firstFd: 3 };
  const wrapped = confinement.wrap(["/bin/bash", "-c", script], options);
  try {
    const child = Bun.spawn([...wrapped.argv], {
      stdio: ["ignore", "pipe", "pipe", ...wrapped.fds],
      env: { ...wrapped.env },
      cwd: "/",
    });
    return await new Response(child.stdout).text();
  } finally {
    wrapped.release();
    leave?.();
  }
}

/** A home with secrets and programs, a workspace in it or beside it, and a PATH that names folders of both. */
class Layout {
  readonly number: number;
  readonly base: string;
  readonly home: string;
  readonly work: string;
  readonly scratch: string;
  readonly roots: readonly string[];
  readonly deny: readonly string[];
  readonly searchPath: string;
  readonly #random: () => number;
  readonly #isNested: boolean;

  constructor(number: number) {
    this.number = number;
    this.#random = mulberry(SEED + number);
    this.base = path.join(base, `layout-${number}`);
    this.home = path.join(this.base, "home");
    this.#isNested = this.#chance(0.4);
    this.work = path.join(
      this.base,
      this.#isNested ? "outer/inner/work" : this.#chance(0.5) ? "work" : "home/dev/work",
    );
    this.scratch = path.join(this.base, "scratch");
    mkdirSync(this.work, { recursive: true });
    mkdirSync(this.scratch);
    this.#furnishHome();
    this.#furnishWork();
    this.roots = this.#chance(0.3) ? [this.work, path.join(this.work, "sub")] : [this.work];
    this.deny = this.#some(["**/.env", "**/secret*", path.join(this.work, "priv"), "**/sub/*/key"], 0.25);
    this.searchPath = [...this.#some(this.#pathFolders(), 0.5), "/usr/bin", "/bin"].join(":");
  }

  /** What a misled agent does inside: moves its folders away and puts links in their place. */
  agentActs(): string {
    const targets = [
      "$B/home/.ssh",
      "../home/.ssh",
      "../../home/Documents",
      "$B/home",
      "/",
      "$B/home/dev/private",
      "$W/sub",
    ];
    const places = [
      "node_modules/.bin",
      "node_modules",
      ".venv",
      ".venv/bin",
      "sub/x/bin",
      "sub/x",
      "sub",
      "priv",
      "new/bin",
    ];
    const acts = Array.from({ length: 1 + Math.floor(this.#random() * 4) }, (_, i) => {
      const [place, target] = [this.#pick(places), this.#pick(targets)];
      const parent = path.dirname(place);
      return this.#pick([
        `mv ${place} away${i}; mkdir -p ${parent}; ln -s ${target} ${place}`,
        `rm -rf ${place}; mkdir -p ${parent}; ln -s ${target} ${place}`,
        `mkdir -p ${place}; echo made > ${place}/made${i}; echo k > ${place}/.env`,
        `mv ${this.#pick(places)} ${place}`,
        `ln -s ${target} link${i}; chmod 700 .; ln ${place}/tool hard${i}`,
      ]);
    });
    return `cd "$W" || exit; ${acts.join("; ")}`;
  }

  /** What an agent of the folder around does, or anybody with the rights to. */
  othersAct(): void {
    if (!this.#isNested || this.#chance(0.3)) return;
    const what = this.#pick(["work", "inner"]);
    const place = what === "work" ? this.work : path.dirname(this.work);
    if (!existsSync(place)) return;
    renameSync(place, `${place}-away`);
    if (this.#chance(0.6))
      symlinkSync(this.#pick([".ssh", "Documents", "dev"].map((name) => path.join(this.home, name))), place);
    else if (this.#chance(0.5)) symlinkSync(`${place}-away`, place);
    else mkdirSync(this.work, { recursive: true });
  }

  /** Every file there is, by each of its names: also through links, one level deep. */
  allPaths(): string[] {
    const found: string[] = [];
    const visit = (folder: string, depth: number, throughLink: boolean): void => {
      for (const name of names(folder)) {
        const file = path.join(folder, name);
        const stat = lstatSync(file);
        if (stat.isSymbolicLink()) {
          found.push(file);
          if (!throughLink && this.#leadsHere(file)) visit(file, depth + 1, true);
        } else if (stat.isFile()) found.push(file);
        else if (stat.isDirectory() && depth < 8) visit(file, depth + 1, throughLink);
      }
    };
    for (const name of ["home", "outer", "work"]) visit(path.join(this.base, name), 0, false);
    return found.filter((file) => isFileBehind(file)).slice(0, 400);
  }

  /** What is in all files that no allowed folder holds. */
  outside(): string {
    const isInside = (file: string): boolean => this.roots.some((root) => file.startsWith(`${root}/`));
    const found: string[] = [];
    const visit = (folder: string): void => {
      for (const name of names(folder)) {
        const file = path.join(folder, name);
        const stat = lstatSync(file);
        if (stat.isDirectory()) visit(file);
        else if (!isInside(file)) found.push(`${file} ${stat.size} ${stat.mtimeMs}`);
      }
    };
    for (const name of ["home", "outer", "work"]) visit(path.join(this.base, name));
    return found.join("\n");
  }

  /** By the rules that are written down: an executable file, or part of something that is nothing but programs. */
  isProgram(file: string): boolean {
    const real = realpathSync(file);
    const relative = path.relative(this.home, real);
    if (/(^|\/)(\.ssh|Documents)\//.test(relative) && !relative.endsWith(".sh")) return false;
    if (/(^|\/)\.env$/.test(relative)) return false;
    return (
      (lstatSync(real).mode & 0o111) !== 0 ||
      /^(\.cargo|\.venvs\/a|dev\/private\/lib|bin|\.local\/(bin|lib))\//.test(relative)
    );
  }

  tell(file: string): string {
    return `${path.relative(this.base, file)} (PATH ${this.searchPath.replaceAll(`${this.base}/`, "")}, deny ${this.deny.map((one) => one.replace(`${this.base}/`, "")).join(" ")})`;
  }

  remove(): void {
    rmSync(this.base, { recursive: true, force: true });
  }

  /** Not to all of the machine. */
  #leadsHere(file: string): boolean {
    return existsSync(file) && realpathSync(file).startsWith(`${this.base}/`);
  }

  #furnishHome(): void {
    const at = (name: string): string => path.join(this.home, name);
    for (const secret of [".ssh/id_rsa", "Documents/taxes", "dev/private/.env", "dev/private/src/main"])
      put(at(secret));
    for (const part of [".cargo/registry/x", "dev/private/lib/mod", ".venvs/a/pyvenv.cfg", ".local/lib/l"])
      put(at(part));
    for (const program of [
      ".cargo/bin/cargo",
      "dev/private/bin/run",
      "bin/tool",
      ".venvs/a/bin/python",
      "Documents/tool.sh",
    ])
      put(at(program), 0o755);
    mkdirSync(at(".local/bin"), { recursive: true });
    const targets = [
      "Documents/tool.sh",
      "Documents/taxes",
      "Documents",
      ".ssh",
      ".ssh/id_rsa",
      "dev/private/bin/run",
      ".venvs/a/bin/python",
    ];
    for (const [index, target] of this.#some(targets, 0.5).entries()) link(at(target), at(`.local/bin/l${index}`));
    link(path.join(this.work, this.#pick(["sub", "priv", "node_modules/.bin"])), at(".local/bin/into-work"));
    link(
      this.#pick([at("Documents"), at(".ssh"), path.join(this.work, "sub/x/bin"), at("dev/private/bin")]),
      at("tools"),
    );
  }

  #furnishWork(): void {
    const at = (name: string): string => path.join(this.work, name);
    for (const file of ["a.txt", ".env", "priv/key", "secret.txt", "sub/b.txt", "sub/x/key", "sub/x/.env"])
      put(at(file));
    for (const program of ["node_modules/.bin/tool", ".venv/bin/tool", "sub/x/bin/tool"])
      if (this.#chance(0.7)) put(at(program), 0o755);
    if (this.#chance(0.5)) link(path.join(this.home, ".ssh"), at("to-keys"));
    if (this.#chance(0.5)) link("priv", at("to-priv"));
  }

  #pathFolders(): string[] {
    const inWork = ["node_modules/.bin", ".venv/bin", "sub/x/bin", "new/bin"].map((name) => path.join(this.work, name));
    const inHome = [".cargo/bin", ".local/bin", "bin", "tools", "dev/private/bin", ".venvs/a/bin"];
    return [...inWork, ...inHome.map((name) => path.join(this.home, name)), "relative/bin", ""];
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random() * from.length)] as T;
  }

  #some<T>(from: readonly T[], probability: number): T[] {
    return from.filter(() => this.#chance(probability));
  }
}

function put(file: string, mode = 0o644): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `content of ${path.basename(file)}\n`);
  chmodSync(file, mode);
}

function link(target: string, file: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  symlinkSync(target, file);
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // a link that leads nowhere
  }
}

function isFileBehind(file: string): boolean {
  try {
    return lstatSync(realpathSync(file)).isFile();
  } catch {
    return false; // a link that leads nowhere, or round in circles
  }
}

/** A small generator with a seed, so that every run meets the same layouts. */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
