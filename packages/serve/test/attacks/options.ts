// S10: arguments that are options of a program behind a tool.
import { existsSync, rmSync } from "node:fs";
import { must } from "./arena.ts";
import type { Attack, Variant } from "./arena.ts";

type Call = readonly [name: string, tool: string, args: Record<string, unknown>];
const CALLS: readonly Call[] = [
  ["a pattern that runs a program", "grep", { pattern: "--pre=touch hijacked" }],
  ["a pattern that is a file of patterns", "grep", { pattern: "--file=/etc/passwd", output_mode: "content" }],
  ["a pattern that follows links", "grep", { pattern: "-Lcanary", output_mode: "content" }],
  ["a path that is an option", "grep", { pattern: "x", path: "--files" }],
  ["a path that is another's", "grep", { pattern: "x", path: "--pre=touch" }],
  ["an include that is an option", "grep", { pattern: "x", include: "--pre=sh" }],
  ["an include that leaves", "grep", { pattern: "canary", include: "../../**", output_mode: "content" }],
  ["a glob that is an option", "glob", { pattern: "--exec" }],
  ["a glob that leaves", "glob", { pattern: "../**/*" }],
  ["a glob from the root", "glob", { pattern: "/etc/**" }],
  ["a file named like an option", "view", { path: "-rf" }],
  ["a directory named like one", "list_dir", { dir: "--help" }],
  ["a program that is an option", "run_command", { command: "--version", args: [] }],
  ["a program that is a path", "run_command", { command: "../../bin/sh", args: ["-c", "touch hijacked"] }],
  ["a program with words in it", "run_command", { command: "sh -c 'touch hijacked'", args: [] }],
  [
    "a hundred thousand arguments",
    "run_command",
    { command: "node", args: Array.from({ length: 100_000 }, () => "x".repeat(40)) },
  ],
  ["a name for node to load", "run_command", { command: "node", args: ["--version", "\0--require=evil"] }],
];

const calls: Variant[] = CALLS.map(([name, tool, args]) => ({
  name,
  async attempt(arena) {
    const said = JSON.stringify(await arena.server.request("tools/call", { name: tool, arguments: args }));
    must(!existsSync(arena.server.at("hijacked")), "an option ran a program");
    must(!/root:x:0|\/etc\/(hosts|passwd)/.test(said), `it showed the system: ${said.slice(0, 200)}`);
    arena.unharmed(said);
  },
}));

const planted: Variant = {
  name: "files named like options, found by wildcards of our own",
  async attempt({ server }) {
    const names = ["--pre=touch", "-rf", "--checkpoint-action=exec=touch hijacked"];
    for (const name of names) await server.call("create_file", { path: name, content: "canary-not" });
    await server.call("grep", { pattern: "canary-not" });
    await server.call("glob", { pattern: "**/*" });
    for (const name of names) await server.call("delete_file", { path: name });
    for (const name of names) rmSync(server.at(name), { force: true });
    must(!existsSync(server.at("hijacked")), "a file name ran a program");
  },
};

/** Settings of search and version control that name programs: the folder's own must not count. */
const configured: Variant = {
  name: "settings in the folder that name programs",
  async attempt({ server }) {
    const touch = `touch ${server.at("hijacked")}`;
    const files: Record<string, string> = {
      ".ripgreprc": `--pre=${touch}`,
      ".rgignore": "!*",
      ".git/config": `[core]\n\tfsmonitor = ${touch}\n\thooksPath = .\n\tpager = ${touch}\n\tsshCommand = ${touch}\n`,
      ".git/HEAD": "ref: refs/heads/x\n",
      "bunfig.toml": 'preload = ["./evil.ts"]\n',
      ".npmrc": `script-shell=${touch}\n`,
    };
    for (const [name, content] of Object.entries(files)) await server.call("create_file", { path: name, content });
    await server.call("grep", { pattern: "inside" });
    await server.call("glob", { pattern: "**/*.txt" });
    await server.call("view", { path: "." });
    await server.call("list_dir", { dir: ".", recursive: true });
    for (const name of [".git", ...Object.keys(files)]) rmSync(server.at(name), { recursive: true, force: true });
    must(!existsSync(server.at("hijacked")), "the folder's settings ran a program");
  },
};

export const OPTIONS: readonly Attack[] = [
  { row: "S10", title: "arguments that are options", variants: [...calls, planted, configured] },
];
