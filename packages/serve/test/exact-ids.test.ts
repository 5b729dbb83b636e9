// Ids and progress tokens beyond 2^53, which JavaScript would round, over stdio and HTTP: each comes back as it was sent, and
// a cancellation finds its call and not the one beside it. What is compared is text: parsing it would round both sides.
import { afterAll, expect, test } from "bun:test";
import { HttpServer } from "./harness/http.ts";
import { BUN, cleanEnvironment, MAIN, removeScratch, scratch } from "./harness/server.ts";

afterAll(removeScratch);

const GREETING =
  '"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"1"}}';
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
const request = (id: string, rest: string): string => `{"jsonrpc":"2.0","id":${id},${rest}}`;
const bash = (command: string, token?: string): string => {
  const meta = token === undefined ? "" : `,"_meta":{"progressToken":${token}}`;
  return `"method":"tools/call","params":{"name":"bash","arguments":{"command":${JSON.stringify(command)}}${meta}}`;
};
const cancel = (id: string): string =>
  `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`;

test("over stdio", async () => {
  const { base, root } = scratch();
  const child = Bun.spawn([...BUN, MAIN, "--transport", "stdio", "--sandbox", "off"], {
    cwd: root,
    env: cleanEnvironment(base),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  });
  let out = "";
  const heard = (async () => {
    for await (const chunk of child.stdout) out += new TextDecoder().decode(chunk);
  })();
  const say = (...lines: string[]): void => {
    child.stdin.write(`${lines.join("\n")}\n`);
    void child.stdin.flush();
  };
  const until = async (text: string): Promise<void> => {
    while (!out.includes(text)) await Bun.sleep(10);
  };
  say(request("9007199254740993", GREETING), INITIALIZED);
  say(request("123456789012345678901234567890", '"method":"ping"'), request("-9007199254740993", '"method":"nope"'));
  say(request("9007199254740995", '"method":3'));
  say(`[${request("9007199254740997", '"method":"ping"')},${request("9007199254740999", '"method":"nope"')}]`);
  say(request("9007199254741003", bash("sleep 600")), request("9007199254741002", bash("until [ -e go ]; do :; done")));
  say(cancel("9007199254741003"));
  say(request("9007199254741005", bash("touch go; for i in 1 2 3; do echo $i; sleep 0.5; done", "9007199254741007")));
  await until('"id":9007199254741005');
  await until('"id":9007199254741002');
  child.stdin.end();
  await heard;
  const said = [...out.matchAll(/"(?:id|progressToken)":(-?\d+)/g)].map(([, number]) => number);
  expect([...new Set(said)].toSorted()).toEqual(
    [
      "-9007199254740993",
      "123456789012345678901234567890",
      "9007199254740993",
      "9007199254740995",
      "9007199254740997",
      "9007199254740999",
      "9007199254741002",
      "9007199254741005",
      "9007199254741007",
    ].toSorted(),
  );
});

test("over HTTP", async () => {
  await using server = await HttpServer.start({ args: ["--sandbox", "off"] });
  const greeted = await server.post(request("9007199254740993", GREETING));
  expect(await greeted.text()).toStartWith('{"jsonrpc":"2.0","id":9007199254740993,');
  const headers = { "mcp-session-id": greeted.headers.get("mcp-session-id") ?? "" };
  const say = async (text: string): Promise<string> => (await server.post(text, headers)).text();
  await say(INITIALIZED);
  expect(await say(request("9007199254740995", '"method":"ping"'))).toBe(
    '{"jsonrpc":"2.0","id":9007199254740995,"result":{}}',
  );
  const slow = say(request("9007199254741003", bash("sleep 600")));
  const near = say(request("9007199254741002", bash("until [ -e go ]; do :; done")));
  // Not answered before the call is known: the same id again is refused while it runs.
  while (!(await say(request("9007199254741003", '"method":"ping"'))).includes("request 9007199254741003 is still"));
  await say(cancel("9007199254741003"));
  expect(await slow).not.toContain('"result"');
  const told = await say(
    request("9007199254741005", bash("touch go; for i in 1 2; do echo $i; sleep 0.5; done", "9007199254741007")),
  );
  expect(told).toContain('"progressToken":9007199254741007,');
  expect(told).toContain('"id":9007199254741005,"result"');
  expect(await near).toContain('"id":9007199254741002,"result"');
});
