// S1, S2, S3, S6: paths that leave the scope by their text or through links, aimed at by every tool that takes one.
import { existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { must } from "./arena.ts";
import type { Arena, Attack, Variant } from "./arena.ts";

type Aim = readonly [tool: string, args: (at: string) => Record<string, unknown>];

const AIMED: readonly Aim[] = [
  ["view", (at) => ({ path: at })],
  ["str_replace", (at) => ({ path: at, old_str: "canary", new_str: "gone" })],
  ["create_file", (at) => ({ path: at, content: "planted" })],
  ["grep", (at) => ({ pattern: "canary", path: at, output_mode: "content" })],
  ["glob", (at) => ({ pattern: "*", path: at })],
  ["read_file", (at) => ({ file: at })],
  ["list_dir", (at) => ({ dir: at })],
  ["edit_file", (at) => ({ file: at, find: "canary", replace: "gone" })],
  ["write_file", (at) => ({ file: at, content: "planted" })],
  ["delete_file", (at) => ({ path: `${at}/secret.txt` })],
  ["move_file", (at) => ({ from: "inside.txt", to: `${at}/moved.txt` })],
  ["move_file", (at) => ({ from: `${at}/secret.txt`, to: "taken.txt" })],
  ["mkdir", (at) => ({ dir: `${at}/made` })],
  ["run_command", (at) => ({ command: "node", args: ["-p", "1"], cwd: at })],
  ["shell", (at) => ({ command: "cat secret.txt", working_directory: at })],
];
/** These may make something of that very name inside, or find nothing: what counts is that nothing outside is touched. */
const MAY_SUCCEED = new Set(["glob", "create_file", "write_file", "mkdir", "move_file"]);

type Place = { readonly name: string; at(arena: Arena): string; readonly isOrdinaryName?: boolean };

const SIBLINGS: readonly Place[] = [
  { name: "a sibling with the same prefix", at: ({ server }) => `${server.root}_evil` },
  { name: "a sibling through the parent", at: () => "../work_evil" },
];
const LINKS: readonly Place[] = [
  { name: "a link to a folder", at: () => "to-dir" },
  { name: "a relative link", at: () => "relative" },
  { name: "a chain of links", at: () => "chain-a" },
  { name: "a link to the root", at: ({ server }) => `to-root${server.base}/outside` },
  { name: "a link through /proc", at: ({ server }) => `to-proc${server.base}/outside` },
  { name: "a link to our own directory, and up", at: () => "to-cwd/../outside" },
  { name: "a loop", at: () => "loop" },
  { name: "up and down again", at: () => "dir/../../outside" },
];
const DANGLING: readonly Place[] = [
  { name: "a dangling link", at: () => "dangling" },
  { name: "a dangling link below nothing", at: () => "dangling-deep" },
];
const FORMS: readonly Place[] = [
  { name: "a NUL", at: () => "inside.txt\0/../../outside" },
  { name: "percent-encoding is literal", at: () => "%2e%2e/outside", isOrdinaryName: true },
  { name: "a file URL", at: ({ server }) => `file://${server.base}/outside` },
  { name: "a very long name", at: () => "x".repeat(5000) },
  { name: "a fullwidth look-alike", at: () => "．．/outside", isOrdinaryName: true },
  { name: "a backslash", at: () => "..\\outside", isOrdinaryName: true },
  { name: "a tilde", at: () => "~/../outside", isOrdinaryName: true },
  { name: "trailing dots and blanks", at: () => ".. /outside", isOrdinaryName: true },
];
const LEFTOVERS = ["．．", "%2e%2e", "~", ".. ", "..\\outside", "outside", "taken.txt"];

function everyTool(place: Place): Variant[] {
  return AIMED.map(([tool, args]) => ({
    name: `${tool}: ${place.name}`,
    async attempt(arena) {
      const result = await arena.server.call(tool, args(place.at(arena)));
      arena.unharmed(JSON.stringify(result));
      const mayPass = place.isOrdinaryName === true || MAY_SUCCEED.has(tool);
      must(mayPass || result.isError === true, `${tool} was not refused`);
      for (const name of LEFTOVERS) rmSync(arena.server.at(name), { recursive: true, force: true });
      writeFileSync(arena.server.at("inside.txt"), "inside\n");
    },
  }));
}

const linkedFile: Variant[] = AIMED.filter(
  ([tool]) => /view|replace|file$|grep/.test(tool) && !/move|delete/.test(tool),
).map(([tool, args]) => ({
  name: `${tool}: a link to a file outside`,
  async attempt(arena) {
    const result = await arena.server.call(tool, args("to-file"));
    must(result.isError === true, `${tool} was not refused`);
    arena.unharmed(JSON.stringify(result));
  },
}));

/** The working directory of a session becomes a link while the session is in it. */
const movedUnderUs: Variant = {
  name: "bash, create_file: the session's directory is replaced by a link",
  async attempt(arena) {
    await arena.server.bash("mkdir -p roam && cd roam");
    await arena.server.bash(`cd .. && rm -rf roam && ln -s ../outside roam && cd ${arena.server.root}/roam`);
    const said = [
      JSON.stringify(await arena.server.call("create_file", { path: "planted", content: "x" })),
      JSON.stringify(await arena.server.call("view", { path: "secret.txt" })),
      ...(arena.mode === "on" ? [await arena.server.bash("cat secret.txt; touch planted")] : []),
    ].join("\n");
    rmSync(arena.server.at("roam"), { force: true });
    rmSync(arena.server.at("planted"), { force: true });
    await arena.server.bash(`cd ${arena.server.root}`);
    arena.unharmed(said);
  },
};

const searched: Variant = {
  name: "grep: links are not followed out",
  async attempt(arena) {
    const said = await arena.server.text("grep", { pattern: "canary", output_mode: "content" });
    must(said === "", `grep said ${said}`);
    must(!existsSync(path.join(arena.outside, "made-by-link")), "a link's target was made");
  },
};

export const PATHS: readonly Attack[] = [
  { row: "S1", title: "a sibling with the same prefix", variants: SIBLINGS.flatMap(everyTool) },
  {
    row: "S2",
    title: "links to files, folders, chains, loops",
    variants: [...LINKS.flatMap(everyTool), ...linkedFile, searched, movedUnderUs],
  },
  { row: "S3", title: "dangling links, missing parents", variants: DANGLING.flatMap(everyTool) },
  { row: "S6", title: "odd forms of a path", variants: FORMS.flatMap(everyTool) },
];
