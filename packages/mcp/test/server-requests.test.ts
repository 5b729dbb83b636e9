// A server's own requests to a client: answered once each, and not without bound.
import { expect, test } from "bun:test";
import { ServerRequests } from "../src/client/server-requests.ts";
import { idOf } from "../src/wire/message.ts";
import type { Request } from "../src/wire/message.ts";
import { pause } from "./fixtures/kitchen-sink.ts";

const ping = (id: string | number): Request => ({
  kind: "request",
  id: idOf(id),
  method: "ping",
  params: undefined,
  raw: "",
});

function askedBy(): { asked: ServerRequests; replies: string[]; read(): void } {
  const replies: string[] = [];
  let unread: (() => void)[] = [];
  const asked = new ServerRequests(
    async () => ({}),
    (text) => {
      replies.push(text);
      return new Promise((resolve) => unread.push(resolve));
    },
  );
  const read = (): void => {
    for (const resolve of unread) resolve();
    unread = [];
  };
  return { asked, replies, read };
}

test("a server that asks without reading the answers is not answered any more, until it reads", async () => {
  const { asked, replies, read } = askedBy();
  for (let id = 0; id < 5000; id++) {
    asked.take(ping(id));
    if (id % 100 === 0) await pause(0);
  }
  await pause(1); // what is refused leaves no trace
  expect(replies.length).toBeLessThan(1500);
  const before = replies.length;
  read();
  await pause(1);
  asked.take(ping("again"));
  await pause(1);
  expect(replies.slice(before)).toEqual([`{"jsonrpc":"2.0","id":"again","result":{}}`]);
});

test("so is one whose ids are enormous", async () => {
  const { asked, replies } = askedBy();
  for (let number = 0; number < 100; number++) {
    asked.take(ping(`${number}${"x".repeat(1 << 20)}`));
    await pause(0);
  }
  expect(replies.length).toBeLessThan(30);
});
