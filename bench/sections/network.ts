// What a command pays for the gate: its start, the first byte of a request, the rate of a download.
import { TestNetwork, missing, upstream } from "../../packages/network/test/harness.ts";
import { median } from "../report.ts";
import type { Row, Section } from "../report.ts";

const ROUNDS = 40;
const DOWNLOAD_BYTES = 200 * 1024 * 1024;

export const network: Section = {
  name: "network",
  about: "commands behind the network gate beside commands without a network, and connections beside direct ones",
  async run(progress) {
    if (missing !== undefined) return [];
    progress("the start of a command");
    const starts = await commandStarts();
    progress("requests and downloads");
    return [...starts, ...(await connections())];
  },
};

async function commandStarts(): Promise<Row[]> {
  await using net = new TestNetwork();
  const begun = performance.now();
  const { prefix, files } = await net.session.commandNetwork();
  const gateMs = performance.now() - begun;
  const mounts = files.flatMap(({ at, file }) => ["--ro-bind", file, at]);
  const [behind, without]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    behind.push(await timed([...prefix, ...net.sandbox(mounts), "--", "/bin/true"]));
    without.push(await timed([...net.sandbox(["--unshare-net"]), "--", "/bin/true"]));
  }
  const [ours, off] = [median(behind), median(without)];
  return [
    {
      what: "true behind the gate",
      unit: "ms",
      ours,
      theirs: { "network off": off },
      target: { text: "≤ 1.25×", reached: ours <= 1.25 * off },
    },
    { what: "the gate from spawn to ready, once per session", unit: "ms", ours: gateMs, theirs: {} },
  ];
}

async function connections(): Promise<Row[]> {
  using small = upstream("hello");
  const large = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response(new Uint8Array(DOWNLOAD_BYTES)),
  });
  await using net = new TestNetwork({
    allow: [`small.test:80=127.0.0.1:${small.port}`, `large.test:80=127.0.0.1:${large.port}`],
  });
  const word = (url: string, what: string, times: number): string =>
    `for n in $(seq ${times}); do curl -sS -o /dev/null -w '%{${what}}\\n' ${url}; done`;
  const measure = async (name: string, port: number, what: string, times: number): Promise<[number, number]> => {
    const through = await net.run(word(`http://${name}.test/`, what, times));
    const direct = Bun.spawn(["bash", "-c", word(`http://127.0.0.1:${port}/`, what, times)], { stdout: "pipe" });
    return [numbersIn(through.out), numbersIn(await new Response(direct.stdout).text())];
  };
  const [first, firstDirect] = await measure("small", small.port, "time_starttransfer", ROUNDS);
  const [lookup] = await measure("small", small.port, "time_namelookup", ROUNDS);
  const [rate, rateDirect] = await measure("large", large.port ?? 0, "speed_download", 3);
  await large.stop(true);
  const [ms, directMs] = [first * 1000, firstDirect * 1000];
  const [mbs, directMbs] = [rate / 1e6, rateDirect / 1e6];
  return [
    {
      what: "first byte of a request through the gate",
      unit: "ms",
      ours: ms,
      theirs: { direct: directMs },
      target: { text: "≤ +3 ms", reached: ms <= directMs + 3 },
    },
    { what: "of it the lookup of the name, once per program", unit: "ms", ours: lookup * 1000, theirs: {} },
    {
      what: "200 MB through the gate",
      unit: "MB/s",
      ours: mbs,
      theirs: { direct: directMbs },
      target: { text: "≥ 1/3 of direct", reached: mbs >= directMbs / 3 },
    },
  ];
}

async function timed(words: readonly string[]): Promise<number> {
  const begun = performance.now();
  const child = Bun.spawn([...words], {
    stdio: ["ignore", "ignore", "ignore"],
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
  });
  await child.exited;
  return performance.now() - begun;
}

function numbersIn(text: string): number {
  return median(text.trim().split("\n").map(Number));
}
