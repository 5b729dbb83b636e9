// Every attack of the threat tables, tried on real processes: the server's with and without a sandbox, the client's at a
// terminal. A row counts variants and how many of them were held off.
import path from "node:path";
import { Arena } from "../../packages/serve/test/attacks/arena.ts";
import type { Mode } from "../../packages/serve/test/attacks/arena.ts";
import { ATTACKS, tryAttack } from "../../packages/serve/test/attacks/table.ts";
import type { Row, Section } from "../report.ts";

const CLIENT_TABLE = path.resolve(import.meta.dir, "../../packages/chat/test/attack-table.ts");

type Tried = { title: string; variants: number; held: Map<Mode, number> };

export const attacks: Section = {
  name: "attacks",
  about: "attacks on the server and on the chat, each tried on real processes",
  async run(progress) {
    const server = await serverRows(progress);
    progress("the chat");
    return [...server, ...(await clientRows())];
  },
};

async function serverRows(progress: (text: string) => void): Promise<Row[]> {
  const tried = new Map<string, Tried>();
  for (const mode of ["on", "off"] as const) {
    await using arena = await Arena.open(mode);
    for (const attack of ATTACKS) {
      progress(`sandbox ${mode}: ${attack.row} ${attack.title}`);
      const outcome = await tryAttack(attack, arena);
      const { row, title, variants } = attack;
      const sum = tried.get(`${row} ${title}`) ?? {
        title: `${row} ${title}`,
        variants: variants.length,
        held: new Map(),
      };
      tried.set(sum.title, sum);
      if (outcome.kind === "contained") sum.held.set(mode, variants.length);
      else if (outcome.kind === "breached") sum.held.set(mode, variants.length - outcome.breaches.length);
    }
  }
  return [...tried.values()].map(({ title, variants, held }) => attackRow(title, variants, held));
}

/** Where nothing is claimed without a sandbox, nothing is counted. */
function attackRow(what: string, variants: number, held: ReadonlyMap<Mode, number>): Row {
  const [on, off] = [held.get("on"), held.get("off")];
  return {
    what,
    unit: "variants",
    ours: variants,
    theirs: {
      ...(on === undefined ? {} : { "held off in the sandbox": on }),
      ...(off === undefined ? {} : { "held off without": off }),
    },
    target: { text: "all", reached: [...held.values()].every((count) => count === variants) },
  };
}

async function clientRows(): Promise<Row[]> {
  const words = [process.execPath, "--no-env-file", "--config=/dev/null", CLIENT_TABLE];
  const child = Bun.spawn(words, { stdout: "pipe", stderr: "ignore", env: process.env });
  const tried: { title: string; variants: number; held: number }[] = [];
  for (const line of (await new Response(child.stdout).text()).split("\n")) {
    const [, title] = /^(?:holds|FAILS) {2}(.+)$/.exec(line) ?? [];
    if (title !== undefined) tried.push({ title, variants: 0, held: 0 });
    const [, end] = /^ {7}(ok|FAIL) /.exec(line) ?? [];
    const row = tried.at(-1);
    if (row === undefined || end === undefined) continue;
    row.variants++;
    if (end === "ok") row.held++;
  }
  if (tried.length === 0) throw new Error(`${CLIENT_TABLE} printed no table`);
  return tried.map(({ title, variants, held }) => attackRow(title, variants, new Map([["off", held]])));
}
