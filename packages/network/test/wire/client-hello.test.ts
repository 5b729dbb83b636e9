import net from "node:net";
import tls from "node:tls";
import { expect, test } from "bun:test";
import { randomFrom, ROUNDS } from "../../../platform/test/random.ts";
import { readClientHello } from "../../src/wire/client-hello.ts";
import { clientHello } from "./hello.ts";

test.each<[string, Uint8Array, object]>([
  ["one name", clientHello(["a.test"]), { kind: "name", name: "a.test" }],
  ["a name in capitals", clientHello(["A.Test"]), { kind: "name", name: "a.test" }],
  ["no name", clientHello([]), { kind: "name", name: undefined }],
  ["a name over records of one byte", clientHello(["a.test"], 1), { kind: "name", name: "a.test" }],
  ["two names", clientHello(["a.test", "b.test"]), { kind: "malformed" }],
  ["a name with a zero byte", clientHello(["a.test\0"]), { kind: "malformed" }],
  ["an empty name", clientHello([""]), { kind: "malformed" }],
  ["another handshake", Uint8Array.from([0x16, 3, 1, 0, 4, 2, 0, 0, 0]), { kind: "malformed" }],
  ["an empty record", Uint8Array.from([0x16, 3, 1, 0, 0]), { kind: "malformed" }],
])("%s", (_, bytes, expected) => {
  expect(readClientHello(bytes)).toEqual(expected as ReturnType<typeof readClientHello>);
});

test.each([[16_000], [5], [1]])("cut anywhere, it is incomplete (records of %p)", (recordBytes) => {
  const whole = clientHello(["a.test"], recordBytes);
  for (let length = 0; length < whole.length; length++) {
    expect(readClientHello(whole.subarray(0, length))).toEqual({ kind: "incomplete" });
  }
});

test("the hello of a real client", async () => {
  const read = Promise.withResolvers<ReturnType<typeof readClientHello>>();
  using server = disposable(
    net.createServer((socket) => {
      let bytes: Uint8Array = new Uint8Array(0);
      socket.on("error", () => undefined);
      socket.on("data", (chunk: Uint8Array) => {
        bytes = Buffer.concat([bytes, chunk]);
        const hello = readClientHello(bytes);
        if (hello.kind !== "incomplete") read.resolve(hello);
      });
    }),
  );
  const port = await server.listen();
  const client = tls.connect({ host: "127.0.0.1", port, servername: "real.example" });
  client.on("error", () => undefined);
  expect(await read.promise).toEqual({ kind: "name", name: "real.example" });
  client.destroy();
});

test("whatever comes, nothing is thrown", () => {
  const random = randomFrom(7);
  for (let round = 0; round < 20_000 * ROUNDS; round++) {
    const bytes = clientHello(["a.test"], 1 + random.below(200));
    for (let flips = random.below(3); flips >= 0; flips--) bytes[random.below(bytes.length)] = random.below(256);
    const read = readClientHello(bytes.subarray(0, random.below(bytes.length + 1)));
    if (read.kind === "name" && read.name !== undefined) expect(read.name).toMatch(/^[\x21-\x7e]+$/);
  }
});

function disposable(server: net.Server) {
  return {
    listen: () =>
      new Promise<number>((resolve) => {
        server.listen(0, "127.0.0.1", () => resolve((server.address() as net.AddressInfo).port));
      }),
    [Symbol.dispose]: () => void server.close(),
  };
}
