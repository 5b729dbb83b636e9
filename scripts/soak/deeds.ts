// What clients do with the coding tools, and what must come back. Each deed checks its own answer.
import { call } from "./peer.ts";
import type { Answer, Peer } from "./peer.ts";
import { FIRST_LINE } from "./place.ts";
import type { Random } from "./random.ts";

export type Deed = {
  readonly name: string;
  /** How often, beside the others. */
  readonly weight: number;
  /** What was wrong with the answer, if anything. `own`: a name no other worker uses. */
  run(peer: Peer, random: Random, own: string): Promise<string | undefined>;
};

const MIB = 1024 * 1024;

export const DEEDS: readonly Deed[] = [
  {
    name: "read",
    weight: 30,
    run: async (peer, random) => {
      const at = random.between(0, 39);
      const answer = await call(peer, "view", { path: `part${at % 5}/file${at}.txt` });
      return unless(answer, `${FIRST_LINE} ${at}`);
    },
  },
  {
    name: "range of a large file",
    weight: 6,
    run: async (peer, random) => {
      const first = random.between(2, 17_000);
      const answer = await call(peer, "view", { path: "large.txt", view_range: [first, first + 50] });
      return unless(answer, "lorem");
    },
  },
  {
    name: "large read",
    weight: 2,
    run: async (peer) => unless(await call(peer, "view", { path: "large.txt" }), FIRST_LINE),
  },
  {
    name: "edit",
    weight: 10,
    run: async (peer, random, own) => {
      const [before, after] = [random.word(), random.word()];
      const path = `${own}.txt`;
      const made = await call(peer, "create_file", { path, content: `one\n${before}\nthree\n` });
      const edited = await call(peer, "str_replace", { path, old_str: before, new_str: after });
      const seen = await call(peer, "view", { path });
      return unless(made, path) ?? (edited.isError ? `edit: ${edited.text}` : unless(seen, after));
    },
  },
  {
    name: "command",
    weight: 14,
    run: async (peer, random) => {
      const word = random.word();
      return unless(await call(peer, "bash", { command: `echo ${word}` }), word);
    },
  },
  {
    name: "failing command",
    weight: 3,
    run: async (peer) => unless(await call(peer, "bash", { command: "echo no >&2; exit 3" }), "exit_code: 3"),
  },
  {
    name: "command past its time",
    weight: 2,
    run: async (peer) => {
      const command = "setsid sleep 300 & sleep 300";
      return unless(await call(peer, "bash", { command, timeout: 150 }), "timed out");
    },
  },
  {
    name: "flood",
    weight: 3,
    run: async (peer, random) => {
      const bytes = random.between(1, 24) * MIB;
      const command = `head -c ${bytes} /dev/zero | tr '\\0' x; echo; echo err >&2`;
      return unless(await call(peer, "bash", { command }), "exit_code: 0");
    },
  },
  {
    name: "background job",
    weight: 5,
    run: async (peer, random) => {
      const word = random.word();
      const started = await call(peer, "bash", { command: `sleep 0.1; echo ${word}`, run_in_background: true });
      const [, task_id = ""] = /task_id: (\w+)/.exec(started.text) ?? [];
      if (task_id === "") return `no task id: ${started.text}`;
      return unless(await call(peer, "task_output", { task_id, wait: 20_000 }), word);
    },
  },
  {
    name: "forgotten background job",
    weight: 1,
    run: async (peer) => {
      const started = await call(peer, "bash", { command: "sleep 2", run_in_background: true });
      return unless(started, "task_id: ");
    },
  },
  {
    name: "grep",
    weight: 8,
    run: async (peer) => {
      const answer = await call(peer, "grep", { pattern: "needle in", output_mode: "content" });
      return unless(answer, "file10.txt") ?? unless(answer, "file30.txt");
    },
  },
  {
    name: "glob",
    weight: 5,
    run: async (peer) => unless(await call(peer, "glob", { pattern: "part3/*.txt" }), "file33"),
  },
  {
    name: "refused",
    weight: 4,
    run: async (peer) => {
      const answer = await call(peer, "view", { path: "../../../etc/passwd" });
      return answer.isError && !answer.text.includes("root:") ? undefined : `not refused: ${answer.text}`;
    },
  },
  {
    name: "unknown tool",
    weight: 2,
    run: async (peer) => ((await call(peer, "no_such_tool", {})).isError ? undefined : "an unknown tool worked"),
  },
  {
    name: "wrong arguments",
    weight: 2,
    run: async (peer) => ((await call(peer, "view", { path: 7 })).isError ? undefined : "a number passed as a path"),
  },
  {
    name: "list",
    weight: 3,
    run: async (peer) => ((await peer.ask("tools/list", {})).isError ? "tools/list failed" : undefined),
  },
  {
    name: "cancel",
    weight: 5,
    run: async (peer, random) => {
      await peer.askAndCancel(
        "tools/call",
        { name: "bash", arguments: { command: "sleep 300" } },
        random.between(0, 120),
      );
      return undefined;
    },
  },
];

export function anyDeed(random: Random): Deed {
  const sum = DEEDS.reduce((total, { weight }) => total + weight, 0);
  let at = random.next() * sum;
  for (const deed of DEEDS) if ((at -= deed.weight) < 0) return deed;
  throw new Error("weights do not sum up");
}

/** What is missing. A server that was killed says so; a proxy may send a repeated text as a reference. */
function unless(answer: Answer, expected: string): string | undefined {
  if (answer.text.includes(expected) || answer.text.includes("[bosun:")) return undefined;
  return `${JSON.stringify(expected)} is missing in ${JSON.stringify(answer.text.slice(0, 200))}`;
}
