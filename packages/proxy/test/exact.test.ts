// Nothing that passes is respelt: numbers that JavaScript would round, fractions that end in zero, members twice, and
// members that nobody knows, wherever they stand in what passes.
import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { rawClient, scripted } from "./raw-client.ts";
import { bun, cleanUp, json, record, run, start, until } from "./proxy-process.ts";

afterAll(cleanUp);

const BIG = "12345678901234567891";
const TREE = JSON.stringify(
  Array.from({ length: 12 }, (_, n) => ({
    name: `folder-${n}`,
    type: "directory",
    children: [{ name: "a.ts", type: "file" }],
  })),
  undefined,
  2,
);
const OTHERS =
  `{"type":"image","data":"aGk=","mimeType":"image/png","x-n":${BIG}},` +
  `{"type":"resource_link","uri":"file:///x","name":"x","size":${BIG},"size":1.0}`;
const answer = (result: string): string[] => [`{"jsonrpc":"2.0","id":$ID,"result":${result}}`];

test.concurrent("a shortened result keeps every byte but those of its text, and its original keeps all", async () => {
  const text = JSON.stringify(TREE);
  const rest = `"annotations":{"priority":1.0}},${OTHERS}],"x-unknown":1.50`;
  const meta = `"n":${BIG},"bosun/original":"forged","n":2.0`;
  const given = `{"content":[{"type":"text","text":${text},${rest},"_meta":{${meta}}}`;
  await using client = await rawClient({ says: { "tool:tree": answer(given) } });
  const line = await client.call("tree");
  expect(line).toContain("[bosun: JSON tree as");
  expect(line).toContain(rest);
  expect(line).toContain(`"_meta":{"n":${BIG},"bosun.inner/original":"forged","n":2.0,"bosun/original":"`);
  const handle = /"bosun\/original":"(\d+)"/.exec(line)?.[1] ?? "";
  const read = await client.ask("resources/read", `{"uri":"bosun://original/${handle}"}`);
  expect(read).toContain(JSON.stringify(given));
  const fetched = await client.ask("tools/call", `{"name":"read_original","arguments":{"handle":"${handle}"}}`);
  expect(fetched).toContain(`"x-n":${BIG}`);
  expect(fetched).toContain('"x-unknown":1.50');
});

test.concurrent("structured content is a copy only where its long numbers are", async () => {
  const both = (inText: string, inStructure: string): string[] =>
    answer(`{"content":[{"type":"text","text":"{\\"n\\": ${inText}}"}],"structuredContent":{"n":${inStructure}}}`);
  await using client = await rawClient({
    says: { "tool:copy": both(BIG, BIG), "tool:other": both(BIG, BIG.replace(/1$/, "2")) },
  });
  expect(await client.call("copy")).not.toContain("structuredContent");
  expect(await client.call("other")).toContain(`"structuredContent":{"n":${BIG.replace(/1$/, "2")}}`);
});

test.concurrent.each([[], ["--pins", "off"], ["--namespace"]])("so do tool definitions (%p)", async (...options) => {
  const schema = `{"type":"object","properties":{"n":{"maximum":${BIG},"multipleOf":1.0}}}`;
  const tools = `[{"name":"t","title":"\\u200b","inputSchema":${schema}}]`;
  await using client = await rawClient({ says: { "tools/list": answer(`{"tools":${tools}}`) } }, options);
  expect(await client.ask("tools/list")).toContain(`"inputSchema":${schema}`);
});

