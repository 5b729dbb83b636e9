import { describe, expect, test } from "bun:test";
import { errorText, idFrom, idValue, parseMessage, requestText, resultText } from "../src/wire/message.ts";
import type { Id } from "../src/wire/message.ts";
import { RpcError } from "../src/wire/rpc-error.ts";

const REQUEST = { kind: "request", method: "m" };

describe("one JSON text is one message", () => {
  test.each<[string, string, object]>([
    ["a request with a number", `{"jsonrpc":"2.0","id":1,"method":"m"}`, { ...REQUEST, id: "1" }],
    ["id 0 is an id", `{"jsonrpc":"2.0","id":0,"method":"m"}`, { ...REQUEST, id: "0" }],
    ["a negative id", `{"jsonrpc":"2.0","id":-7,"method":"m"}`, { ...REQUEST, id: "-7" }],
    ["a string id stays apart from a number", `{"jsonrpc":"2.0","id":"1","method":"m"}`, { ...REQUEST, id: `"1"` }],
    ["an empty string is an id", `{"jsonrpc":"2.0","id":"","method":"m"}`, { ...REQUEST, id: `""` }],
    ["1.0 is the integer 1", `{"jsonrpc":"2.0","id":1.0,"method":"m"}`, { ...REQUEST, id: "1" }],
    [
      "an integer above 2^53 keeps every digit",
      `{"jsonrpc":"2.0","id":12345678901234567890,"method":"m"}`,
      { ...REQUEST, id: "12345678901234567890" },
    ],
    ["the last of two ids counts", `{"id":1,"jsonrpc":"2.0","id":2,"method":"m"}`, { ...REQUEST, id: "2" }],
    [
      "an escaped key is that key",
      `{"jsonrpc":"2.0","\\u0069d":90071992547409930,"method":"m"}`,
      { id: "90071992547409930" },
    ],
    ["unknown members are tolerated", `{"jsonrpc":"2.0","id":1,"method":"m","x":{"y":1}}`, REQUEST],
    ["a notification has no id", `{"jsonrpc":"2.0","method":"m"}`, { kind: "notification", method: "m" }],
    ["a result", `{"jsonrpc":"2.0","id":1,"result":{}}`, { kind: "reply", id: "1", result: {} }],
    ["an error", `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"x"}}`, { kind: "reply", id: "1" }],
    ["an error without id", `{"jsonrpc":"2.0","error":{"code":-1,"message":"x"}}`, { kind: "reply", id: undefined }],
    // Answering an error with an error would never end.
    [
      "an error with id null is a reply",
      `{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"x"}}`,
      { kind: "reply", id: undefined },
    ],
    [
      "a batch",
      `[{"jsonrpc":"2.0","method":"m"},1]`,
      { kind: "batch", items: [{ kind: "notification" }, { kind: "malformed" }] },
    ],
  ])("%s", (_, text, expected) => {
    expect(parseMessage(text)).toMatchObject(expected);
  });

  test.each<[string, string, number, string | undefined]>([
    ["not JSON", `{"jsonrpc"`, -32700, undefined],
    ["nothing", ``, -32700, undefined],
    ["two values", `{} {}`, -32700, undefined],
    ["a number", `1`, -32600, undefined],
    ["null", `null`, -32600, undefined],
    ["a string", `"x"`, -32600, undefined],
    ["an empty batch", `[]`, -32600, undefined],
    ["jsonrpc 1.0", `{"jsonrpc":"1.0","id":3,"method":"m"}`, -32600, "3"],
    ["jsonrpc as a number", `{"jsonrpc":2.0,"id":3,"method":"m"}`, -32600, "3"],
    ["no jsonrpc", `{"id":"q","method":"m"}`, -32600, `"q"`],
    ["id null is no notification", `{"jsonrpc":"2.0","id":null,"method":"m"}`, -32600, undefined],
    ["a fractional id", `{"jsonrpc":"2.0","id":1.5,"method":"m"}`, -32600, undefined],
    ["a boolean id", `{"jsonrpc":"2.0","id":true,"method":"m"}`, -32600, undefined],
    ["an object as id", `{"jsonrpc":"2.0","id":{},"method":"m"}`, -32600, undefined],
    ["an endless id", `{"jsonrpc":"2.0","id":1e999,"method":"m"}`, -32600, undefined],
    ["array params", `{"jsonrpc":"2.0","id":1,"method":"m","params":[]}`, -32600, "1"],
    ["params null", `{"jsonrpc":"2.0","id":1,"method":"m","params":null}`, -32600, "1"],
    ["params as text", `{"jsonrpc":"2.0","id":1,"method":"m","params":"x"}`, -32600, "1"],
    ["a method that is no string", `{"jsonrpc":"2.0","id":1,"method":7}`, -32600, "1"],
    ["both result and error", `{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`, -32600, "1"],
    ["neither method nor result nor error", `{"jsonrpc":"2.0","id":1}`, -32600, "1"],
    ["method and result", `{"jsonrpc":"2.0","id":1,"method":"m","result":{}}`, -32600, "1"],
    ["a result that is no object", `{"jsonrpc":"2.0","id":1,"result":7}`, -32600, "1"],
    ["a result without id", `{"jsonrpc":"2.0","result":{}}`, -32600, undefined],
    ["a batch of too many", `[${"1,".repeat(1000)}1]`, -32600, undefined],
    [
      "nested too deep, the id still echoed",
      `{"jsonrpc":"2.0","id":9,"method":"m","params":{"a":${"[".repeat(200)}${"]".repeat(200)}}}`,
      -32600,
      "9",
    ],
    ["nested too deep and broken", `{"id":9${"[".repeat(9000)}`, -32600, undefined],
    ["millions of brackets", "[".repeat(4_000_000) + "]".repeat(4_000_000), -32600, undefined],
  ])("%s is malformed", (_, text, code, id) => {
    const message = parseMessage(text);
    expect(message).toMatchObject({ kind: "malformed", id });
    expect(message.kind === "malformed" ? message.error.code : 0).toBe(code);
  });

  test("a hundred levels are fine", () => {
    const nested = `${"[".repeat(100)}${"]".repeat(100)}`;
    expect(
      parseMessage(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":${nested},"b":"${"[".repeat(500)}"}}`).kind,
    ).toBe("request");
  });
});

describe("ids are never re-spelt", () => {
  const big = "12345678901234567890" as Id;
  test.each<[string, string, string]>([
    ["in a result", resultText(big, {}), `{"jsonrpc":"2.0","id":12345678901234567890,"result":{}}`],
    [
      "in an error",
      errorText(big, new RpcError(1, "x")),
      `{"jsonrpc":"2.0","id":12345678901234567890,"error":{"code":1,"message":"x"}}`,
    ],
    [
      "left out of an error where unknown",
      errorText(undefined, new RpcError(1, "x")),
      `{"jsonrpc":"2.0","error":{"code":1,"message":"x"}}`,
    ],
    [
      "inside params",
      requestText("1" as Id, "m", { requestId: idValue(big) }),
      `{"jsonrpc":"2.0","id":1,"method":"m","params":{"requestId":12345678901234567890}}`,
    ],
  ])("%s", (_, text, expected) => {
    expect(text).toBe(expected);
  });

  test("a requestId inside params is compared by its text", () => {
    const raw = `{"params":{"requestId":12345678901234567891}}`;
    const value = (JSON.parse(raw) as { params: { requestId: number } }).params.requestId;
    expect(String(idFrom(value, raw, ["params", "requestId"]))).toBe("12345678901234567891");
  });
});