test.concurrent("so do notifications of the client", async () => {
  await using client = await rawClient({});
  const told = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"x","progress":${BIG},"f":1.0}}`;
  const bare = '{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}';
  client.say(told);
  client.say(bare);
  await client.ask("ping");
  expect(readFileSync(client.log, "utf8")).toContain(`${told}\n${bare}\n`);
});

test.concurrent("the progress of a task goes on after the answer that named it", async () => {
  const task = '{"task":{"taskId":"t","status":"working","ttl":1000}}';
  await using client = await rawClient({
    capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } } } },
    says: {
      "tool:long": answer(task),
      // The proxy's name for the token of the first call with one.
      "x/more": [
        '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p1","progress":2}}',
        ...answer("{}"),
      ],
    },
  });
  await client.ask("tools/call", '{"name":"long","task":{},"_meta":{"progressToken":1.0}}');
  await client.ask("x/more");
  expect(await client.heard("notifications/progress")).toContain('"progressToken":1.0,"progress":2');
});

test.concurrent("so do questions of the server, their answers, and errors", async () => {
  const asked = `{"message":"?","requestedSchema":{"type":"object","maximum":${BIG}}}`;
  const data = `{"code":-32000,"message":"no","data":{"n":${BIG},"f":1.0}}`;
  await using client = await rawClient({
    says: {
      "tool:asks": [`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":${asked}}`],
      reply: answer('{"content":[{"type":"text","text":"$LINE"}]}'),
      "tool:fails": [`{"jsonrpc":"2.0","id":$ID,"error":${data}}`],
    },
  });
  const called = client.call("asks");
  const question = await client.heard("elicitation/create");
  expect(question).toContain(asked);
  const id = /"id":("[^"]*"|\d+)/.exec(question)?.[1] ?? "";
  client.say(`{"jsonrpc":"2.0","id":${id},"result":{"action":"accept","content":{"n":${BIG},"f":1.0}}}`);
  expect(await called).toContain(`\\"content\\":{\\"n\\":${BIG},\\"f\\":1.0}`);
  expect(await client.call("fails")).toContain(data);
});

test.concurrent("a question that the server withdraws is withdrawn under the id that the client knows", async () => {
  await using client = await rawClient({
    says: {
      "tool:asks": [
        '{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object"}}}',
        '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q","reason":"never mind"}}',
        ...answer('{"content":[]}'),
      ],
    },
  });
  const called = client.call("asks");
  const id = /"id":("[^"]*"|\d+)/.exec(await client.heard("elicitation/create"))?.[1];
  expect(await client.heard("notifications/cancelled")).toContain(`{"requestId":${id},"reason":"never mind"}`);
  await called;
  // Nobody answers what was withdrawn.
  expect(readFileSync(client.log, "utf8")).not.toContain('"id":"q"');
});

test.concurrent(
  "a call that makes no sense is the server's to judge, and the reason of a cancellation its to know",
  async () => {
    await using client = await rawClient({ says: { "tool:5": answer("{}"), "tool:slow": [] } });
    await client.ask("tools/call", '{"name":5}');
    client.say('{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"slow"}}');
    await until(() => readFileSync(client.log, "utf8").includes('"slow"'));
    client.say(
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c","reason":"no longer needed"}}',
    );
    await until(() => readFileSync(client.log, "utf8").includes("cancelled"));
    const got = readFileSync(client.log, "utf8");
    expect(got).toContain('"params":{"name":5}');
    expect(got).toContain('"reason":"no longer needed"');
  },
);

test.concurrent("one digit of a long number is a change of the definition, shown, and can be accepted", async () => {
  const list = (digit: number): object => ({
    says: {
      "tools/list": answer(
        `{"tools":[{"name":"t","inputSchema":{"type":"object","maximum":1844674407370955161${digit}}}]}`,
      ),
    },
  });
  const file = json(list(5));
  const server = [...bun, scripted, file, record()];
  const names = async (): Promise<string[]> => {
    await using proxied = await start({ state: "digits", server });
    return await proxied.names();
  };
  expect(await names()).toEqual(["t"]);
  json(list(4), file);
  expect(await names()).toEqual([]);
  const shown = await run(["pins", "show"], "digits");
  expect(shown.out).toContain("- inputSchema.maximum: 18446744073709551615");
  expect(shown.out).toContain("+ inputSchema.maximum: 18446744073709551614");
  expect((await run(["pins", "accept"], "digits")).code).toBe(0);
  expect(await names()).toEqual(["t"]);
});
